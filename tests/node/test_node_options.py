"""`devchain.node.node_options`, and what type checkers say of wrong options"""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from devchain import Node
from devchain.config import Config
from devchain.node.node_options import NodeOptions, Text, Texts

RIGHT = """\
from pathlib import Path
from devchain import Node

node = Node(network="test", accounts=3, artifacts="out", fork_cache=Path("cache"), block_time=0.5)
node = Node(artifacts=["one", Path("two")])
node.deploy("Vault", 5, sender=node.funded_accounts[0], value=5, gas=10**6, gas_price=1, nonce=0)
node.transact(to=node.funded_accounts[1], value=1)
"""
WRONG = [
    'Node(netwrok="test")',
    'Node(accounts="three")',
    "node.transact(valeu=1)",
    'node.transact(value="1")',
    'node.deploy("Vault", sendr=node.funded_accounts[0])',
    'node.deploy("Vault", gas=1.5)',
]
CHECKERS = {
    "mypy": [sys.executable, "-m", "mypy", "--strict", "--no-error-summary"],
    "pyright": [shutil.which("pyright") or "", "--pythonpath", sys.executable],
}


def test_fields() -> None:
    """The options are the fields of the configuration."""
    fields = [field.name for field in dataclasses.fields(Config) if field.init]
    hints = {field.name: str(field.type) for field in dataclasses.fields(Config) if field.init}
    wanted = {
        name: re.sub(r"\bstr\b", "Text", hint.replace("tuple[str, ...]", "Texts"))
        for name, hint in hints.items()
    }

    assert list(NodeOptions.__annotations__) == fields
    assert {
        name: hint.__forward_arg__ for name, hint in NodeOptions.__annotations__.items()
    } == wanted
    assert str in Text.__args__
    assert str in Texts.__args__


@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers(checker: str, tmp_path: Path) -> None:
    """A type checker finds every wrong option, and nothing wrong in the right ones."""
    program = CHECKERS[checker]
    if not program[0]:
        pytest.skip("needs pyright: npm install --global pyright")
    file = tmp_path / "use.py"
    file.write_text("\n".join([RIGHT, *WRONG]))

    checked = subprocess.run(
        [*program, str(file)],
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )

    lines = sorted({int(number) for number in re.findall(r"use\.py:(\d+)", checked.stdout)})
    first = RIGHT.count("\n") + 2
    assert lines == [*range(first, first + len(WRONG))], checked.stdout


def test_names() -> None:
    """`dir` of a node has the names that are for programs, each with its documentation."""
    with Node() as node:
        names = [name for name in dir(node) if not name.startswith("_")]

        assert 40 < len(names) < 55
        assert {"deploy", "transact", "mine", "chain"} <= set(names)
        assert not {"tick", "fill", "beginning", "OTHER_NAMES"} & set(names)
        assert all(getattr(Node, name).__doc__ for name in names if name not in {"chain", "config"})
