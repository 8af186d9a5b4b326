"""Folders of artifacts may be hostile: what reads them takes bounded work, and only their files.

A case is a folder: JSON of a tool in which some parts are replaced, beside sources, links, pipes,
files of any size. Its artifacts are loaded as `--artifacts` does, with and without sources, and all
that uses them is asked: code maps, outlines, storage layouts, changed sources, the pages of a
contract. Each may raise errors of devchain alone. All but the pages, which take long to measure,
may make `MAX_CALLS` of functions and take `MAX_MEMORY`. A file outside the folder is never shown.

`python -m tests.fuzzing artifacts` checks the cases in `artifact_corpus`, then those that
Hypothesis draws.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devchain.chain.slices import finish
from devchain.config import Config
from devchain.contracts.artifact_files import files_state, load_artifacts
from devchain.contracts.artifact_formats import build_info
from devchain.contracts.artifacts import Artifact
from devchain.contracts.changed_sources import changed_sources
from devchain.contracts.code_map import CodeMap
from devchain.contracts.sources import texts_of
from devchain.contracts.storage_names import StorageNames
from devchain.contracts.stubs import generate
from devchain.errors import DevchainError
from devchain.files import MAX_FILE_SIZE
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.server.explorer import contract_pages
from devchain.server.explorer.page import Page, Query, render
from devchain.server.explorer.reader import Reader
from devchain.types import Address
from tests.fuzzing.work import bounded

CORPUS = Path(__file__).parent / "artifact_corpus"
PROJECTS = Path(__file__).parent / "projects"

MAX_CALLS = 30
"""Of functions, for each byte of the files."""
FREE_CALLS = 500_000

MAX_MEMORY = 100
"""Bytes of objects, for each byte of the files."""
FREE_MEMORY = 10_000_000

SECRET = "SECRET"
ADDRESS = Address(bytes.fromhex("12" * 20))
BASES = ("hardhat2", "foundry", "truffle", "vyper")
"""Projects whose files are changed."""

Value = Any
"""JSON; `{"repeat": [text, times]}` is a long text, `{"nest": [value, times]}` nested lists."""


@dataclass(frozen=True)
class Case:
    """A folder of a project, with changes of its JSON and other files beside.

    A change is the number of a part of the project's JSON files, by its key and then its place, and
    its new value.
    Other files have a path and a kind: `text`, with its content, `link`, with its target, `pipe`,
    `folder`, or `size`, with as many zeros.
    """

    base: str
    changes: list[tuple[int, Value]] = field(default_factory=list)
    files: list[tuple[str, str, Value]] = field(default_factory=list)

    def as_json(self) -> str:
        """The case as a file of the corpus."""
        return json.dumps(asdict(self))


def expanded(value: Value) -> Any:
    """The JSON that a value of a change stands for."""
    match value:
        case {"repeat": [text, times]}:
            return text * times
        case {"nest": [inner, times]}:
            for _ in range(times):
                inner = [inner]
            return inner
    return value


@cache
def base_files(base: str) -> dict[str, str]:
    """The texts of a project, by path."""
    folder = PROJECTS / base
    return {
        str(file.relative_to(folder)): file.read_text("utf-8")
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def parts(value: Any, depth: int = 8) -> Iterator[tuple[Any, Any]]:
    """Every member of JSON: the object or list that has it, and its key."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in list(members):
        yield value, key
        if depth and isinstance(member, dict | list):
            yield from parts(member, depth - 1)


