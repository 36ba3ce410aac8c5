"""`tf1compat rewrite`: takes sources up a rung."""

from __future__ import annotations

import difflib
import os
import sys
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.cli.scan import require_paths, require_python
from tf1compat_gpu.diagnostics import render

if TYPE_CHECKING:
    from tf1compat_gpu.migrate.profiles import ProfileFiles
    from tf1compat_gpu.migrate.rewrite import Rewritten


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--to",
    type=click.Choice(["import", "session", "tf2"]),
    default="import",
    show_default=True,
    help="The rung: TensorFlow 1's names by one import line; configs as profiles; or TensorFlow 2 without a session.",
)
@click.option("--profiles", "folder", default="configs", show_default=True, metavar="FOLDER", help="Where the profiles of --to session and tf2 are, or go.")
@click.option("--check", is_flag=True, help="Write nothing; status 1 if a file would change.")
@click.option("--diff", "show_diff", is_flag=True, help="Write nothing; show what would change.")
@options.exclude
@click.option("--allow-dirty", is_flag=True, help="Rewrite files with changes that are not committed too.")
def command(paths: Tuple[str, ...], to: str, folder: str, check: bool, show_diff: bool, exclude: Tuple[str, ...], allow_dirty: bool) -> Optional[int]:
    """Rewrite Python files for the next rung; no byte changes that it need not.

    `import`: they import TensorFlow 1's names from tf1compat_gpu.tf1. `session`: besides, each config that can be followed
    becomes a profile, and make_session or make_config takes its place. `tf2`: configure takes the place of
    set_session(Session(config=...)).

    Files with uncommitted changes are refused unless --allow-dirty. What can't be read, parsed or written is left alone, said,
    and makes the exit status 1.
    """
    require_python()
    from tf1compat_gpu.migrate import files
    from tf1compat_gpu.migrate.imported import Imported
    from tf1compat_gpu.migrate.profiles import ProfileFiles, profile_files
    from tf1compat_gpu.migrate.rewrite import dirty, rewrite_file
    from tf1compat_gpu.migrate.scan import scan

    require_paths(paths)
    listed = list(files.find(paths, exclude))
    profiles = ProfileFiles({}, {}) if to == "import" else profile_files(list(scan(listed)), folder)
    imported = Imported(listed)
    done: List[Rewritten] = [found for found in (rewrite_file(path, to, profiles.beside(path), imported) for path in listed) if found is not None]
    changed = [each for each in done if each.after is not None]
    failed = [(each.path, each.refused) for each in done if each.refused]
    if not (check or show_diff):
        held = set() if allow_dirty else set(dirty([each.path for each in changed]))
        failed += [(each.path, "it has changes that are not committed: commit them, or add --allow-dirty") for each in changed if each.path in held]
        failed += _write([each for each in changed if each.path not in held], profiles)
    else:
        for each in changed:
            print("would rewrite %s" % each.path, file=sys.stderr)
            if show_diff:
                click.echo(_diff(each.path, each.before, each.after or b""), nl=False)
    findings = [finding.diagnostic() for each in done for finding in each.findings]
    if findings:
        print(render(findings), file=sys.stderr)
    for path, reason in failed:
        print("%s: left alone: %s" % (path, reason), file=sys.stderr)
    return 1 if failed or (check and changed) else None


def _write(changed: Sequence[Rewritten], profiles: ProfileFiles) -> List[Tuple[str, str]]:
    """Write the profiles that the files name, then the files; returns those that could not be, with the reason."""
    from tf1compat_gpu.migrate.replacing import replace
    from tf1compat_gpu.migrate.rewrite import write

    failed: List[Tuple[str, str]] = []
    for each in changed:
        used = [os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(each.path)), *path.split("/"))) for path in each.profiles]
        by_place = {os.path.abspath(path): path for path in profiles.by_path}
        try:
            for file in profiles.needed(by_place[path] for path in used):
                if not os.path.exists(file.path):
                    os.makedirs(os.path.dirname(file.path) or ".", exist_ok=True)
                    replace(file.path, (file.text or "").encode("utf-8"))
                    print("wrote %s" % file.path, file=sys.stderr)
            problem = write(each)
        except OSError as error:
            problem = "its profile can't be written: %s" % error
        if problem:
            failed.append((each.path, problem))
        else:
            print("rewrote %s" % each.path, file=sys.stderr)
            _tell_package(each.path, used)
    return failed


def _tell_package(path: str, used: Sequence[str]) -> None:
    """What a package has to say of its profiles to be installed with them."""
    folder = os.path.dirname(os.path.abspath(path))
    root: Any = None
    while os.path.exists(os.path.join(folder, "__init__.py")):
        root, folder = folder, os.path.dirname(folder)
    for profile in used if root else ():
        inside = os.path.relpath(profile, root)
        if inside.startswith(os.pardir):
            print(
                "  %s lies outside the package: an installed %s won't have it; --profiles names a folder in it" % (profile, os.path.basename(root)),
                file=sys.stderr,
            )
        else:
            pattern = os.path.join(os.path.dirname(inside), "*.yaml").replace(os.sep, "/")
            print("  for an installed package, setup.cfg needs: [options.package_data] %s = %s" % (os.path.basename(root), pattern), file=sys.stderr)


def _diff(path: str, before: bytes, after: bytes) -> str:
    lines = [data.decode("utf-8", "replace").splitlines(True) for data in (before, after)]
    return "".join(difflib.unified_diff(lines[0], lines[1], "a/" + path, "b/" + path))
