"""Print the lowest versions that `pyproject.toml` allows, as constraints of pip.

    python -m tests.lowest > constraints.txt

They are those of the packages that users install, and of pytest. `make test-lowest` uses it.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOWER = re.compile(r"([\w-]+)(?:>=|==)([\w.]+)[^;]*(;.*)?")
EXTRAS = ("fuzz", "tui", "web3")


def constraints() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    texts = [*project["dependencies"], *(text for name in EXTRAS for text in extras[name])]
    texts += [text for text in extras["dev"] if text.startswith("pytest>")]
    bounds = [LOWER.fullmatch(text) for text in texts]
    assert all(bounds), texts
    return [f"{bound[1]}=={bound[2]}{bound[3] or ''}" for bound in bounds if bound]


if __name__ == "__main__":
    print(*constraints(), sep="\n")  # noqa: T201  # what the program is for