def write(case: Case, folder: Path) -> int:
    """Make the folder of a case; returns the size of its files, but of those that are too large."""
    texts = dict(base_files(case.base))
    parsed = {path: json.loads(text) for path, text in texts.items() if path.endswith(".json")}
    places: dict[str, list[tuple[Any, Any]]] = {}
    for content in parsed.values():
        for holder, key in parts(content):
            places.setdefault(str(key), []).append((holder, key))
    for number, value in case.changes:
        found = [*places.values()][number % len(places)]
        holder, key = found[number // len(places) % len(found)]
        holder[key] = expanded(value)
    texts |= {path: json.dumps(content) for path, content in parsed.items()}
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    for path, kind, value in case.files:
        with suppress(OSError, ValueError):  # as where a file is in place of a folder
            write_other(folder / path, kind, value)
    sizes = {"text": len, "size": lambda size: size if size <= MAX_FILE_SIZE else 0}
    return sum(map(len, texts.values())) + sum(
        sizes[kind](expanded(value)) for _, kind, value in case.files if kind in sizes
    )


def write_other(path: Path, kind: str, value: Value) -> None:
    """Make one file of a case in place of what is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind != "folder":
        path.unlink(missing_ok=True)
    match kind:
        case "text":
            path.write_text(expanded(value), "utf-8", "surrogatepass")
        case "link":
            path.symlink_to(value)
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir(parents=True)
        case "size":
            with path.open("wb") as file:
                file.truncate(value)


def check(case: Case) -> None:
    """Read the folder of a case in every way; raises `AssertionError`."""
    with TemporaryDirectory() as temporary:
        outside = Path(temporary)
        (outside / "secret.sol").write_text(SECRET)
        folder = outside / "project"
        folder.mkdir()
        size = write(case, folder)
        for detailed in (False, True):
            load = partial(loaded, folder, detailed=detailed)
            for artifact in measured(size, load):
                assert SECRET not in measured(size, partial(used, artifact))
        assert SECRET not in pages(folder)


def measured(size: int, work: Callable[[], Any]) -> Any:
    """The result of some work on files of that size; raises `AssertionError` if it is too much."""
    return bounded(
        work, calls=FREE_CALLS + MAX_CALLS * size, memory=FREE_MEMORY + MAX_MEMORY * size
    )


def loaded(folder: Path, *, detailed: bool) -> list[Artifact]:
    """The artifacts of the folder, one for each kind of contract."""
    with suppress(DevchainError):
        files_state(folder)
        found = load_artifacts(folder, detailed=detailed)
        return list({artifact.path: artifact for artifact in found}.values())[:2]
    return []


def used(artifact: Artifact) -> str:
    """What is shown of an artifact."""
    shown = [repr(artifact), repr(texts_of(artifact)), repr(build_info(artifact))]
    for creating in (False, True):
        code_map = CodeMap(artifact, creating=creating)
        shown += [repr(code_map.lines.keys()), repr(code_map.stale), repr(code_map.whole)]
        shown += [repr(code_map.called(bytes(selector))) for selector in artifact.abi.functions]
    names = StorageNames([artifact.storage_layout], {2**255: bytes(64)})
    slots = names.starts[:20]
    shown += [repr(names.typed(slot, 5, lambda slot: 2 * slot + 1)) for slot in (*slots, 2**255)]
    shown += [repr([names.elements(slot, 10**9) for slot in slots])]
    with suppress(DevchainError):
        shown.append(repr(changed_sources([artifact])))
    return "".join(shown)


def pages(folder: Path) -> str:
    """The pages of contracts with the code of the folder's artifacts."""
    with Node(Config(fixed_clock=1_700_000_000, accounts=1)) as node:
        with suppress(DevchainError):
            node.artifacts.load(folder)
            generate(node.artifacts)
        texts = []
        for artifact in list(node.artifacts)[:1]:
            node.set_code(ADDRESS, artifact.runtime.template)
            for view in (contract_pages.source, contract_pages.call, contract_pages.storage):
                with suppress(DevchainError):
                    texts.append(page(node, view))
        return "".join(texts)


def page(node: Node, view: Callable[..., Any]) -> str:
    """A page of the explorer as HTML."""
    names = ("base", "path", "here", "again", "json", "token", "network", "done")
    shared = dict.fromkeys(names, "")

    def make(node: Node) -> Any:
        made = view(Reader(node, Query({})), f"0x{ADDRESS.hex()}")
        found = made if isinstance(made, Page) else (yield from made)
        values = {**shared, "networks": [], "can_write": True, "asset": str, "height": 0, "now": 0}
        values |= {"is_fork": False, "is_rootstock": True, "live_hash": ""}
        return (yield from render(found, values))

    text: str = finish(Dispatcher(node).run(make))
    return text


# Strategies

_texts = st.one_of(
    st.sampled_from(
        [
            *("", "0x", "0x60", "__$" + "a" * 34 + "$__", "a.sol", "../secret.sol", "/dev/zero"),
            *("src/Jar.sol", "contracts/Jar.sol", "uint256[][][]", "tuple", "t_uint256", "\0"),
            *("0:1:0:i;;1:2:3:o", "-1:-1:-1", "99999999999:1:0", ";", ":", "\u202e", "\ud800"),
            *("uint256[99999999999999]", "DynArray[uint256, 99999999999]", "HashMap[a, b]", "1e9"),
        ]
    ),
    st.text(max_size=20),
)
_repeated = st.builds(
    lambda text, times: {"repeat": [text, times]},
    st.sampled_from(
        ["// ", "/* ", '"\\', "'", "{", "(", "\n", "a ", ";", "[]", "0x", "60", "1:", "é"]
    ),
    st.sampled_from([1, 100, 3_000, 30_000]),
)
_nested = st.builds(
    lambda value, times: {"nest": [value, times]},
    st.sampled_from([0, "a", {"type": "tuple", "components": []}]),
    st.sampled_from([1, 10, 300, 900]),
)
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([-1, 0, 1, 2**31, 2**63, 1e300, 10**15, 31, 32, 33]),
    _texts,
    _texts,
    _repeated,
    _nested,
)
values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    *("type", "components", "name", "id", "ast", "src", "0", "1", "slot", "label"),
                    *("types", "storage", "abi", "output", "contracts", "evm", "object", "content"),
                    *("members", "start", "length", "base", "key", "value", "encoding", "n_slots"),
                ]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)
