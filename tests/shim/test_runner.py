"""`tf1compat run` is `python` to the program: the same words, places, endings and children. None of these load TensorFlow."""

from __future__ import annotations

import os
import pathlib
import sys
import zipfile
from typing import List

import pytest

from tests.shim.running import execute, plain, runner, write

PROGRAMS = {
    "argv": ("import sys; print(sys.argv, __name__, __file__, sys.path[0], sys.flags.optimize)", ["p.py", "a", "--profile", "theirs", "-c", "x", "--help", "--"]),
    "relative": ("import helper_beside; print(helper_beside.VALUE, __spec__, __package__, __doc__)", ["p.py"]),
    "exit_int": ("import sys; sys.exit(7)", ["p.py"]),
    "exit_text": ("import sys; sys.exit('words')", ["p.py"]),
    "exit_none": ("import sys; sys.exit(None)", ["p.py"]),
    "os_exit": ("import os; os._exit(9)", ["p.py"]),
    "signal": ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", ["p.py"]),
    "interrupt": ("raise KeyboardInterrupt", ["p.py"]),
    "exception": ("def f():\n    raise ValueError('no')\nf()", ["p.py"]),
    "chained": ("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise RuntimeError('x') from e", ["p.py"]),
    "syntax": ("def f(:\n", ["p.py"]),
    "import_error": ("import no_such_module_anywhere", ["p.py"]),
    "warning": ("import warnings; warnings.warn('careful')", ["p.py"]),
    "warning_error": ("import warnings; warnings.warn('careful')", ["-W", "error", "p.py"]),
    "optimised": ("import sys; print(sys.flags.optimize, __debug__)", ["-O", "p.py"]),
    "x_option": ("import sys; print(sys._xoptions)", ["-X", "dev", "p.py"]),
    "unbuffered": ("import sys; print(sys.stdout.write_through)", ["-u", "p.py"]),
    "stdin": ("import sys; print(sys.stdin.read().upper())", ["p.py"]),
    "pickle": (
        "import pickle\nclass A:\n    def __eq__(self, other): return type(other) is A\n"
        "print(pickle.loads(pickle.dumps(A())) == A(), A.__module__)",
        ["p.py"],
    ),
    "names": ("print(sorted(k for k in globals() if not k.startswith('__')))", ["p.py"]),
    "latin": ("# -*- coding: latin-1 -*-\nprint(len('\xe9'))", ["p.py"]),
    "path": ("import sys; print([p for p in sys.path if 'startup' in p], sys.executable)", ["p.py"]),
    "code": ("", ["-c", "import sys; print(sys.argv, __name__, sys.path[0])", "-m", "pytest"]),
    "module": ("", ["-m", "package.inner", "a", "-c", "x.ini"]),
    "package": ("", ["-m", "package", "b"]),
    "directory": ("", ["package_dir", "c"]),
    "missing_script": ("", ["no_such_script.py"]),
    "missing_module": ("", ["-m", "no_such_module_anywhere"]),
    "runpy": ("import runpy; print(runpy.run_path('helper_beside.py')['VALUE'])", ["p.py"]),
    "threads": ("import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start(); t.join(); print('on')", ["p.py"]),
    "excepthook": ("import sys\nsys.excepthook = lambda *a: print('mine', a[0].__name__)\nraise ValueError", ["p.py"]),
}  # fmt: skip
FILES = {
    "helper_beside.py": "VALUE = 3\n",
    "package/__init__.py": "",
    "package/__main__.py": "import sys; print(sys.argv[1:], __package__)\n",
    "package/inner.py": "import sys\nfrom . import other\nprint(sys.argv[1:], __name__, __package__, other.VALUE)\n",
    "package/other.py": "VALUE = 4\n",
    "package_dir/__main__.py": "import sys; print(sys.argv, sys.path[0], __name__)\n",
}


