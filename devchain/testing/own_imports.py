"""Imports of devchain's modules past pytest, which rewrites the assertions of plugins.

pytest rewrites all modules of a distribution that has a plugin. Without its cache that takes a
third of the time of a small test run, and these modules have no assertions.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


class OwnImports:
    """A finder of devchain's modules, before that of pytest."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path, target) if name.startswith("devchain.") else None


if OwnImports not in sys.meta_path:
    sys.meta_path.insert(0, OwnImports)