"""JSON for a part of an artifact."""

_paths = st.sampled_from(
    [
        *(
            "src/Jar.sol",
            "src/Lid.sol",
            "contracts/Jar.sol",
            "Box.vy",
            "foundry.toml",
            "secret.sol",
        ),
        *("hardhat.config.js", "out/Jar.sol/Jar.json", "artifacts/build-info/x.json", "x.json"),
        *("cache/solidity-files-cache.json", "build/contracts/Jar.json", "out/build-info/x.json"),
    ]
)
_files = st.one_of(
    st.tuples(_paths, st.just("text"), st.one_of(_texts, _repeated)),
    st.tuples(
        _paths,
        st.just("link"),
        st.sampled_from(
            ["/dev/zero", "../secret.sol", "../../secret.sol", "Jar.sol", ".", "..", "x"]
        ),
    ),
    st.tuples(_paths, st.sampled_from(["pipe", "folder"]), st.none()),
    st.tuples(_paths, st.just("size"), st.sampled_from([0, 5_000_000, 2**40])),
)
cases = st.builds(
    Case,
    st.sampled_from(BASES),
    st.lists(st.tuples(st.integers(0, 5_000), values), min_size=1, max_size=4),
    st.lists(_files, max_size=4),
)
"""Folders of any kind."""


def corpus() -> dict[str, Case]:
    """The cases that are kept, by name."""
    found = {}
    for path in sorted(CORPUS.glob("*.json")):
        kept = json.loads(path.read_text("utf-8"))
        changes = [(number, value) for number, value in kept["changes"]]
        files = [(name, kind, value) for name, kind, value in kept["files"]]
        found[path.stem] = Case(kept["base"], changes, files)
    return found


def replay() -> None:
    """Check the cases that are kept."""
    for kept in corpus().values():
        check(kept)


@settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(cases)
def search(found: Case) -> None:
    """Check some cases that Hypothesis draws."""
    check(found)