def _same(arguments: List[str], folder: pathlib.Path, input: str = "") -> None:
    ours, theirs = runner(arguments, folder, input=input), plain(arguments, folder, input=input)
    assert ours == theirs


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, tmp_path: pathlib.Path) -> None:
    source, arguments = PROGRAMS[name]
    write(tmp_path, FILES)
    (tmp_path / "p.py").write_bytes(source.encode("latin-1" if name == "latin" else "utf-8"))
    _same(arguments, tmp_path, input="words\n")


def test_program_from_standard_input(tmp_path: pathlib.Path) -> None:
    _same(["-", "a"], tmp_path, input="import sys; print(sys.argv, __name__)")


def test_zip_file(tmp_path: pathlib.Path) -> None:
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        archive.writestr("__main__.py", "import sys, beside; print(sys.argv, beside.VALUE)")
        archive.writestr("beside.py", "VALUE = 5")
    _same(["app.zip", "a"], tmp_path)


def test_options_of_ours_end_where_the_program_begins(tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.py").write_text("import sys; print(sys.argv)")
    assert runner(["--seeds", "native", "p.py", "--seeds", "x"], tmp_path).out == "['p.py', '--seeds', 'x']\n"
    assert runner(["--seeds=native", "--", "p.py", "--", "-m"], tmp_path).out == "['p.py', '--', '-m']\n"
    wrong = runner(["--seed", "native", "p.py"], tmp_path)
    assert wrong.status == 2 and "--seed" in wrong.err and "Traceback" not in wrong.err


def test_children_are_covered_as_the_program_is(tmp_path: pathlib.Path) -> None:
    look = "import builtins; print(type(builtins.__import__).__name__ + '!')"
    write(
        tmp_path,
        {
            "p.py": """
            import builtins, multiprocessing, subprocess, sys
            def look(queue):
                queue.put(type(builtins.__import__).__name__)
            if __name__ == "__main__":
                for method in ("spawn", "fork"):
                    context = multiprocessing.get_context(method)
                    queue = context.Queue()
                    child = context.Process(target=look, args=(queue,))
                    child.start()
                    print(method, queue.get())
                    child.join()
                print("subprocess", subprocess.check_output([sys.executable, "-c", %r]).decode().strip())
                print("isolated", subprocess.check_output([sys.executable, "-I", "-c", %r]).decode().strip())
            """
            % (look, look)
        },
    )
    done = runner(["p.py"], tmp_path)
    assert done.out.splitlines() == ["spawn function", "fork function", "subprocess function!", "isolated builtin_function_or_method!"], done.err
    assert plain(["p.py"], tmp_path).out.count("builtin") == 4


def test_a_users_sitecustomize_runs_first(tmp_path: pathlib.Path) -> None:
    write(
        tmp_path,
        {
            "site/sitecustomize.py": "import builtins; builtins.SEEN = 'sitecustomize'",
            "p.py": "print(SEEN); import sitecustomize; print(sitecustomize.__name__)",
        },
    )
    env = {"PYTHONPATH": str(tmp_path / "site") + os.pathsep + str(pathlib.Path(__file__).resolve().parents[2])}
    assert runner(["p.py"], tmp_path, env) == plain(["p.py"], tmp_path, env)


def test_a_broken_sitecustomize_is_what_python_makes_of_it(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"site/sitecustomize.py": "import no_such_module_anywhere", "p.py": "print('on')"})
    env = {"PYTHONPATH": str(tmp_path / "site") + os.pathsep + str(pathlib.Path(__file__).resolve().parents[2])}
    ours = runner(["p.py"], tmp_path, env)
    assert (ours.status, ours.out) == (0, "on\n") and "no_such_module_anywhere" in ours.err


