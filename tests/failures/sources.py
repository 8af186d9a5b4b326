"""The contracts of `contracts/`, as the text that each version of a compiler gets.

One file serves every version of its language. In it a line `//? 0.6 0.8` (Vyper: `#? 0.4`) says
that the lines after it are for these versions only, up to the next such line, `//? all` at the end;
and words that begin with `$` stand for what a version writes instead (`WORDS`). Lines that a
version does not get are empty in its text, so that line numbers are those of the file.

Comments in the sources say what is expected, so that no line number is typed anywhere:

    require(amount < limit); // fails: require_bare
    inner(amount); // calls: nested_internal 2

`fails: NAME` marks the line of the failure `NAME`, `calls: NAME 1` the line on which the outermost
frame calls the next one, 2 that of the frame below. Several are separated by commas.
`nowhere: NAME` says that the failing code is the compiler's own and no line has it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

CONTRACTS = Path(__file__).parent / "contracts"

WORDS = {
    "Solidity": {
        "0.4": {
            "virtual": "",
            "override": "",
            "calldata": "",
            "payable": "address",
            "fallback": "function",
            "receive": "function",
            "gas": "gas",
        },
        "0.6": {
            "virtual": "virtual",
            "override": "override",
            "calldata": "calldata",
            "payable": "payable",
            "fallback": "fallback",
            "receive": "receive",
            "gas": "gas()",
        },
    },
    "Vyper": {
        "0.3": {
            "extcall": "",
            "staticcall": "",
            "lock": '("lock")',
            "i": "i",
            "half": "first / 2",
        },
        "0.4": {
            "extcall": "extcall",
            "staticcall": "staticcall",
            "lock": "",
            "i": "i: uint256",
            "half": "first // 2",
        },
    },
}
"""What a version writes for a word that begins with `$`, without the space after it if nothing."""

WORDS["Solidity"]["0.8"] = WORDS["Solidity"]["0.6"]

ONLY = re.compile(r"\s*(?://|#)\? (.+)")
WORD = re.compile(r"\$(\w+)( ?)")
COMMENT = re.compile(r"(?://|#) .*")
MARK = re.compile(r"\b(fails|calls|nowhere): (\w+(?: \d+)?(?:, \w+(?: \d+)?)*)")


def version_text(text: str, language: str, version: str) -> str:
    """The text that a version of the language gets, `version` being that of `WORDS`."""
    words = WORDS[language][version]

    def written(word: re.Match[str]) -> str:
        return words[word[1]] + word[2] if words[word[1]] else ""

    lines, included = [], True
    for line in text.splitlines():
        if only := ONLY.fullmatch(line):
            included = only[1] == "all" or version in only[1].split()
            lines.append("")
        else:
            lines.append(WORD.sub(written, line).rstrip() if included else "")
    return "\n".join(lines) + "\n"


def version_sources(language: str, version: str, contracts: Path = CONTRACTS) -> dict[str, str]:
    """The texts of all files of a folder for a version of a language, by file name."""
    suffix = ".sol" if language == "Solidity" else ".vy"
    texts = {
        path.name: version_text(path.read_text(encoding="utf-8"), language, version)
        for path in sorted(contracts.glob(f"*{suffix}"))
    }
    return {path: text for path, text in texts.items() if text.strip()}


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """A line of a source, counted from 1."""

    path: str
    number: int

    def __str__(self) -> str:
        return f"{self.path}:{self.number}"


@dataclass(slots=True)
class Expected:
    """The line on which a case fails, and the lines of the calls above, outermost first."""

    failure: Line | None = None
    calls: dict[int, Line] = field(default_factory=dict)

    @property
    def lines(self) -> list[Line]:
        """The lines of the frames that are marked, outermost first."""
        above = [line for _, line in sorted(self.calls.items())]
        return [*above, *([self.failure] if self.failure else [])]


def marked_lines(sources: dict[str, str]) -> dict[str, Expected]:
    """What the comments in the sources expect, by the name of the case."""
    expected: dict[str, Expected] = {}
    for path, text in sources.items():
        for number, line in enumerate(text.splitlines(), start=1):
            comment = COMMENT.search(line)
            for kind, names in MARK.findall(comment[0]) if comment else ():
                for each in names.split(", "):
                    name, _, depth = each.partition(" ")
                    case = expected.setdefault(name, Expected())
                    where = Line(path, number)
                    if kind == "nowhere":
                        case.failure = None
                    elif kind == "calls":
                        if int(depth) in case.calls:
                            raise ValueError(f"{where}: call {each} is marked twice")
                        case.calls[int(depth)] = where
                    elif case.failure:
                        raise ValueError(f"{where}: failure {each} is marked twice")
                    else:
                        case.failure = where
    return expected
