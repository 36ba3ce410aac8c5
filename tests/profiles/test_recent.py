"""A profile that is read again is the same object only while nothing that it was made of has changed."""

from __future__ import annotations

import os
import pathlib

import pytest

from tf1compat_gpu import load_profile


def old(path: pathlib.Path, text: str, age: int) -> None:
    """Write a file and make it `age` seconds old: a fresh one is never remembered."""
    path.write_text(text)
    now = os.stat(str(path)).st_mtime
    os.utime(str(path), (now - age, now - age))


def test_remembered_until_something_changes(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old(tmp_path / "base.yaml", "allow_growth: true\n", 100)
    old(tmp_path / "p.yaml", 'profile: {extends: [base.yaml, "extra.yaml?"]}\nintra_op_parallelism_threads: "${N:-1}"\n', 100)
    first = load_profile(tmp_path / "p.yaml")
    assert load_profile(tmp_path / "p.yaml") is first
    monkeypatch.setenv("N", "2")
    assert load_profile(tmp_path / "p.yaml")["intra_op_parallelism_threads"] == 2
    monkeypatch.delenv("N")
    old(tmp_path / "base.yaml", "allow_growth: false\n", 50)
    assert load_profile(tmp_path / "p.yaml")["allow_growth"] is False
    old(tmp_path / "extra.yaml", "log_device_placement: true\n", 50)
    assert load_profile(tmp_path / "p.yaml")["log_device_placement"] is True
    (tmp_path / "base.yaml").unlink()
    with pytest.raises(ValueError, match=r"base\.yaml"):
        load_profile(tmp_path / "p.yaml")


def test_a_relative_path_belongs_to_its_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        old(tmp_path / name / "p.yaml", "intra_op_parallelism_threads: %d\n" % len(name + name * (name == "b")), 100)
        monkeypatch.chdir(tmp_path / name)
        assert load_profile("p.yaml")["intra_op_parallelism_threads"] == (1 if name == "a" else 2)


def test_a_fresh_file_is_not_remembered(tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.yaml").write_text("intra_op_parallelism_threads: 1\n")
    load_profile(tmp_path / "p.yaml")
    (tmp_path / "p.yaml").write_text("intra_op_parallelism_threads: 2\n")
    assert load_profile(tmp_path / "p.yaml")["intra_op_parallelism_threads"] == 2
