"""`devchain.cli.commands.send`"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from devchain.client.http import LocalClient
from devchain.config import MNEMONIC, Config
from devchain.contracts.abi import Abi
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifacts import Artifact
from devchain.node import Node
from devchain.types import Address, checksum
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX, CAROL, CAROL_HEX, FUNDS, UNFUNDED_HEX
from tests.actions import deploy
from tests.bytecode import REVERT, STORE, assemble, init_code, word
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import Script, ScriptedClient
from tests.conftest import GENESIS_TIME
from tests.contracts.test_changed_sources import built_project, edit
from tests.contracts.till import TILL, WHERE
from tests.contracts.vault import FILE as VAULT_FILE
from tests.contracts.vault import VAULT
from tests.failures.builds import BUILDS

BOB_SHOWN = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
WRONG_CASE = "0x70997970C51812dc3A010C7d01b50e0d17dc79c8"
"""BOB_HEX with its last letter in lower case."""


@pytest.fixture
def reverting(node: Node) -> str:
    """A contract that reverts with its calldata."""
    return f"0x{deploy(node, REVERT).hex()}"


class TestSend:
    def test_value(self, devchain: Runner, node: Node) -> None:
        """An amount is sent and the receipt shown."""
        result = devchain("send", BOB_HEX, "--value", "1.5rbtc")

        assert result.code == 0
        assert result.out.startswith("Receipt ok\nTransaction   0x")
        assert "Gas used      21,000\n" in result.out
        assert node.chain.state_at(1).balance(BOB) == FUNDS + 15 * 10**17

    def test_other_sender(self, devchain: Runner, node: Node) -> None:
        """--from selects another account of the node; gas, price and nonce are options."""
        options = ["--gas", "50000", "--gas-price", "2wei", "--nonce", "0", "--json"]
        result = devchain("send", CAROL_HEX, "--from", BOB_HEX, "--value", "1", *options)

        receipt = json.loads(result.out)
        assert (receipt["from"], receipt["effectiveGasPrice"]) == (BOB_HEX, "0x2")
        assert node.chain.state_at(1).balance(CAROL) == FUNDS + 1

    def test_sender_by_number(self, devchain: Runner, node: Node) -> None:
        """The sender may be the number of an account, as the banner has it."""
        assert devchain("send", CAROL_HEX, "--from", "1").code == 0
        assert node.chain.head.transactions[0].sender == BOB
        assert devchain("call", CAROL_HEX, "--from", "1").code == 0
        refused = devchain("send", CAROL_HEX, "--from", "77")
        assert refused == Result(
            1, "", "error: there is no account 77: the node has 10 accounts, from 0 on\n"
        )

    def test_call_by_name(self, devchain: Runner, node: Node) -> None:
        """The name alone calls a function of a contract that the node knows."""
        vault = node.deploy(VAULT, 100)

        assert devchain("send", f"0x{vault.address.hex()}", "deposit", "--value", "5").code == 0
        assert vault.deposits(ALICE) == 5

    def test_create(self, devchain: Runner, node: Node, tmp_path: Path) -> None:
        """--create deploys the code in --data, here from a file, with estimated gas."""
        file = tmp_path / "contract.hex"
        file.write_text(f"{init_code(STORE).hex()}\n", encoding="ascii")
        result = devchain("send", "--create", "--data", f"@{file}", "--json")

        address = json.loads(result.out)["contractAddress"]
        assert node.chain.state_at(1).code(Address(bytes.fromhex(address[2:]))) == STORE

    def test_missing_opcodes(self, run_on: Callable[..., Result]) -> None:
        """A creation warns of opcodes that the node's hardfork lacks, as deployments do."""
        code = "0x" + init_code(assemble("JUMPDEST PUSH0 PUSH0 RETURN")).hex()
        for hardfork, warns in (("iris", True), ("vetiver", False)):
            with Node(Config(hardfork=hardfork)) as node:
                sent = run_on(LocalClient(node), "send", "--create", "--data", code)
            said = "warning: PUSH0 is not available before arrowhead; compile with evmVersion paris"
            assert (sent.code, said in sent.err.replace("\n", " ")) == (0, warns)

    @pytest.mark.parametrize(
        "words",
        [
            [str(VAULT_FILE), "3600"],
            ["Vault", "3600", "--artifacts", str(VAULT_FILE.parent)],
            ["Vault.sol:Vault", "3600", "--artifacts", str(VAULT_FILE)],
            ["--data", f"0x{VAULT.creation.template.hex()}", "constructor(uint256)", "3600"],
            ["--data", f"0x{VAULT.creation.template.hex()}", "constructor(uint256)", "3600 wei"],
            [str(VAULT_FILE), "3,600"],
        ],
        ids=["file", "folder", "full name", "data", "unit", "commas"],
    )
    def test_constructor(self, devchain: Runner, node: Node, words: list[str]) -> None:
        """--create takes a contract and its constructor's arguments, or init code and these."""
        address = json.loads(devchain("send", "--create", *words, "--json").out)["contractAddress"]

        assert node.contract(VAULT, address).opensAt() == node.chain.head.timestamp + 3600

    def test_project(
        self, devchain: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A contract is found by its name in the project of the current folder."""
        artifacts = tmp_path / "artifacts" / "contracts" / "Vault.sol"
        artifacts.mkdir(parents=True)
        (artifacts / "Vault.json").write_bytes(VAULT_FILE.read_bytes())
        monkeypatch.chdir(tmp_path)
        missing = devchain("send", "--create", "Vault", "1")
        (tmp_path / "hardhat.config.js").write_text("")

        assert (
            "there is no project here to find 'Vault' in, and the node knows no contract of"
            in missing.err
        )
        assert devchain("send", "--create", "Vault", "1").code == 0
        assert devchain("send", "--create", "Valut", "1").err == (
            "error: no contract 'Valut' in the project here: did you mean Vault?\n"
        )

    def test_known_to_the_node(
        self, devchain: Runner, node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A contract that only the node has an artifact of is created by its name."""
        monkeypatch.chdir(tmp_path)
        node.artifacts.load(VAULT_FILE)
        result = devchain("send", "--create", "Vault", "3600", "--json")
        address = json.loads(result.out)["contractAddress"]
        node.artifacts.add(Artifact("Vault", Abi.from_json([]), source="Other.sol"))
        several = devchain("send", "--create", "Vault", "3600")

        assert node.contract("Vault.sol:Vault", address).opensAt() > 3600
        assert "the node has several contracts Vault: give " in several.err
        assert several.code == 1

    @pytest.mark.parametrize("known_to", ["node", "project"])
    def test_libraries(
        self,
        devchain: Runner,
        node: Node,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        known_to: str,
    ) -> None:
        """--library gives the address of a library that a contract needs; both are known then."""
        monkeypatch.chdir(tmp_path)
        build = next(each for each in BUILDS if each.name == "solc-0.8-optimized").read()
        where = ["--artifacts", "build.json"] if known_to == "project" else []
        if known_to == "project":
            (tmp_path / "build.json").write_bytes(orjson.dumps(build))
        else:
            node.artifacts.add_sent(parse_artifacts(build))

        def create(*words: str) -> str:
            result = devchain("send", "--create", *words, *where, "--json")
            assert result.code == 0, result.err
            return str(json.loads(result.out)["contractAddress"])

        unlinked = devchain("send", "--create", "Structure", *where)
        ledger = create("Ledger")
        linked = create("Structure", "--library", f"Structure.sol:Ledger={ledger}")
        names = devchain("rpc", "devchain_nameContracts", f'["{linked}", "{ledger}"]')

        assert unlinked.err == (
            "error: Structure cannot be deployed without its library Structure.sol:Ledger: deploy "
            "that first, then give its address, --library Ledger=ADDRESS\n"
        )
        assert json.loads(names.out) == ["Structure", "Ledger"]
        failed = devchain("send", linked, "inExternalLibrary", "1")
        assert "Ledger: too little" in failed.err

    @pytest.mark.parametrize(
        ("words", "error"),
        [
            (["--create", "V", "--library", "Lib"], "'Lib' is not like Lib=0x..."),
            (["--create", "V", "--library", "Lib=0x12"], "'Lib=0x12' is not like Lib=0x..."),
            (["--create", "V", *["--library", f"L={BOB_HEX}"] * 2], "L is given twice"),
            ([BOB_HEX, "--library", f"L={BOB_HEX}"], "--library goes with --create"),
            (["--create", "--data", "0x", "--library", f"L={BOB_HEX}"], "goes with a contract's"),
            (
                ["--create", str(VAULT_FILE), "3600", "--library", f"L={BOB_HEX}"],
                "Vault needs no library L",
            ),
        ],
    )
    def test_wrong_library(self, devchain: Runner, words: list[str], error: str) -> None:
        """A library that is not written as it has to be, or not needed, is an error."""
        result = devchain("send", *words)

        assert result.code
        assert error in " ".join(result.err.split())

    def test_library_without_code(self, devchain: Runner, tmp_path: Path) -> None:
        """The address of a library that has no code is warned of."""
        written = {"contractName": "Jar", "abi": [], "bytecode": f"0x73__Lib{'_' * 35}00"}
        (tmp_path / "Jar.json").write_text(json.dumps(written))
        result = devchain(
            "send", "--create", str(tmp_path / "Jar.json"), "--library", f"Lib={BOB_HEX}"
        )

        assert f"warning: {BOB_HEX} has no code" in result.err

    def test_created_by_name(self, devchain: Runner, node: Node) -> None:
        """What --create deploys is known by name, the errors of its constructor too."""
        created = devchain("send", "--create", "Vault", "3600", "--artifacts", str(VAULT_FILE))
        address = json.loads(
            devchain("rpc", "eth_getTransactionReceipt", created.out.split()[3]).out
        )["contractAddress"]
        failed = devchain("send", address, "withdraw()", "--from", BOB_HEX)

        named = devchain("rpc", "devchain_nameContracts", f'["{address}"]')
        assert json.loads(named.out) == ["Vault"]
        assert "custom error NotOwner(" in failed.err
        assert len(list(node.artifacts)) == 1

    def test_created_on_another_node(self, run_on: Callable[..., Result]) -> None:
        """A node that is no devchain is sent the transaction alone."""
        client = ScriptedClient(
            eth_accounts=[ALICE_HEX],
            eth_gasPrice="0x0",
            eth_estimateGas="0xffff",
            eth_sendTransaction="0x12",
        )
        outcome = run_on(client, "send", "--create", str(VAULT_FILE), "3600", "--no-wait")

        assert outcome == Result(0, "0x12\n", "")

    @pytest.mark.parametrize("words", [["pay()"], ["--data", "0x01"]], ids=" ".join)
    def test_call_of_an_account(self, devchain: Runner, words: list[str]) -> None:
        """A call of an address without code is sent, with a warning; a payment has none."""
        called = devchain("send", BOB_HEX, *words)

        assert called.code == 0
        assert called.err == f"warning: {BOB_HEX} has no code: calling it does nothing\n"
        assert devchain("send", BOB_HEX, "--value", "1").err == ""
        assert devchain("send", f"0x{4:040x}", "--data", "0x01").err == ""

    @pytest.mark.parametrize(
        "words",
        [
            ["send", WRONG_CASE, "--value", "1"],
            ["send", BOB_HEX, "--from", WRONG_CASE],
            ["send", f"0x{4:040x}", "f(address[])", f"[{WRONG_CASE}]"],
            ["call", WRONG_CASE],
            ["call", f"0x{4:040x}", "f(address)", WRONG_CASE],
            ["accounts", "lock", WRONG_CASE],
            ["inspect", "code", WRONG_CASE],
            ["inspect", "storage", WRONG_CASE],
        ],
        ids=" ".join,
    )
    def test_wrong_checksum(self, devchain: Runner, words: list[str]) -> None:
        """An address with a wrong checksum is taken, with a warning."""
        warning = f"warning: the letter case of {WRONG_CASE} is not that of its checksum"

        assert warning in devchain(*words).err
        assert warning not in devchain(*(each.replace(WRONG_CASE, BOB_HEX) for each in words)).err

    @pytest.mark.parametrize(
        ("words", "reason"),
        [
            ([], "give a recipient, or create a contract with --create"),
            (["--create"], "--create needs a contract: its name, its JSON file, or its init code"),
            (["--create", BOB_HEX], "give a recipient or --create, not both"),
            (["--create", "0x6001"], "into --data: `devchain send --create --data 0x6001`"),
            (["--create", "--data", "0x"], "--data is empty: give the init code"),
            (["--create", "src/Vault.sol"], "src/Vault.sol cannot be read: No such file"),
            (["--create", "x(string)", "hi", "--data", "0x00"], "'x(string)' is no constructor"),
            (["--create", "--data", "@no.hex"], "cannot read no.hex: No such file or directory"),
            (["--create", "--data", f"@{VAULT_FILE}"], "Vault.json does not contain data in hex"),
            (["--create", "--data", "0xzz"], "0xzz is not data in hex"),
            (["--create", str(VAULT_FILE)], "constructor(uint256 secondsLocked) of Vault takes 1 "),
            (["--create", str(VAULT_FILE), "x"], "argument 1 (secondsLocked): 'x' is not a value"),
            (["--create", "no.json"], "there are no artifacts at no.json"),
            (["--create", "None", "--artifacts", str(VAULT_FILE)], "no contract 'None' in "),
            ([BOB_HEX, "--artifacts", "."], "--artifacts goes with --create"),
            (["--create", "--data", "0x", "--artifacts", "."], "--artifacts goes with a contract"),
        ],
        ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
    )
    def test_creation_refused(self, devchain: Runner, words: list[str], reason: str) -> None:
        """What cannot be created is refused before anything is sent, each for its own reason."""
        result = devchain("send", *words)

        assert result.code in (1, 2)
        assert reason in result.err

    def test_source(self, devchain: Runner, node: Node) -> None:
        """A transaction that fails, or would, shows where in the source."""
        call = (f"0x{node.deploy(TILL, sender=BOB).address.hex()}", "setRate(uint256)", "3")
        refused, sent = devchain("send", *call), devchain("send", *call, "--gas", "100000")

        assert refused.err.splitlines() == [
            "error: the transaction would fail: not the owner ✋ (--gas sends it anyway)",
            *WHERE,
        ]
        assert sent.err.splitlines() == ["error: the transaction failed: not the owner ✋", *WHERE]

    @pytest.mark.parametrize("like", ["hardhat", "anvil", "ganache"])
    def test_like_another_node(self, run_on: Callable[..., Result], like: str) -> None:
        """Custom errors have their names whatever the node's words are, and a failure its receipt.

        With `--like hardhat` sending a transaction that fails is an error.
        """
        named = f"custom error NotOwner(caller={BOB_SHOWN})"
        with Node(Config(like=like, mnemonic=MNEMONIC, fixed_clock=GENESIS_TIME)) as node:
            client = LocalClient(node)
            vault = f"0x{node.deploy(VAULT, 1).address.hex()}"
            call = (vault, "withdraw", "--from", BOB_HEX)
            refused = run_on(client, "send", *call)
            sent = run_on(client, "send", *call, "--gas", "90000")
            called = run_on(client, "call", *call)

        assert refused.err.startswith(f"error: the transaction would fail: {named} (--gas")
        assert sent.out.startswith("Receipt failed\nTransaction   0x")
        assert sent.err.startswith(f"error: the transaction failed: {named}\n")
        assert called.err.startswith(f"error: the call failed: {named}\n")

    def test_named_by_the_project_here(
        self, devchain: Runner, reverting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A custom error that the node does not know has the name of the project in the folder."""
        (tmp_path / "hardhat.config.js").touch()
        (tmp_path / "artifacts").mkdir()
        (tmp_path / "artifacts" / "Vault.json").write_bytes(VAULT_FILE.read_bytes())
        monkeypatch.chdir(tmp_path)
        (selector,) = VAULT.abi.errors
        named = f"custom error NotOwner(caller={BOB_SHOWN})"
        call = ("send", reverting, "--data", (selector + word(int(BOB_HEX, 16))).hex())

        assert named in devchain(*call).err
        assert named in devchain(*call, "--gas", "90000").err

    @pytest.mark.parametrize("options", [[], ["--gas", "21000"]], ids=["estimate", "mempool"])
    def test_amounts(self, devchain: Runner, options: list[str]) -> None:
        """A sender that cannot pay sees its balance and the cost, in RBTC and in wei."""
        poor = devchain("send", BOB_HEX, "--value", "99999rbtc", *options)

        assert poor.code == 1
        assert (
            ": balance 10,000 RBTC (10,000,000,000,000,000,000,000 wei), "
            "cost 99,999 RBTC (99,999,000,000,000,000,000,000 wei)"
        ) in poor.err
        assert "--gas" not in poor.err

    def test_locked(self, devchain: Runner) -> None:
        """The passphrase unlocks an account for one transaction."""
        devchain("accounts", "lock", ALICE_HEX)
        sent = devchain("send", BOB_HEX, "--value", "1gwei", "--passphrase", "")

        assert sent.out.startswith("Receipt ok\n")
        assert devchain("send", BOB_HEX).code == 1

    def test_no_key(self, devchain: Runner) -> None:
        """An account without a key is refused with what to do."""
        result = devchain("send", BOB_HEX, "--from", UNFUNDED_HEX)

        assert result.err == (
            f"error: no key is held for account {UNFUNDED_HEX}: import it with `devchain accounts "
            "import`, or send without it after `devchain rpc hardhat_impersonateAccount "
            f"{UNFUNDED_HEX}`\n"
        )

    def test_changed_source(
        self, devchain: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A contract whose source has changed since it was compiled is created, with a warning."""
        project = built_project("foundry", tmp_path)
        monkeypatch.chdir(project)
        before = devchain("send", "--create", "Jar", "5")
        edit(project / "src" / "Lid.sol")

        after = devchain("send", "--create", "Jar", "5")

        assert (before.code, before.err) == (0, "")
        assert after.code == 0
        assert after.err == (
            "warning: src/Lid.sol has changed since it was compiled: compile again\n"
        )

    def test_unnamed_error(self, devchain: Runner, reverting: str) -> None:
        """A custom error without a name says what would name it, before and after sending."""
        data = ["--data", "0x6c6923cc"]
        hint = (
            "custom error 0x6c6923cc; for its name, run this in the folder of the contract's "
            "project, or give the node its artifact: `devchain start --artifacts PROJECT`"
        )

        assert hint in devchain("send", reverting, *data).err
        assert hint in devchain("send", reverting, *data, "--gas", "90000").err
        assert hint in devchain("call", reverting, data[1]).err

    @pytest.mark.parametrize("options", [["0x12"], [BOB_HEX, "--from", "0x" + "g" * 40]])
    def test_wrong_address(self, devchain: Runner, options: list[str]) -> None:
        """A wrong address is wrong usage, found before the node is called."""
        result = devchain("send", *options)

        assert (result.code, result.out) == (2, "")
        assert "is not an address: give 0x and 40 hex digits" in result.err
        assert "code" not in result.err

    def test_no_wait(self, devchain: Runner) -> None:
        """--no-wait prints only the hash."""
        result = devchain("send", BOB_HEX, "--no-wait")

        assert len(result.out) == 67

    def test_no_accounts(self, run_on: Callable[..., Result]) -> None:
        """A node without accounts is an error that says how to get one."""
        node = ScriptedClient(eth_accounts=[], rpc_modules={"eth": "1.0", "personal": "1.0"})
        result = run_on(node, "send", BOB_HEX)

        assert "this node has no accounts: create one with `devchain accounts new`" in result.err

    @pytest.mark.parametrize("options", [[], ["--from", ALICE_HEX]], ids=["default", "from"])
    def test_no_keys(self, run_on: Callable[..., Result], options: list[str]) -> None:
        """A node that signs nothing is an error that says how to send a signed transaction."""
        with Node(Config(hosted=True, api_key=("k",), fixed_clock=GENESIS_TIME)) as hosted:
            result = run_on(LocalClient(hosted), "send", BOB_HEX, *options)

        assert (result.code, result.out) == (1, "")
        assert "`devchain rpc eth_sendRawTransaction 0x...`" in result.err
        assert "code -32" not in result.err

    def test_polling(self, run_on: Callable[..., Result]) -> None:
        """The receipt is polled until it exists."""
        receipt = {"status": "0x1", "blockNumber": "0x1"}
        node = ScriptedClient(
            eth_accounts=[ALICE_HEX],
            eth_gasPrice="0x0",
            eth_estimateGas="0x5208",
            eth_sendTransaction="0xab",
            eth_getTransactionReceipt=Script([None, receipt]),
        )

        assert run_on(node, "send", BOB_HEX).out.startswith(
            "Receipt ok\nTransaction   0xab\nBlock         1"
        )

    @pytest.mark.parametrize(
        "words",
        [
            [],
            [BOB_HEX, "--create", "--data", "0x00"],
            ["--create"],
            [BOB_HEX, "get()", "--data", "0x00"],
            [BOB_HEX, "--data", "0x0"],
            [BOB_HEX, "--data", "@/nowhere"],
            [BOB_HEX, "--gas", "much"],
            *([BOB_HEX, "--value", text] for text in ("1.5", "1.5wei", "x", "-1", "1btc", "nan")),
        ],
        ids=" ".join,
    )
    def test_wrong_usage(self, devchain: Runner, words: list[str]) -> None:
        """Contradictory options and invalid values are wrong usage."""
        assert devchain("send", *words).code == 2


class TestCheckedAddresses:
    """A node with `--checksum-addresses`, which refuses the checksums of EIP-55."""

    @pytest.fixture
    def config(self) -> Config:
        """A node that checks EIP-1191's checksums."""
        return Config(network="test", checksum_addresses=True, fixed_clock=GENESIS_TIME)

    @pytest.mark.parametrize(
        "words",
        [
            ["send", checksum(BOB), "--value", "1", "--from", checksum(ALICE)],
            ["call", checksum(BOB), "0x", "--from", checksum(ALICE)],
        ],
        ids=["send", "call"],
    )
    def test_as_shown(self, devchain: Runner, words: list[str]) -> None:
        """Addresses are taken as the commands show them."""
        assert devchain(*words).code == 0


class TestNotMined:
    @pytest.fixture
    def config(self) -> Config:
        """A node that mines only on request."""
        return Config(network="test", mining=False, fixed_clock=GENESIS_TIME)

    def test_timeout(self, devchain: Runner) -> None:
        """A transaction that is not mined in time is an error with its hash."""
        result = devchain("send", BOB_HEX, "--timeout", "0")

        assert (result.code, result.out) == (1, "")
        assert "was sent, but not mined within 0 s" in result.err

    def test_on_request(self, node: Node, run_on: Callable[..., Result]) -> None:
        """That the node mines on request is said before the command waits, which goes on."""

        class MinedWhenAsked(LocalClient):
            """Mines after the question whether blocks come by themselves."""

            def call(self, method: str, *arguments: object) -> Any:
                result = super().call(method, *arguments)
                if method == "anvil_getIntervalMining":
                    node.mine()
                return result

        result = run_on(MinedWhenAsked(node), "send", BOB_HEX, "--value", "1")

        [sent] = node.chain.block(1).transactions[:1]
        assert result.code == 0
        assert result.err.replace("\n", " ") == (
            f"0x{sent.hash.hex()} was sent. This node mines on request: `devchain mine` in another "
            "terminal mines it. "
        )

    @pytest.mark.parametrize(
        "answers",
        [
            {"hardhat_getAutomine": False, "anvil_getIntervalMining": 5},
            {"hardhat_getAutomine": True},
            {"hardhat_getAutomine": False},
            {},
        ],
        ids=["interval", "automatic", "hardhat", "public"],
    )
    def test_not_on_request(
        self, run_on: Callable[..., Result], answers: dict[str, object]
    ) -> None:
        """Of nodes that may mine by themselves nothing of the kind is said."""
        scripted: dict[str, Any] = {
            "eth_gasPrice": "0x0",
            "eth_estimateGas": "0x5208",
            "eth_accounts": [ALICE_HEX],
            "eth_sendTransaction": f"0x{1:064x}",
            "eth_getTransactionReceipt": None,
        }
        client = ScriptedClient(**scripted, **answers)
        result = run_on(client, "send", BOB_HEX, "--timeout", "0")

        assert "on request" not in result.err
        assert "not mined within 0 s" in result.err
