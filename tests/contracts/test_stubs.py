"""`devchain.contracts.stubs`: types of contracts"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from devchain.contracts.abi import Abi
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact, Code, Link
from devchain.contracts.stubs import HEADER, generate

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).parent
USE = """\
from __future__ import annotations
from pathlib import Path
from typing import TYPE_CHECKING, Any
if TYPE_CHECKING:
    from contract_types import Jar, Node, Odd, Pair, Twin_2
    from devchain.contracts.contract import Mined
    from devchain.types import Address
from devchain import TransactionRequest, expect_emit

def jar(devchain: Node) -> Jar:
    return devchain.deploy("Jar", 5, sender=devchain.funded_accounts[0])

def twin(devchain: Node) -> Twin_2:
    return devchain.deploy("contracts/deep/Twin.sol:Twin")

def odd(devchain: Node) -> Odd:
    return devchain.contract("Odd", "0x00")

def use(jar: Jar, odd: Odd, pair: Pair) -> None:
    kept: int = jar.kept()
    mined: Mined = jar.keep(5, value=3)
    gas: int = jar.keep.estimate(5)
    owner: Address = odd.owner()
    text: str = odd.f(5)
    info = pair.info()
    who: Address = info.who
    amounts: list[int] = info[1]
    who, amounts = info
    print(info["amounts"], info._asdict())
    odd.move(jar, 5)
    odd.move(owner, 5, sender=odd)
    odd.move("0x00", 5)
    jar["keep(uint256)"](5)
    jar.contract.events("Kept")
    kept = jar.at(1).kept() + jar.balance + len(jar.events()) + len(jar.abi)
    text = odd.name() + jar.name
    expect_emit(jar, "Kept")

def blocks(jar: Jar, devchain: Node, mined: Mined) -> None:
    number: int = devchain.chain.block("latest").number + devchain.chain.block(mined.hash).number
    balance = devchain.balance(jar, "earliest") + devchain.at("latest").balance(jar)
    request = TransactionRequest(to=jar.contract.address)
    output: bytes = devchain.call(request, "0x00")
    gas: int = devchain.estimate(request, "pending") + devchain.nonce(jar, block="pending")
    jar.at("latest").events(from_block=bytes(32))
    tree: str = devchain.call_tree(bytes(32)) + str(devchain.console("0x00"))
    devchain.gas_profile(bytes(32))
    devchain.chain.state_at("safe")
    devchain.chain.receipt(bytes(32))
    devchain.address_history.page(jar)

def linked(devchain: Node, jar: Jar) -> None:
    devchain.deploy("User", libraries={"Lib": jar}).use()

def plain(devchain: Node, name: Any) -> None:
    devchain.deploy(name, libraries={"Lib": "0x00"}).anything()
    devchain.deploy(Path("Vault.json")).anything()
    devchain.deploy({"abi": []}, 5, value=1).anything()
    devchain.deploy(name).anything()

def wrong(jar: Jar, pair: Pair, devchain: Node) -> None:
    pair.info().whom
    count: int = pair.info().count
    jar.keep("x")
    jar.keep(5, valu=3)
    text: str = jar.kept()
    other: Jar = devchain.deploy("Lid")
    jar.keepp(5)
    jar.at("latest").kep()
    devchain.deploy("Jam")
    devchain.deploy("Lid", "x")
    devchain.deploy("User")
    devchain.contract("Jam", jar)
