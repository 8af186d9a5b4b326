"""Reading, replaying and writing golden exchanges."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from tests.conftest import GENESIS_TIME

FOLDER = Path(__file__).parent
REQUEST, ANSWER, OPTIONS = ">> ", "<<", "// with "
Ask = Callable[[bytes], bytes | None]
REFERENCE = re.compile(r"\{\{(\d+)((?:\.\w+)*)\}\}")


@dataclass(frozen=True)
class Golden:
    """A file of exchanges."""

    path: Path
    lines: list[str]

    @classmethod
    def read(cls, path: Path) -> Golden:
        """Read a file."""
        return cls(path, path.read_text(encoding="utf-8").splitlines())

    @property
    def name(self) -> str:
        """Folder and file name: method and case."""
        return str(self.path.relative_to(FOLDER).with_suffix(""))

    @property
    def fact(self) -> str:
        """The first line: the fact that the file shows."""
        return self.lines[0].removeprefix("//").strip()

    @property
    def config(self) -> Config:
        """The configuration of the node."""
        texts = [line.removeprefix(OPTIONS) for line in self.lines if line.startswith(OPTIONS)]
        options = json.loads(texts[0]) if texts else {}
        lists = {name: tuple(each) for name, each in options.items() if isinstance(each, list)}
        plain = Config(network="test", fixed_clock=GENESIS_TIME, client_version="devchain/golden")
        return replace(plain, **(options | lists))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every request with its response."""
        kept = [line for line in self.lines if not line.startswith("//")]
        return [
            (sent.removeprefix(REQUEST), got.removeprefix(ANSWER).strip())
            for sent, got in zip(kept[::2], kept[1::2], strict=True)
        ]

    def played(self, client: Callable[[Node], Ask] | None = None) -> Golden:
        """The file with the responses of a fresh node, which `client` makes a way to ask."""
        lines: list[str] = []
        answers: list[str] = []
        with Node(self.config) as node:
            ask = client(node) if client else Dispatcher(node).serve_now
            for line in self.lines:
                if line.startswith(ANSWER):
                    continue
                lines.append(line)
                if line.startswith(REQUEST):
                    body = _filled(line.removeprefix(REQUEST), answers)
                    answers.append((ask(body.encode()) or b"").decode())
                    lines.append(f"{ANSWER} {answers[-1]}".rstrip())
        return Golden(self.path, lines)

    def write(self) -> None:
        """Write the file."""
        self.path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")


def goldens() -> list[Golden]:
    """All files of exchanges, sorted by name."""
    return [Golden.read(path) for path in sorted(FOLDER.glob("*/*.io"))]


def _filled(request: str, answers: list[str]) -> str:
    """The request with its references replaced by values of previous results."""

    def resolve(match: re.Match[str]) -> str:
        value: Any = json.loads(answers[int(match[1]) - 1])["result"]
        for name in match[2].split(".")[1:]:
            value = value[int(name)] if isinstance(value, list) else value[name]
        return str(value)

    return REFERENCE.sub(resolve, request)
