"""`devchain.contracts.source_parser`: what is read from texts is what is in syntax trees."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.contracts import source_parser
from devchain.contracts.abi import Abi
from devchain.contracts.artifacts import Artifact, Source
from devchain.contracts.code_map import CodeMap
from devchain.contracts.outline import Function, Outline
from devchain.contracts.source_parser import outlines, pieces, scan, vyper_structs
from tests.contracts.syntax_trees import outline
from tests.failures.builds import BUILDS, Build

PIECES = st.sampled_from(
    [
        *("contract A {", "}", "function f(", ")", "{", "(", ";", "if (", "else", "for ("),
        *("while (", "do", "try", "catch", "assembly {", "unchecked {", "let x := f(1)"),
        *("switch", "case", "is", "modifier m", "constructor(", "uint256 x", "=", ",", "."),
        *("[", "]", "return", "_", '"', "'", "def f(", "):", "\n", "    ", "@external", "# c"),
        *("//", "/*", "*/", "elif x:", "é", "for"),
    ]
)

UNLIKE = ("function", "mapping")
"""Types of which no values are shown, written as in the source."""


def texts_and_trees(build: Build) -> tuple[dict[int, str], dict[int, Outline]]:
    """The sources of a build by id: texts, and outlines of their syntax trees."""
    written = build.read()
    sources = written["output"]["sources"]
    trees = {each["id"]: outline(each["ast"]) for each in sources.values()}
    given = written["input"]["sources"]
    texts = {each["id"]: given[path]["content"] for path, each in sources.items()}
    return texts, {number: tree for number, tree in trees.items() if tree}


def comparable(function: Function) -> Function:
    """A function without types, which trees write in another way."""
    return replace(
        function,
        parameters=tuple(replace(each, kind="") for each in function.parameters),
        returns=tuple(replace(each, kind="") for each in function.returns),
        variables=tuple(replace(each, kind="") for each in function.variables),
    )


@pytest.mark.parametrize("build", [each for each in BUILDS if not each.optimized], ids=str)
class TestSolidity:
    """Every source of the table of failures, with every compiler."""

    def test_same(self, build: Build) -> None:
        """Functions with local variables, modifiers, state variables and contracts, to the byte."""
        texts, trees = texts_and_trees(build)

        found = outlines(texts, is_vyper=False)

        for number, tree in trees.items():
            assert found[number].contracts == tree.contracts
            assert found[number].variables == tree.variables
            assert [comparable(each) for each in found[number].functions] == [
                comparable(each) for each in tree.functions
            ]

    def test_statements(self, build: Build) -> None:
        """Statements have the ranges of those of the tree."""
        texts, trees = texts_and_trees(build)

        found = outlines(texts, is_vyper=False)

        for number, tree in trees.items():
            encoded = texts[number].encode()
            known = {
                each
                for each in tree.statements
                if encoded[each.whole[0] : each.whole[1]].decode() != "if"  # of solc 0.6
            }
            extra = set(found[number].statements) - known
            assert known <= set(found[number].statements)
            assert build.name != "solc-0.8" or not extra

    def test_types(self, build: Build) -> None:
        """Parameters and variables have the types of the tree, by which their values are shown."""
        texts, trees = texts_and_trees(build)

        found = outlines(texts, is_vyper=False)

        for number, tree in trees.items():
            for one, two in zip(found[number].functions, tree.functions, strict=True):
                written = [*two.parameters, *two.returns, *two.variables]
                kinds = [each.kind.removesuffix(" pointer") for each in written]
                read = [*one.parameters, *one.returns, *one.variables]
                assert [each.kind for each in read if not each.kind.startswith(UNLIKE)] == [
                    kind for kind in kinds if not kind.startswith(UNLIKE)
                ]


@pytest.mark.parametrize("name", ["vyper-0.3", "vyper-0.4"])
def test_vyper(name: str) -> None:
    """Functions and statements of Vyper begin, and as a rule end, where those of the tree do."""
    [build] = [each for each in BUILDS if each.name == name]
    texts, trees = texts_and_trees(build)

    found = outlines(texts, is_vyper=True)

    for number, tree in trees.items():
        assert found[number].variables == tree.variables
        ours, theirs = found[number].functions, tree.functions
        assert [(each.name, each.span[0], each.is_internal) for each in ours] == [
            (each.name, each.span[0], each.is_internal) for each in theirs
        ]
        assert [each.parameters for each in ours] == [each.parameters for each in theirs]
        for one, two in zip(ours, theirs, strict=True):
            declared = [replace(each, until=0) for each in one.variables]
            assert declared == [replace(each, until=0) for each in two.variables]
            assert one.span != two.span or one.variables == two.variables
        in_functions = [
            each
            for each in tree.statements
            if any(start <= each.whole[0] < end for start, end in (f.span for f in theirs))
        ]
        for one, two in zip(found[number].statements, in_functions, strict=True):
            text = texts[number][one.whole[0] : one.whole[1]]
            is_short = name == "vyper-0.4" and ("extcall" in text or "staticcall" in text)
            assert one == two or (is_short and one.whole[0] == two.whole[0])


DECLARATIONS = """\
interface IToken { function f(uint a) external; }
enum State { Off, On }
library Fees {
    struct Rate { uint256 value; }
    type Price is uint128;
}
contract Vault is IToken, Base(1 + f({a: 1}[0])), a.Other layout at 0x10 {
    struct Info { address who; }
    function (uint) external returns (uint) public handler;
    mapping(address => uint[]) public immutable rates = make(";{", '"');
    uint constant TEN = 10;
    function name(IToken t, State s, Info storage i, Fees.Rate memory r, Fees.Price p,
        uint[] calldata x, address payable to, function (uint) external f, bytes memory,
        Unknown u) public {}
    function f(uint a) external override(IToken, Base) only(1, 2) a.b returns (uint b) {}
    receive() external payable {}
    fallback(bytes calldata data) external returns (bytes memory) { return data; }
}
"""


class TestDeclarations:
    found = outlines({0: DECLARATIONS}, is_vyper=False)[0]

    def test_contract(self) -> None:
        """Contracts have the names of those they inherit."""
        assert [(each.name, each.bases) for each in self.found.contracts] == [
            ("IToken", ()),
            ("Fees", ()),
            ("Vault", ("IToken", "Base", "Other")),
        ]

    def test_variables(self) -> None:
        """Variables of function and mapping types have their names, and initial values a range."""
        assert [each.name for each in self.found.variables] == ["handler", "rates", "TEN"]
        starts = [DECLARATIONS[each.whole[0] :] for each in self.found.statements]
        assert sum(each.startswith('make(";{"') for each in starts) == 1

    def test_functions(self) -> None:
        """Functions without a body are left out; modifiers have their arguments."""
        functions = {each.name: each for each in self.found.functions}
        assert list(functions) == ["Vault.name", "Vault.f", "Vault.receive", "Vault.fallback"]
        used = [(name, DECLARATIONS[slice(*span)]) for name, span in functions["Vault.f"].modifiers]
        assert used == [("only", "only(1, 2)"), ("a.b", "a.b")]

    def test_parameters(self) -> None:
        """Types are as solc describes them; one that is not declared here keeps its name."""
        [named] = [each for each in self.found.functions if each.name == "Vault.name"]
        assert {each.name: each.kind for each in named.parameters} == {
            "t": "contract IToken",
            "s": "enum State",
            "i": "struct Vault.Info storage",
            "r": "struct Fees.Rate memory",
            "p": "Fees.Price",
            "x": "uint256[] calldata",
            "to": "address payable",
            "f": "function ( uint ) external",
            "": "bytes memory",
            "u": "Unknown",
        }


LONG = [
    "// " * 20_000,
    "/* " * 20_000,
    '"' + "\\'" * 30_000,
    "'\"" * 30_000,
    '"""\n' * 15_001,
    "\n" * 60_000,
    "# " * 30_000,
    "'''" + '"\\' * 30_000,
    ";" * 60_000,
    "\\" * 60_000,
    "contract A { function f() {" + "if (a) " * 8_000,
    "1." * 30_000,
    "(" * 60_000,
    "a:b\n" * 15_000,
    "    " * 15_000,
]
"""Texts that some scanners read again and again."""


