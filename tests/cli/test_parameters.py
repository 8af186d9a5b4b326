"""`devchain.cli.parameters`"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer

from devchain.cli.help import Command, new_app

Bounded = Annotated[int, typer.Option(min=1, max=9)]


def read(*words: str) -> dict[str, Any]:
    """What a command with parameters of many types gets."""
    got: dict[str, Any] = {}
    app = new_app("")

    @app.command(cls=Command)
    def command(
        number: int = 5,
        ratio: float | None = None,
        text: str | None = None,
        bounded: Bounded = 2,
        names: Annotated[list[str] | None, typer.Option("--name")] = None,
        file: Path | None = None,
        flag: bool | None = None,
        rest: Annotated[list[str] | None, typer.Argument()] = None,
    ) -> None:
        got.update(locals())

    app(list(words), standalone_mode=False)
    return {name: value for name, value in got.items() if name != "got"}


class TestConvertPlainly:
    def test_absent(self) -> None:
        """What is not given has its default."""
        assert read() == {
            "number": 5,
            "ratio": None,
            "text": None,
            "bounded": 2,
            "names": None,
            "file": None,
            "flag": None,
            "rest": None,
        }

    @pytest.mark.parametrize(
        ("words", "name", "value"),
        [
            (["--number", "-12"], "number", -12),
            (["--number", "007"], "number", 7),
            (["--number", " 4 "], "number", 4),
            (["--ratio", "0.5"], "ratio", 0.5),
            (["--ratio", "2"], "ratio", 2.0),
            (["--ratio", "1e3"], "ratio", 1000.0),
            (["--text", "12"], "text", "12"),
            (["--text", ""], "text", ""),
            (["--bounded", "9"], "bounded", 9),
            (["--name", "a", "--name", "b"], "names", ["a", "b"]),
            (["--file", "a/b"], "file", Path("a/b")),
            (["--flag"], "flag", True),
            (["--no-flag"], "flag", False),
            (["x", "y"], "rest", ["x", "y"]),
        ],
    )
    def test_given(self, words: list[str], name: str, value: object) -> None:
        """Values have the type of their parameter, plain or not."""
        got = read(*words)[name]

        assert (type(got), got) == (type(value), value)

    @pytest.mark.parametrize(
        "words",
        [["--number", "x"], ["--number", "1.5"], ["--ratio", "x"], ["--bounded", "10"]],
    )
    def test_refused(self, words: list[str]) -> None:
        """Typer refuses other values."""
        with pytest.raises(Exception, match="Input should be") as caught:
            read(*words)

        assert type(caught.value).__name__ == "BadParameter"

    def test_imports(self) -> None:
        """A command with plain values does not load pydantic."""
        program = (
            "import sys; from devchain.cli.main import main;"
            "code = main(['start', '--port', '70000', '--balance', '5', '--network', 'dev']);"
            "print(code, 'pydantic' in sys.modules)"
        )
        command = [sys.executable, "-c", program]
        result = subprocess.run(command, capture_output=True, text=True, check=True)

        assert result.stdout == "1 False\n"
        assert "port" in result.stderr
