"""`tf1compat launch`: what each process gets, and that none is left."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
from typing import List

import pytest

from tests.clusters.job import free, launch
from tests.programs import environment

SHOW = """
import json, os, sys
names = ("TF_CONFIG", "LOCAL_RANK", "RANK", "LOCAL_WORLD_SIZE", "WORLD_SIZE", "SLURM_LOCALID", "TF1COMPAT_PROFILE", "FROM_PROFILE")
print("@@report " + json.dumps({"arguments": sys.argv[1:], "environ": {name: os.environ.get(name) for name in names}}))
print("last line without an end", end="")
sys.stderr.write("to standard error\\n")
sys.stdout.flush()
# A parameter server is stopped when the others have ended: the chief waits until it has said all.
job = json.loads(os.environ["TF_CONFIG"])["task"]["type"]
if job in ("ps", "chief"):
    open("said", "w" if job == "ps" else "r").close()
"""
#: Starts a child that ignores SIGTERM, says its own number and its child's, and then waits without end.
STUBBORN = """
import os, signal, sys, time
read, write = os.pipe()
child = os.fork()
if child == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(write, b"x")
    while True:
        signal.pause()
os.read(read, 1)
print("@@pids %d %d" % (os.getpid(), child), flush=True)
if "fail" in sys.argv and os.environ["RANK"] == "0":
    open(sys.argv[2]).close()
    sys.exit(7)
if "fail" in sys.argv:
    open(sys.argv[2], "w").close()
while True:
    signal.pause()
"""


def _gone(pid: int) -> bool:
    """Whether no process has that number, or only one that has ended and waits for its parent to notice."""
    try:
        state = pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state in ("Z", "X")


def _pids(out: str) -> List[int]:
    return [int(number) for line in out.splitlines() if "@@pids" in line for number in line.partition("@@pids ")[2].split()]


@pytest.mark.parametrize("native", [False, True])
def test_what_each_process_gets(tmp_path: pathlib.Path, native: bool) -> None:
    (tmp_path / "show.py").write_text(SHOW)
    os.mkfifo(str(tmp_path / "said"))
    (tmp_path / "p.yaml").write_text("profile: {environment: {FROM_PROFILE: base}, variants: {ps: {profile: {environment: {FROM_PROFILE: ps}}}}}\n")
    own = ["--native"] if native else []
    arguments = ["show.py", "--native", "{job_name}", "x{task_index}", "{ps_hosts}", "{worker_hosts}", "{other}"]
    options = own + ["--profile", "p.yaml", "--ps", "1", "--workers", "2", "--chief", "--evaluator"]
    done = launch(options + arguments, tmp_path, env={"SLURM_LOCALID": "0", "OMPI_COMM_WORLD_RANK": "3"})
    assert done.status == 0, done.err
    assert sorted(done.reports) == ["chief 0", "evaluator 0", "ps 0", "worker 0", "worker 1"]
    clusters = set()
    for rank, name in enumerate(["chief 0", "worker 0", "worker 1", "ps 0", "evaluator 0"]):
        found = done.reports[name]
        environ = found["environ"]
        config = json.loads(environ["TF_CONFIG"])
        job, number = name.split()
        assert config["task"] == {"type": job, "index": int(number)}
        assert {key: len(hosts) for key, hosts in config["cluster"].items()} == {"chief": 1, "worker": 2, "ps": 1}
        clusters.add(json.dumps(config["cluster"], sort_keys=True))
        assert (environ["LOCAL_RANK"], environ["RANK"], environ["LOCAL_WORLD_SIZE"], environ["WORLD_SIZE"]) == (str(rank), str(rank), "5", "5")
        assert environ["SLURM_LOCALID"] is None
        assert environ["TF1COMPAT_PROFILE"] == str(tmp_path / "p.yaml")
        assert environ["FROM_PROFILE"] == ("ps" if job == "ps" else "base")
        hosts = config["cluster"]
        assert found["arguments"] == ["--native", job, "x" + number, hosts["ps"][0], ",".join(hosts["worker"]), "{other}"]
    assert len(clusters) == 1
    addresses = [address for hosts in json.loads(clusters.pop()).values() for address in hosts]
    assert len(set(addresses)) == 4 and all(address.startswith("127.0.0.1:") for address in addresses)
    assert "[ps 0]        last line without an end\n" in done.out
    assert "[evaluator 0] to standard error\n" in done.err


def test_the_code_of_c_keeps_its_braces(tmp_path: pathlib.Path) -> None:
    done = launch(["--native", "--", "-c", "import sys; job_name = 'mine'; print(f'{job_name}', sys.argv[1:])", "{job_name}"], tmp_path)
    assert done.out == "[worker 0] mine ['worker']\n"


def test_the_runners_options_reach_each_process(tmp_path: pathlib.Path) -> None:
    """And a project's settings do, and no module of the program's folder stands in the way of this package's own."""
    (tmp_path / "click.py").write_text("raise SystemExit('this is not click')\n")
    (tmp_path / "p.yaml").write_text("visible_device_list: '${RANK}'\n")
    (tmp_path / "setup.cfg").write_text("[tf1compat]\nprofile = p.yaml\npackages = some_package\n")
    (tmp_path / "show.py").write_text(
        "import json, os\nprint('@@report', json.dumps({name: os.environ.get(name) for name in ('TF1COMPAT_RUN', 'TF1COMPAT_CONFIG', 'TF1COMPAT_PROFILE')}))\n"
    )
    console_script = "import sys; sys.path.remove(''); from tf1compat_gpu.__main__ import main; main()"  # as an installed `tf1compat` starts
    command = [sys.executable, "-c", console_script, "launch", "--workers", "2", "--python-compat", "--config", "merge", "show.py"]
    done = subprocess.run(command, cwd=str(tmp_path), env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        found = json.loads(line.partition("@@report ")[2])
        settings = json.loads(found["TF1COMPAT_RUN"])
        assert settings["python_compat"] is True and settings["packages"] == ["some_package"]
        assert (found["TF1COMPAT_CONFIG"], found["TF1COMPAT_PROFILE"]) == ("merge", str(tmp_path / "p.yaml"))
    assert done.stdout.count("@@report") == 2
    # The same words for each process are said once; each has a rank of its own in them.
    assert done.stderr.count("warning[global-rank]") == 1


def test_the_first_failure_stops_all(tmp_path: pathlib.Path) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    os.mkfifo(str(tmp_path / "go"))
    done = launch(["--native", "--workers", "2", "--grace", "0", "stubborn.py", "fail", "go"], tmp_path)
    assert done.status == 7
    assert "worker 0 ended with status 7; the others are stopped" in done.err
    pids = _pids(done.out)
    assert len(pids) == 4 and all(_gone(pid) for pid in pids)


def test_parameter_servers_end_with_the_workers(tmp_path: pathlib.Path) -> None:
    (tmp_path / "program.py").write_text('import os, signal\nif "ps" in os.environ["TF_CONFIG"].split("task")[1]:\n    signal.pause()\n')
    assert launch(["--native", "--ps", "2", "--workers", "1", "program.py"], tmp_path).status == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP])