"""


@pytest.fixture(scope="module")
def text() -> str:
    """The types of two projects."""
    registry = Registry()
    registry.load(FILES / "projects" / "hardhat2")
    registry.load(FILES / "odd.json")
    names = {"who": "address", "amounts": "uint256[]"}
    parts = [{"type": kind, "name": name} for name, kind in names.items()]
    info = {"type": "function", "name": "info", "stateMutability": "view"}
    outputs = [{"type": "tuple", "components": parts}]
    registry.add(Artifact("Pair", Abi.from_json([info | {"outputs": outputs}])))
    code = Code(bytes(22), links=(Link("Lib.sol:Lib", 1),))
    use = Abi.from_json([{"type": "function", "name": "use"}])
    registry.add(Artifact("User", use, creation=code))
    return generate(registry)


def test_type_checked(text: str, tmp_path: Path) -> None:
    """Mypy accepts the module and its right use, and names each wrong use."""
    (tmp_path / "contract_types.pyi").write_text(text)
    (tmp_path / "use.py").write_text(USE)
    options = ["--strict", "--no-error-summary", "--cache-dir", str(ROOT / ".mypy_cache")]

    result = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "contract_types.pyi", "use.py"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [each for each in result.stdout.splitlines() if " error: " in each]
    lines = [int(each.split(":")[1]) for each in errors]

    first = 1 + USE.splitlines().index("def wrong(jar: Jar, pair: Pair, devchain: Node) -> None:")
    assert lines == list(range(first + 1, first + 13)), result.stdout + result.stderr


def test_names(text: str) -> None:
    """Each contract is a class; of one name, that of several contracts, by full name."""
    classes = {
        each.name: [item.name for item in each.body if isinstance(item, ast.FunctionDef)]
        for each in ast.parse(text).body
        if isinstance(each, ast.ClassDef) and not each.name.startswith("_")
    }

    assert list(classes) == ["Jar", "Lid", "Odd", "Pair", "Twin", "Twin_2", "User", "Node"]
    members = ["abi", "balance", "block", "chain", "eval", "internal", "name", "sender", "storage"]
    members += ["at", "events"]
    assert classes["Jar"] == ["cap", "keep", "kept", "open", *members]
    assert set(classes["Odd"]) >= {*members, "move"}
    assert len(classes["Odd"]) == len(set(classes["Odd"]))
    assert "Literal['Twin'" not in text


def test_hostile_names() -> None:
    """What is no identifier is left out, other text is a string in ASCII on one line."""
    kinds = {
        "inputs": [{"type": "uint256", "name": name} for name in ("from", "a b", "self", "", "x")]
    }
    names = ("import", "a\nb", "x(): pass", "é", "__init__", "address", "contract", "fine")
    abi = [{"type": "function", "name": each, "outputs": []} | kinds for each in names]
    registry = Registry(
        [
            Artifact("Bad\nimport os", Abi.from_json(abi)),
            Artifact("int", Abi.from_json(abi), source='"""\nimport os\n\x1b[2J'),
            Artifact("A_b", Abi.from_json([{"type": "function", "name": "c"}])),
            Artifact("A", Abi.from_json([{"type": "function", "name": "b_c"}])),
        ]
    )

    module = ast.parse(text := generate(registry))

    assert text.startswith(HEADER)
    assert text.isascii()
    assert "\x1b" not in text
    assert not any(isinstance(each, ast.Import) for each in ast.walk(module))
    labels = [each.name for each in module.body if isinstance(each, ast.ClassDef)]
    assert len(set(labels)) == len(labels)
    assert "int_2" in labels
    fine = next(
        each for each in module.body if isinstance(each, ast.ClassDef) and "fine" in each.name
    )
    call = fine.body[0]
    assert isinstance(call, ast.FunctionDef)
    assert [each.arg for each in call.args.posonlyargs] == [
        "self",
        "from_",
        "a_b",
        "self_2",
        "argument3",
        "x",
    ]


@pytest.mark.parametrize(
    ("kind", "given", "returned"),
    [
        ("uint8", "int", "int"),
        ("bool", "bool", "bool"),
        ("string", "str", "str"),
        ("bytes4", "bytes | str", "bytes"),
        ("address[2][]", "Sequence[Sequence[AddressLike]]", "list[list[Address]]"),
        ("fixed128x18", "Decimal | int", "Decimal"),
        ("decimal[]", "Sequence[Decimal | int]", "list[int]"),
    ],
)
def test_types(kind: str, given: str, returned: str) -> None:
    """Each ABI type has a Python type as argument and as returned value."""
    entry = {"type": "function", "name": "f", "stateMutability": "view"}
    plain = {"type": kind, "name": "x"}
    if kind.startswith("decimal"):
        plain |= {"type": kind.replace("decimal", "int168"), "internalType": "decimal"}
    entry |= {"inputs": [plain], "outputs": [plain]}  # type: ignore[dict-item]

    text = generate(Registry([Artifact("A", Abi.from_json([entry]))]))

    assert (
        f"def __call__(self, x: {given}, /, **options: Unpack[Options]) -> {returned}: ..." in text
    )


def test_structs() -> None:
    """A returned struct is a tuple with its members as attributes; a given one may be a mapping."""
    parts = [{"type": "uint256", "name": "left"}, {"type": "address", "name": "right"}]
    pair = {"type": "tuple", "name": "pair", "components": parts}
    entry = {"type": "function", "name": "f", "inputs": [pair], "outputs": [pair, *parts]}
    plain = {"type": "function", "name": "g", "outputs": [{"type": "int8"}, {"type": "bool"}]}

    text = generate(Registry([Artifact("A", Abi.from_json([entry, plain]))]))

    assert "pair: tuple[int, AddressLike] | Mapping[str, Any], /" in text
    assert "class _Values1(tuple[int, Address]):\n    @property\n    def left(self) -> int" in text
    assert "class _Values2(tuple[_Values1, int, Address]):" in text
    assert "/, **options: Unpack[Options]) -> _Values2: ..." in text
    assert "def call(self, **options: Unpack[Options]) -> tuple[int, bool]: ..." in text


HOSTILE_MEMBERS = ("count", "a b", "__len__", "import", "x", "x", "", "_asdict", "é", '"""')


def test_hostile_members() -> None:
    """Members that cannot be attributes are items by name alone, the first of each name."""
    parts = [{"type": "bool", "name": each} for each in HOSTILE_MEMBERS]
    parts[5]["type"] = "string"
    entry = {"type": "function", "name": "f", "outputs": parts}

    text = generate(Registry([Artifact("A", Abi.from_json([entry]))]))

    struct = next(each for each in ast.parse(text).body if isinstance(each, ast.ClassDef))
    functions = [each for each in struct.body if isinstance(each, ast.FunctionDef)]
    names = [each.name for each in functions if each.name != "__getitem__"]
    assert names == ["x", "_asdict"]
    assert "def x(self) -> bool: ..." in text
    assert len(functions) == 2 + len(set(HOSTILE_MEMBERS) - {""}) + 1
    assert text.isascii()
