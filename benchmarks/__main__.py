"""All benchmarks: `python -m benchmarks`. Figures are ratios within one run, so that they compare between machines."""

from __future__ import annotations

from benchmarks import check_speed, configure_cost, run_cost, server_cost, session_cost

if __name__ == "__main__":
    on_top = session_cost.measure()
    print("make_session(path) costs %.2f of Session(config=proto) on top of it (bar: at most %.2f)" % (on_top, session_cost.BAR))
    faster = check_speed.measure()
    print("tf1compat check is %.1f times faster than `import tensorflow` (bar: at least %d)" % (faster, check_speed.BAR))
    both = configure_cost.measure()
    print("`import tensorflow` and configure() cost %.3f of the import alone (bar: at most %.2f)" % (both, configure_cost.BAR))
    for modules, ratio in run_cost.measure().items():
        print("tf1compat run costs %.3f of a program of %d modules itself (bar: at most %.2f)" % (ratio, modules, run_cost.BAR))
    print("ten processes with make_server take %.3f of those with tf.train.Server (bar: at most %.2f)" % (server_cost.measure(), server_cost.BAR))