def test_a_signal_leaves_no_process(tmp_path: pathlib.Path, number: int) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    command = [sys.executable, "-m", "tf1compat_gpu", "launch", "--native", "--ps", "1", "--workers", "2", "--grace", "0.2", "stubborn.py"]
    process = subprocess.Popen(
        command, cwd=str(tmp_path), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # nohup and a shell's & start programs with signals ignored
    )  # fmt: skip
    assert process.stdout is not None
    pids = [pid for _ in range(3) for pid in _pids(process.stdout.readline())]
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert len(pids) == 6 and all(_gone(pid) for pid in pids)


def test_a_hangup_that_is_ignored_stops_nothing(tmp_path: pathlib.Path) -> None:
    """As under nohup: the job outlives its terminal."""
    (tmp_path / "hang_up.py").write_text("import os, signal\nos.kill(os.getppid(), signal.SIGHUP)\nprint('still there')\n")
    done = launch(["--native", "hang_up.py"], tmp_path, before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert done.status == 0 and "still there" in done.out


#: A process in a session of its own, as a daemon is: no signal to the worker's group reaches it.
DAEMON = """
import os, subprocess, sys
daemon = subprocess.Popen([sys.executable, "-c", "import os, signal; print('@@pids', os.getpid(), os.getpid(), flush=True); signal.pause()"],
                          start_new_session=True, stdout=subprocess.PIPE)
print(daemon.stdout.readline().decode(), end="", flush=True)
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere a daemon goes to process 1")
@pytest.mark.parametrize("status", [0, 3])
def test_a_daemon_ends_with_the_job(tmp_path: pathlib.Path, status: int) -> None:
    (tmp_path / "daemon.py").write_text(DAEMON)
    done = launch(["--native", "--workers", "2", "daemon.py", str(status)], tmp_path)
    pids = _pids(done.out)
    assert done.status == status and len(pids) in ((4,) if status == 0 else (2, 4)) and all(_gone(pid) for pid in pids)


@pytest.mark.tensorflow
def test_servers_that_wait_are_stopped_and_leave_their_ports(tmp_path: pathlib.Path) -> None:
    """Every task serves without end; Ctrl-C is not delivered to TensorFlow's own wait, the end is."""
    (tmp_path / "serve.py").write_text(
        "import json, os\nfrom tf1compat_gpu import make_server\nserver = make_server({})\n"
        "print('@@hosts', json.dumps(json.loads(os.environ['TF_CONFIG'])['cluster']), flush=True)\nserver.join()\n"
    )
    command = [sys.executable, "-m", "tf1compat_gpu", "launch", "--native", "--ps", "1", "--workers", "1", "serve.py"]
    process = subprocess.Popen(command, cwd=str(tmp_path), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    lines: List[str] = []
    while len(lines) < 2:
        line = process.stdout.readline()
        assert line, "the job ended"
        lines += [line] if "@@hosts" in line else []
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    hosts = json.loads(lines[0].partition("@@hosts")[2])
    assert all(free(address) for tasks in hosts.values() for address in tasks)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], "what is to be run"),
        (["-"], "what is to be run"),
        (["--workers", "0", "x.py"], "nothing computes"),
        (["--workers", "many", "x.py"], "many"),
        (["--profile", "typo.yaml", "x.py"], "allow_growth"),
        (["--profile", "missing.yaml", "x.py"], "missing.yaml"),
        (["--profile", "-", "x.py"], "name a file as --profile"),
        (["--native", "--python-compat", "x.py"], "without the runner"),
    ],
)
def test_mistakes_start_nothing(tmp_path: pathlib.Path, arguments: List[str], words: str) -> None:
    (tmp_path / "x.py").write_text("open('started', 'w').close()\n")
    (tmp_path / "typo.yaml").write_text("gpu_options: {alow_growth: true}\n")
    done = launch(arguments, tmp_path)
    assert done.status in (1, 2) and words in done.err and "Traceback" not in done.err
    assert not (tmp_path / "started").exists()
    assert done.err.count("alow_growth'") <= 1  # said once, not by every task