def test_one_tree_by_turns_with_bytecode(tmp_path: pathlib.Path) -> None:
    write(
        tmp_path,
        {"part.py": "import json\nVALUE = 1\n", "p.py": "import part; print(part.VALUE)", "test_part.py": "import part\ndef test(): assert part.VALUE == 1\n"},
    )
    env = {"PYTHONDONTWRITEBYTECODE": ""}
    for call in (runner, plain, runner):
        assert call(["p.py"], tmp_path, env).out == "1\n"
        done = call(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"], tmp_path, env)
        assert done.status == 0 and "1 passed" in done.out, done
    assert plain(["-m", "unittest", "-q"], tmp_path, env).status == runner(["-m", "unittest", "-q"], tmp_path, env).status


def test_pytest_options_are_pytests(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"x.ini": "[pytest]\naddopts = -q -p no:cacheprovider\n", "test_a.py": "def test(): pass\n"})
    ours, theirs = (call(["-m", "pytest", "-c", "x.ini"], tmp_path) for call in (runner, plain))
    assert ours.status == theirs.status == 0 and "1 passed" in ours.out


@pytest.mark.parametrize("flag", ["-E", "-I", "-S"])
def test_flags_that_leave_the_program_alone_are_named(flag: str, tmp_path: pathlib.Path) -> None:
    done = runner([flag, "-c", "print('on')"], tmp_path)
    assert done.out == "on\n" and flag in done.err and "don't reach this program" in done.err


def test_it_can_be_switched_off(tmp_path: pathlib.Path) -> None:
    code = "import builtins; print(type(builtins.__import__).__name__)"
    assert runner(["-c", code], tmp_path, {"TF1COMPAT_DISABLE": "1"}).out == "builtin_function_or_method\n"
    assert runner(["-c", code], tmp_path).out == "function\n"


def test_mistakes_in_the_profile_come_before_the_program(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"bad.yaml": "allow_grwoth: true\n", "p.py": "print('ran')"})
    done = runner(["--profile", "bad.yaml", "p.py"], tmp_path)
    assert done.status == 1 and done.out == "" and "bad.yaml:1:1" in done.err and "Traceback" not in done.err
    missing = runner(["--profile", "none.yaml", "p.py"], tmp_path)
    assert missing.status == 1 and "none.yaml" in missing.err and "Traceback" not in missing.err
    assert runner(["--profile", "-", "p.py"], tmp_path).status == 2
    assert runner(["--config", "mine", "p.py"], tmp_path).status == 2


def test_tensorflow_is_not_loaded_before_the_program_does(tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.yaml").write_text("allow_soft_placement: true\n")
    code = "import sys; print([m for m in sys.modules if m.split('.')[0] in ('tensorflow', 'numpy', 'google', 'yaml', 'click', 'rich')])"
    ours, theirs = runner(["--profile", "p.yaml", "-c", code], tmp_path).out, plain(["-c", code], tmp_path).out
    assert ours == theirs and "yaml" not in ours  # some installations load a namespace package at every start


def test_the_profiles_environment_is_there_from_the_start(tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.yaml").write_text("profile: {environment: {TF_NUM_INTEROP_THREADS: 3}}\n")
    code = "import os, subprocess, sys; print(os.environ['TF_NUM_INTEROP_THREADS'])"
    assert runner(["--profile", "p.yaml", "-c", code], tmp_path).out == "3\n"


def test_a_relative_profile_is_found_from_any_folder(tmp_path: pathlib.Path) -> None:
    write(
        tmp_path,
        {
            "p.yaml": "allow_soft_placement: true\n",
            "p.py": "import os; os.chdir('/'); from tf1compat_gpu import active_profile; print(active_profile().values())",
        },
    )
    assert (
        runner(["--profile", "p.yaml", "--set", "log_device_placement=true", "p.py"], tmp_path).out
        == "{'allow_soft_placement': True, 'log_device_placement': True}\n"
    )


def test_nothing_to_run_is_a_usage_error_at_a_terminal(tmp_path: pathlib.Path) -> None:
    done = execute([sys.executable, "-m", "tf1compat_gpu", "run"], tmp_path, input="print(1)")
    assert (done.status, done.out) == (0, "1\n")  # standard input is no terminal here: python runs it
