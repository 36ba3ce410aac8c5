"""The profiles that rewritten code names: which file each config's is, and what has to be written."""

from __future__ import annotations

import os
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from tf1compat_gpu.migrate.extract import Extracted, extract, numbered
from tf1compat_gpu.migrate.finding import Report
from tf1compat_gpu.migrate.notebooks import Place
from tf1compat_gpu.migrate.profile_files import contents, unsealed


class ProfileFile(NamedTuple):
    """A profile's file.

    Attributes:
        path: Where it is, or will be.
        text: What to write there; None for a file that is there already and is used as it is.
        base: The path of the profile that it extends, or None.
    """

    path: str
    text: Optional[str]
    base: Optional[str]


class ProfileFiles(NamedTuple):
    """The profiles of a code base.

    Attributes:
        by_path: Each file, by its path.
        places: Source file -> cell (0 in a file that is no notebook), line and column of a config in it -> the path of its profile.
    """

    by_path: Dict[str, ProfileFile]
    places: Dict[str, Dict[Place, str]]

    def beside(self, source: str) -> Dict[Place, str]:
        """The profiles of a source's configs, as paths from its folder."""
        folder = os.path.dirname(os.path.abspath(source))
        found = self.places.get(source, {})
        return {place: os.path.relpath(os.path.abspath(path), folder).replace(os.sep, "/") for place, path in found.items()}

    def needed(self, used: Iterable[str]) -> List[ProfileFile]:
        """The files to write so that the used ones, and those that they extend, are there."""
        found: Dict[str, ProfileFile] = {}
        todo = list(used)
        while todo:
            file = self.by_path[todo.pop()]
            if file.path not in found:
                found[file.path] = file
                todo += [file.base] if file.base is not None else []
        return [found[path] for path in sorted(found) if found[path].text is not None]


def profile_files(reports: Sequence[Report], folder: str) -> ProfileFiles:
    """The profiles of a scan's configs below a folder. What is there is never written over.

    A file that is there serves where it stands for the same config (a person may have edited it since); another config
    gets another name.
    """
    extracted, _ = extract(reports, ranked=False)
    names: Dict[str, str] = {}
    there: Dict[str, bool] = {}
    for each in extracted:
        names[each.name], there[each.name] = _name(each, folder, set(names.values()))
    by_path: Dict[str, ProfileFile] = {}
    places: Dict[str, Dict[Place, str]] = {}
    for each in extracted:
        base = None if each.base is None else each.base._replace(name=names[each.base.name])
        path = os.path.join(folder, names[each.name])
        text = None if there[each.name] else unsealed(each._replace(base=base).text())
        by_path[path] = ProfileFile(path, text, None if base is None else os.path.join(folder, base.name))
        for place in each.places:
            places.setdefault(place.span.source.name, {})[(place.span.source.cell, place.span.line, place.span.column)] = path
    return ProfileFiles(by_path, places)


def _name(each: Extracted, folder: str, taken: Iterable[str]) -> Tuple[str, bool]:
    """A name for a profile's file, and whether that file is there already and stands for the same config."""
    stem = each.name[: -len(".yaml")]
    number = 1
    while True:
        name = numbered(stem, number)
        text = contents(os.path.join(folder, name))
        if name not in taken:
            if text is None:
                return name, False
            if any("#   %s" % str(place.span) in text.splitlines() for place in each.places) and not _named_already(each, name):
                return name, True
        number += 1


def _named_already(each: Extracted, name: str) -> bool:
    """Whether the code of a config names that file for another one: it was rewritten before."""
    return any('/%s"' % name in place.span.source.text for place in each.places)
