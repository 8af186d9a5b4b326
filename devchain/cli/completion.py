"""Names the shell completes, found without loading the chain."""

from __future__ import annotations

import re
from pathlib import Path

MARKED = re.compile(r"^@rpc\(([^)]*)\)", re.MULTILINE)
NAME = re.compile(r'"([\w.]+)"')


def complete_method(incomplete: str) -> list[str]:
    """Names of methods that begin so, read from the sources: importing them takes a second."""
    import devchain.rpc

    folder = Path(devchain.rpc.__path__[0], "methods")
    texts = (each.read_text(encoding="utf-8") for each in folder.rglob("*.py"))
    marks = (mark for text in texts for mark in MARKED.findall(text))
    names = {name for mark in marks for name in NAME.findall(mark)}
    return sorted(name for name in names if name.startswith(incomplete))