class TestText:
    """Texts that no compiler accepts, as a client of `devchain_addArtifacts` may send them."""

    @given(st.lists(PIECES, max_size=40).map(" ".join), st.booleans())
    def test_any(self, text: str, is_vyper: bool) -> None:
        """Any text has an outline with ranges in it, or none."""
        found = scan(text, is_vyper=is_vyper)

        if found:
            spans = [each.whole for each in found[0].statements]
            spans += [each.span for each in found[0].functions]
            assert all(0 <= start <= end <= len(text.encode()) for start, end in spans)

    @pytest.mark.parametrize(
        "text",
        ["contract A {", "contract A }", "contract A { function f() { if (", "contract A { f( }"],
    )
    def test_brackets(self, text: str) -> None:
        """A text in which brackets do not match has no outline."""
        assert scan(text, is_vyper=False) is None

    def test_deep(self) -> None:
        """Statements may be nested, not without end."""
        nested = "contract A {{ function f() {{ {} {} }} }}"
        assert scan(nested.format("{" * 50, "}" * 50), is_vyper=False)
        scan(nested.format("{" * 20_000, "}" * 20_000), is_vyper=False)  # has one, or none

    def test_long(self) -> None:
        """A chain of branches is read in a time that grows with its length alone."""
        chain = "    if a:\n        pass\n" + "    elif a:\n        pass\n" * 4_000

        found = scan(f"@external\ndef f():\n{chain}", is_vyper=True)

        assert found is not None
        assert len({each.whole[1] for each in found[0].statements if each.is_compound}) == 1

    @pytest.mark.parametrize("is_vyper", [False, True], ids=["Solidity", "Vyper"])
    @pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
    def test_linear(self, text: str, is_vyper: bool) -> None:
        """No text takes a time by the square of its length, which would be minutes."""
        started = time.process_time()

        colored = "".join(piece for piece, _ in pieces(text, is_vyper=is_vyper))
        scan(text, is_vyper=is_vyper)

        assert colored == text
        assert time.process_time() - started < 20

    def test_too_many_tokens(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A source with too many tokens has no outline, and neither have those behind too many."""
        monkeypatch.setattr(source_parser, "MAX_TOKENS", 20)
        monkeypatch.setattr(source_parser, "MAX_ALL_TOKENS", 20)
        short = {1: "contract A {;;;;;;;}", 2: "contract B {;;;;;;;}", 3: "contract C {;}"}

        found = outlines({0: "contract Long {;;;;;;;;;;;;;;;;;;;;}", **short}, is_vyper=False)
        without_long = outlines(short, is_vyper=False)

        assert not any(each.contracts for each in found.values())
        assert [bool(each.contracts) for each in without_long.values()] == [True, True, False]

    @pytest.mark.parametrize("statement", ["if x;", "for;", "while x;", "do {} while x;"])
    def test_without_parentheses(self, statement: str) -> None:
        """A statement without its parentheses has none."""
        assert scan(f"contract A {{ function f() {{ {statement} }} }}", is_vyper=False) is None


LOCALS = """\
contract Vault {
    struct Info { address who; }
    function f(uint[] memory list) external {
        var (a, b) = g();
        (uint x, , Info memory info) = h();
        delete list; x = 1; (x, list[0]) = (2, 3); list[0]; emit E(x); new Vault(); return x;
        if (x > 0) { bytes32[2][] storage kept = all[x]; } else unchecked { a.B c; }
        for (uint i = 0; i < 9; i++) g(i);
        function (uint) external returns (uint) then = g;
        mapping(address => uint) storage map = m;
        try this.g() returns (uint v) { uint w = v; } catch Error(string memory) { } catch { }
        address payable to;
    }
}
"""


def test_local_variables() -> None:
    """Declarations are told from other statements; a variable ends with its block."""
    [function] = outlines({0: LOCALS}, is_vyper=False)[0].functions
    end = LOCALS.index("\n    }\n") + len("\n    }")
    until = {
        each.name: LOCALS[: each.until].splitlines()[-1].strip() for each in function.variables
    }

    assert {each.name: each.kind for each in function.variables if each.until == end} == {
        "a": "var",
        "b": "var",
        "x": "uint256",
        "info": "struct Vault.Info memory",
        "then": "function ( uint ) external returns ( uint )",
        "map": "mapping(address=>uint256) storage",
        "to": "address payable",
    }
    assert {each.name: each.kind for each in function.variables if each.until < end} == {
        "kept": "bytes32[2][] storage",
        "c": "a.B",
        "i": "uint256",
        "w": "uint256",
        "": "",
    }
    assert until["kept"].endswith("all[x]; }")
    assert until["c"].endswith("a.B c; }")
    assert until["i"].endswith("g(i)")
    assert until["w"].endswith("w = v; }")


def test_structs() -> None:
    """Members of Vyper's structs have numbers of elements in digits."""
    text = """\
COUNT: public(constant(uint256)) = 3
BOTH: constant(uint256) = COUNT + 1
struct Bid:
    # of the sale
    who: address  # the bidder
    recent: DynArray[
        uint256, COUNT]

    parts: uint256[BOTH]
    other: lib.Part
    large: bool[1_000]
struct Empty:
"""

    assert vyper_structs(text) == {
        "Bid": [
            ["who", "address"],
            ["recent", "DynArray[uint256, 3]"],
            ["parts", "uint256[BOTH]"],
            ["other", ""],
            ["large", "bool[1000]"],
        ],
        "Empty": [],
    }
    assert vyper_structs("struct A:\n    a: (") == {}


def test_default_functions() -> None:
    """A call without data is of `receive`, also of one that is inherited or comes last."""
    text = """
contract Base { receive() external payable {} }
contract Till is Base { fallback() external payable {} }
contract Plain { fallback() external payable {} receive() external payable {} }
"""
    both = Abi.from_json([{"type": "fallback"}, {"type": "receive"}])
    sources = {0: Source("Till.sol", text)}
    for name, contract in (("Till", "Base"), ("Plain", "Plain")):
        artifact = Artifact(name, both, source="Till.sol", sources=sources)
        code_map = CodeMap(artifact, creating=False)
        for data, called in ((b"", f"{contract}.receive"), (b"\x01" * 4, f"{name}.fallback")):
            location = code_map.called(data)
            assert location is not None
            assert location.function is not None
            assert location.function.name == called
