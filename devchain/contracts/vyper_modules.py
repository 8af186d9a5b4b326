"""Source ids of the modules that Vyper contracts import, which vyper's output does not list.

Combined JSON lists no sources, standard JSON those that were selected for output. Vyper numbers
files in the order in which it reads them: the contracts in the order in which they are compiled,
after each one what it imports, in the order of its text, and after each import what that imports:

    Vault.vy    0    import owned            owned.vy    1    from lib import maths
                     import IPriceFeed       lib/maths.vy    2
                                             IPriceFeed.vyi  3
    Other.vy    4    import owned            (has its id already)

Interfaces have ids, vyper's own ones have none. Which file is meant by an import depends on the
search paths of the compilation, which are not recorded. So what was found is used only if it agrees
with the source map, which has lines and columns beside source ranges (`agrees_with`).
"""

from __future__ import annotations

import posixpath
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from devchain.contracts.source_map import map_entries

MAX_FILES = 1_000
SUFFIXES = (".vy", ".vyi", ".json")
"""What an import may name, the first that there is."""

BUILT_IN = ("ethereum/ercs/", "vyper/interfaces/")
"""Beginnings of the paths of vyper's own interfaces."""

TEXTS_AND_COMMENTS = re.compile(r'("{3}|\'{3}).*?\1|"(?:\\.|[^"\\\n])*"|#[^\n]*', re.DOTALL)
IMPORT = re.compile(
    r"^(?:from[ \t]+(?P<folder>[\w. \t]+?)[ \t]*\b)?import[ \t(]+(?:\n[ \t]*)?(?P<name>\w[\w.]*)",
    re.MULTILINE,
)
OWN_MODULES = frozenset({"math"})
"""Vyper's own modules, since 0.4.3: files of these names may be imported before."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file: its path in the compiler's input, its text, and what is the same for one file."""

    path: str
    text: str
    identity: str


Read = Callable[[str], Found | None]
"""The file at a path; None if there is none."""


def reader(texts: Mapping[str, str]) -> Read:
    """Finds the texts of a compiler's input, by path."""
    files = {posixpath.normpath(path): text for path, text in texts.items()}

    def read(path: str) -> Found | None:
        path = posixpath.normpath(path)
        return Found(path, files[path], path) if path in files else None

    return read


def disk_search_paths() -> list[str]:
    """Folders in which vyper looks for imports: that where it was run, and those of Python."""
    return [".", *(each for each in sys.path if posixpath.isabs(each))]


@dataclass(frozen=True, slots=True)
class Import:
    """An import of a text: how many folders up it starts (0: a search path), and a path."""

    level: int
    path: str


@dataclass(slots=True)
class Numbering:
    """The ids of files, as vyper numbers them when it compiles one contract after the other."""

    read: Read
    search_paths: Sequence[str]
    files: dict[int, Found] = field(default_factory=dict)
    _ids: dict[str, int] = field(default_factory=dict)
    _imports: dict[str, list[Import]] = field(default_factory=dict)

    def compile(self, path: str) -> dict[int, Found] | None:
        """Number a contract and what it imports; returns these, None if one was not found."""
        top = self.read(posixpath.normpath(path))
        if top is None:
            return None
        reached: dict[str, Found] = {}
        is_complete = self._load(top, top, reached)
        return {self._ids[key]: each for key, each in reached.items()} if is_complete else None

    def _load(self, file: Found, top: Found, reached: dict[str, Found]) -> bool:
        if file.identity in reached:
            return True
        if len(reached) >= MAX_FILES:
            return False
        reached[file.identity] = file
        if file.identity not in self._ids:
            number = self._ids[file.identity] = len(self._ids)
            self.files[number] = file
            known = [] if file.path.endswith(".json") else imports(file.text)
            self._imports[file.identity] = known
        is_complete = True
        for each in self._imports[file.identity]:
            if each.level == 0 and each.path.startswith(BUILT_IN):
                continue
            imported = self._find(each, file, top)
            if imported is not None:
                is_complete = self._load(imported, top, reached) and is_complete
            elif each.level or each.path not in OWN_MODULES:
                is_complete = False
        return is_complete

    def _find(self, imported: Import, file: Found, top: Found) -> Found | None:
        own, first = posixpath.dirname(file.path), posixpath.dirname(top.path)
        # Vyper 0.4.0 searches the folder of the file, later versions that of the contract.
        folders = [first, own, *self.search_paths]
        if imported.level:
            folders = [posixpath.join(own, *[".."] * (imported.level - 1))]
        paths = (
            posixpath.normpath(posixpath.join(folder, imported.path + suffix))
            for suffix in SUFFIXES
            for folder in folders
        )
        return next((found for path in paths if (found := self.read(path))), None)


def imports(text: str) -> list[Import]:
    """The imports of a module, in their order.

    `import a.b as c`, `from a import b`, `from ..a import b as c`.
    """
    return [_import(found["folder"] or "", found["name"]) for found in IMPORT.finditer(_code(text))]


def _code(text: str) -> str:
    return TEXTS_AND_COMMENTS.sub("", text).replace("\\\n", " ")


def _import(folder: str, name: str) -> Import:
    path = "".join(folder.split())
    level = len(path) - len(path.lstrip("."))
    parts = [path[level:], "".join(name.split())]
    return Import(level, posixpath.join(*(part.replace(".", "/") for part in parts)).rstrip("/"))


def agrees_with(source_map: Any, files: Mapping[int, Found]) -> bool:
    """Whether the lines in vyper's source map are those of its ranges in these files.

    False for a map without lines, as those of vyper before 0.4.
    """
    if not isinstance(source_map, dict) or not isinstance(source_map.get("pc_pos_map"), dict):
        return False
    entries = list(map_entries(str(source_map.get("pc_pos_map_compressed") or "")))
    starts = {number: _line_starts(each.text) for number, each in files.items()}
    is_known = False
    for offset, place in source_map["pc_pos_map"].items():
        if not (offset.isascii() and offset.isdigit() and int(offset) < len(entries)):
            return False
        start, size, source, _ = entries[int(offset)]
        if source < 0 or not (isinstance(place, list) and len(place) > 2):
            continue  # of vyper's own modules
        if source not in starts:
            return False
        text, end = files[source].text, start + size
        first, last = bisect_right(starts[source], start), bisect_right(starts[source], end)
        is_module = start == 0 and end == len(text)  # which ends with its last statement
        if first != place[0] or end > len(text) or not (is_module or last == place[2]):
            return False
        is_known = True
    return is_known


def _line_starts(text: str) -> list[int]:
    lines = text.split("\n")
    return list(accumulate((len(line) + 1 for line in lines), initial=0))[: len(lines)]
