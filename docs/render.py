"""Render the generated pages of this folder; with `--check` list those that are out of date."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from cli_reference import render_commands, render_options
from failures import blocks
from python_reference import python_reference
from rpc_reference import render as render_methods
from rpc_reference import render_presets

from examples import examples

HOW_TRUE = Path(__file__).with_name("how-true.md")
PYTHON = Path(__file__).with_name("python.md")
FAILURES = Path(__file__).with_name("failures.md")
LIKE = Path(__file__).with_name("like.md")
TESTS = Path(__file__).parents[1] / "tests"
DIFFERENCES = TESTS / "rskj_differences.toml"
PEER_DIFFERENCES = TESTS / "peers" / "differences.toml"
HEAD = ("| | the node | devchain | why |", "| --- | --- | --- | --- |")


def methods() -> str:
    """The method reference with its examples."""
    return render_methods(examples())


def how_true() -> str:
    """The page of what was compared, with the table of what `--like rskj` does not copy."""
    return _with_table(HOW_TRUE.read_text(encoding="utf-8"), "differences", _table(DIFFERENCES))


def like() -> str:
    """The page of the presets, with their defaults and errors, and what they do not copy."""
    page = _with_table(LIKE.read_text(encoding="utf-8"), "presets", render_presets())
    return _with_table(page, "differences", _table(PEER_DIFFERENCES))


def _table(file: Path) -> str:
    """A table of differences; those without `node` are none of the nodes."""
    differences = tomllib.loads(file.read_text(encoding="utf-8"))["difference"]
    names = ("name", "node", "devchain", "reason")
    rows = [" | ".join(each[name] for name in names) for each in differences if each["node"]]
    return "\n".join([*HEAD, *(f"| {row} |" for row in rows)])


def python() -> str:
    """The page of the Python API, with the reference."""
    page = PYTHON.read_text(encoding="utf-8")
    return _with_table(page, "reference", python_reference().rstrip())


def failures() -> str:
    """The page on failures, with what devchain shows of some."""
    page = FAILURES.read_text(encoding="utf-8")
    for name, block in blocks():
        page = _with_table(page, name, block)
    return page


def _with_table(page: str, name: str, table: str) -> str:
    """The page with another table between the comments of that name."""
    head, start, rest = page.partition(f"<!-- {name}: made by `make docs` -->\n")
    _, end, tail = rest.partition(f"<!-- end of {name} -->")
    return f"{head}{start}\n{table}\n\n{end}{tail}"


PAGES = {
    "rpc.md": methods,
    "config.md": render_options,
    "cli.md": render_commands,
    "how-true.md": how_true,
    "like.md": like,
    "python.md": python,
    "failures.md": failures,
}


def main() -> int:
    """Write the pages that changed, or with `--check` fail if there are any."""
    folder = Path(__file__).parent
    stale = [name for name, render in PAGES.items() if _differs(folder / name, render())]
    if "--check" in sys.argv:
        if stale:
            sys.stderr.write(f"stale pages in docs/: {', '.join(stale)}; run make docs\n")
        return 1 if stale else 0
    for name in stale:
        (folder / name).write_text(PAGES[name](), encoding="utf-8")
    return 0


def _differs(page: Path, text: str) -> bool:
    return not page.exists() or page.read_text(encoding="utf-8") != text


if __name__ == "__main__":
    raise SystemExit(main())
