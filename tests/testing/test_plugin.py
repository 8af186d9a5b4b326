"""`devchain.testing.plugin`, in test suites run by `pytester`."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import devchain
from devchain.clock import Clock
from tests.contracts.vault import FILE, WRITTEN

SUITE = f"""
import pytest
from devchain.errors import ExecutionReverted

@pytest.fixture(scope="module")
def vault(devchain, accounts):
    return devchain.deploy({str(FILE)!r}, 100, sender=accounts[0])
"""


def run_suite(pytester: pytest.Pytester, *options: str, **files: str) -> pytest.RunResult:
    """Run a test suite of those modules, each after `SUITE`, with `conftest` as conftest.py."""
    pytester.makeconftest(files.pop("conftest", ""))
    pytester.makepyfile(**{name: SUITE + text for name, text in files.items()})
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:randomly", *options)


class TestCompile:
    """What is stale at the paths of artifacts is compiled before the run."""

    COUNTER = "n: public(uint256)\n\n@external\ndef add():\n    self.n += 1\n"

    @pytest.fixture(autouse=True)
    def cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """An empty cache."""
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def test_sources(self, pytester: pytest.Pytester) -> None:
        """A source is compiled once, also for several workers; the run begins with that."""
        pytester.makeini("[pytest]\ndevchain_artifacts = .\n")
        pytester.makefile(".vy", counter=self.COUNTER)
        test = "def test_counter(devchain):\n    devchain.deploy('counter').add()\n"
        result = run_suite(pytester, test_counter=test)

        result.assert_outcomes(passed=1)
        result.stdout.fnmatch_lines(["devchain: compiling counter.vy with Vyper *"])
        again = pytester.runpytest_inprocess("-n1", "-p", "no:cacheprovider")
        again.assert_outcomes(passed=1)
        again.stdout.no_fnmatch_line("devchain: *")

    def test_error(self, pytester: pytest.Pytester) -> None:
        """Errors of the compiler end the run, with its lines; listing tests compiles nothing."""
        pytester.makefile(".vy", counter=self.COUNTER.replace("self.n", "self.m"))
        options = ("--devchain-artifacts=.",)
        result = run_suite(pytester, *options, test_a="def test_a(devchain): ...")

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(
            ["ERROR: devchain: counter.vy does not compile", "*---> 5     self.m += 1*"]
        )
        listed = pytester.runpytest_inprocess(*options, "--collect-only", "-p", "no:cacheprovider")
        assert listed.ret == 0

    def test_error_in_test(self, pytester: pytest.Pytester) -> None:
        """A source that a configuration names is compiled, too."""
        pytester.makefile(".vy", counter="bad")
        conftest = """
import pytest
from devchain.config import Config

@pytest.fixture(scope="session")
def devchain_config():
    return Config(artifacts="counter.vy")
"""
        result = run_suite(pytester, conftest=conftest, test_a="def test_a(devchain): ...")

        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["devchain: counter.vy does not compile", "*1:0*"])


class TestIsolation:
    """Tests do not see changes that other tests made."""

    def test_every_scope(self, pytester: pytest.Pytester) -> None:
        """Changes of a fixture are reverted at the end of its scope, for each scope."""
        scopes = ["session", "package", "module", "class", "function"]
        fixtures = "".join(
            f"""
@pytest.fixture(scope="{scope}")
def in_{scope}(devchain{f", in_{scopes[place - 1]}" if place else ""}):
    devchain.mine_blocks({10**place})
"""
            for place, scope in enumerate(scopes)
        )
        result = run_suite(
            pytester,
            conftest="""
import pytest
from devchain.node import Node
from devchain.types import MineRequest
Node.mine_blocks = lambda node, blocks: node.mine(MineRequest(blocks))
"""
            + fixtures.replace("devchain.mine_blocks(10000)", "devchain.mine_blocks(5)").replace(
                "devchain.mine_blocks(1000)", "devchain.mine_blocks(4)"
            ),
            test_one="""
class TestOne:
    def test_a(self, in_function, devchain):
        assert devchain.chain.height == 1 + 10 + 100 + 4 + 5
        devchain.mine_blocks(1)
    def test_b(self, in_function, devchain):
        assert devchain.chain.height == 1 + 10 + 100 + 4 + 5
    def test_c(self, in_class, devchain):
        assert devchain.chain.height == 1 + 10 + 100 + 4
def test_d(in_module, devchain):
    assert devchain.chain.height == 1 + 10 + 100
""",
            test_two="""
def test_e(in_package, devchain):
    assert devchain.chain.height == 1 + 10
def test_f(in_session, devchain):
    assert devchain.chain.height <= 1 + 10
    devchain.mine_blocks(1)
""",
            test_zero="""
def test_g(devchain):
    devchain.mine_blocks(1)
""",
        )

        result.assert_outcomes(passed=7)

    def test_teardown_of_a_fixture(self, pytester: pytest.Pytester) -> None:
        """Changes of a test are reverted after the teardown of its fixtures."""
        result = run_suite(
            pytester,
            test_suite="""
@pytest.fixture
def checked(vault, accounts):
    yield
    assert vault.deposits(accounts[1]) == 5
def test_one(checked, vault, accounts):
    vault.deposit(value=5, sender=accounts[1])
def test_two(vault, accounts):
    assert vault.deposits(accounts[1]) == 0
""",
        )

        result.assert_outcomes(passed=2)

    def test_getfixturevalue(self, pytester: pytest.Pytester) -> None:
        """A module's fixture set up within a test is set up again for the next test."""
        result = run_suite(
            pytester,
            test_suite="""
@pytest.mark.parametrize("turn", range(2))
def test_lazy(request, devchain, turn):
    assert devchain.chain.height == 0
    vault = request.getfixturevalue("vault")
    assert vault.deposits(vault.owner()) == 0
def test_after(vault):
    assert vault.deposits(vault.owner()) == 0
""",
        )

        result.assert_outcomes(passed=3)

    @pytest.mark.parametrize("action", ["reset()", "revert(1)"])
    def test_revert_beyond_the_fixtures(self, pytester: pytest.Pytester, action: str) -> None:
        """Fixtures are set up again after a test that reverted or reset their changes."""
        result = run_suite(
            pytester,
            test_suite=f"""
def test_destroys(devchain, vault):
    devchain.{action}
    devchain.send
def test_after(vault, devchain):
    assert vault.deposits(vault.owner()) == 0
    assert devchain.chain.height == 1
""",
        )

        result.assert_outcomes(passed=2)


class TestFixtures:
    """Every fixture gives access to the same node."""

    def test_time(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        """Time stands still in tests: a slow one mines the same blocks as a fast one."""
        fixed, _, *others = Clock.__init__.__defaults__ or ()
        fast = itertools.count(2_000_000_000, 100).__next__  # a source whose time passes at once
        monkeypatch.setattr(Clock.__init__, "__defaults__", (fixed, fast, *others))
        result = run_suite(
            pytester,
            test_suite="""
def test_exact_time(devchain):
    start = devchain.timestamp
    assert devchain.time_travel(60) == start + 60
    assert [devchain.mine() for _ in range(3)]
    assert devchain.timestamp == start + 63
""",
        )

        result.assert_outcomes(passed=1)

    def test_one_node(self, pytester: pytest.Pytester) -> None:
        """`devchain`, `w3`, `accounts` and `devchain_url` are of one node."""
        result = run_suite(
            pytester,
            "--devchain-network=dev",
            "--devchain-like=rskj",
            test_suite="""
def test_all(devchain, w3, accounts, devchain_url, vault):
    from devchain import connect
    assert w3.eth.chain_id == devchain.config.effective_chain_id == 32
    assert w3.eth.accounts[:10] == [each.address for each in accounts]
    assert devchain.config.like == "rskj"
    client = connect(devchain_url)
    assert client.call("eth_blockNumber") == "0x1"
    client.close()
    assert w3.eth.get_code(w3.to_checksum_address(vault.address)) != b""
""",
        )

        result.assert_outcomes(passed=1)

    def test_configured(self, pytester: pytest.Pytester) -> None:
        """A conftest overrides the configuration; options set the rest."""
        result = run_suite(
            pytester,
            "--devchain-hardfork=papyrus",
            conftest="""
import pytest
from dataclasses import replace
@pytest.fixture(scope="session")
def devchain_config(devchain_config):
    return replace(devchain_config, accounts=3)
""",
            test_suite="""
def test_all(devchain, accounts):
    assert len(accounts) == 3
    assert devchain.config.hardfork == "papyrus"
""",
        )

        result.assert_outcomes(passed=1)

    def test_configured_in_a_file(self, pytester: pytest.Pytester) -> None:
        """pytest.ini sets options, relative to its folder; the command line overrides it."""
        (pytester.path / "contracts").mkdir()
        (pytester.path / "contracts" / "Vault.json").write_text(FILE.read_text())
        pytester.makeini(
            "[pytest]\ndevchain_network = dev\ndevchain_hardfork = papyrus\n"
            "devchain_artifacts = contracts\n"
        )
        (pytester.path / "deep").mkdir()
        pytester.chdir()
        suite = """
def test_all(devchain):
    assert (devchain.config.network, devchain.config.hardfork) == ("main", "papyrus")
    assert devchain.deploy("Vault", 5).name == "Vault"
"""

        result = run_suite(pytester, "--devchain-network=main", test_suite=suite)

        result.assert_outcomes(passed=1)

    def test_web3_takes_accounts_and_contracts(self, pytester: pytest.Pytester) -> None:
        """web3.py takes accounts where it takes addresses, and a contract's address and ABI."""
        suite = """
def test_all(vault, accounts, w3):
    from web3.middleware import SignAndSendRawMiddlewareBuilder

    owner, other = accounts[:2]
    contract = w3.eth.contract(address=vault.address, abi=vault.abi)
    contract.functions.deposit().transact({"from": other, "value": 3})
    assert contract.functions.deposits(other).call() == vault.deposits(other) == 3
    assert w3.eth.get_balance(vault.address) == vault.balance == 3
    before = w3.eth.get_balance(other)
    w3.eth.send_transaction({"from": owner, "to": other, "value": 5})
    assert w3.eth.get_balance(other) == other.balance == before + 5
    w3.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(other), layer=0)
    w3.eth.send_transaction({"from": other, "to": owner, "value": 1, "gasPrice": w3.eth.gas_price})
    assert w3.eth.get_transaction_count(other) == other.nonce == 2
"""
        run_suite(pytester, test_suite=suite).assert_outcomes(passed=1)

    @pytest.mark.parametrize(
        ("file", "text", "line"),
        [
            ("pytest.ini", "[pytest]", "devchain_artifacts = ."),
            ("pyproject.toml", "[tool.pytest.ini_options]", 'devchain_artifacts = ["."]'),
        ],
    )
    def test_unknown_contracts(
        self, pytester: pytest.Pytester, file: str, text: str, line: str
    ) -> None:
        """Without artifacts the error has the line to write, and the file; it then works."""
        (pytester.path / file).write_text(f"{text}\n")
        suite = '\ndef test_it(devchain):\n    assert devchain.deploy("Vault", 5)\n'
        result = run_suite(pytester, test_suite=suite)
        (pytester.path / file).write_text(f"{text}\n{line}\n")
        again = run_suite(pytester, test_suite=suite.replace("Vault", "Token"))
        shutil.copy(FILE, pytester.path)
        found = run_suite(pytester, test_suite=suite)

        result.assert_outcomes(failed=1)
        assert f"write `{line}` in {pytester.path / file}" in result.stdout.str()
        assert f"knows none; no artifacts in {pytester.path}: are the" in again.stdout.str()
        found.assert_outcomes(passed=1)

    def test_unused(self, pytester: pytest.Pytester) -> None:
        """A suite that uses no fixture of the plugin does not import the node."""
        pytester.makepyfile(
            "import sys\ndef test_none():\n    assert 'devchain.node' not in sys.modules"
        )

        pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:cov").assert_outcomes(
            passed=1
        )


class TestFailures:
    """Report sections of failing tests."""

    def test_plain_texts(self, pytester: pytest.Pytester) -> None:
        """Sections of a report are of the class `str` itself, all that pytest-xdist sends."""
        result: Any = run_suite(
            pytester,
            test_suite="""
def test_balance(vault, accounts):
    vault.deposit(sender=accounts[1], value=1)
    assert vault.balance == 2
""",
        )
        reports = result.reprec.getreports("pytest_runtest_logreport")
        texts = [text for report in reports for section in report.sections for text in section]

        assert any("transaction 0x" in text for text in texts)
        assert {type(text) for text in texts} == {str}

    def test_comparisons(self, pytester: pytest.Pytester) -> None:
        """Addresses, accounts, contracts and functions are shown whole, and never as bytes."""
        suite = """
def test_account(vault, accounts):
    assert vault.owner() == accounts[1]

def test_bytes(vault):
    assert vault.owner() != bytes.fromhex(vault.owner().hex())

def test_contract(vault):
    assert vault.owner() == vault

def test_function(vault):
    assert vault.owner == vault.deposit
"""
        result = run_suite(pytester, "-vv", test_suite=suite)
        owner = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"

        result.assert_outcomes(failed=4)
        result.stdout.fnmatch_lines(
            [
                f"E *assert {owner} == <account 0x7099*79C8>",
                f"E *assert {owner} != {owner}",
                f"E *assert {owner} == <Vault at 0x*>",
                "E *assert <Vault.owner()> == <Vault.deposit()>",
            ]
        )
        result.stdout.no_fnmatch_line("*At index*")

    def test_other_revert(self, pytester: pytest.Pytester) -> None:
        """A revert that was not expected shows the test's line, and none of devchain."""
        suite = """
def test_all(vault, devchain):
    with devchain.reverts("no such reason"):
        vault.deposit()
"""
        result = run_suite(pytester, test_suite=suite)

        result.stdout.fnmatch_lines(
            [
                ">           vault.deposit()",
                "E *AssertionError: expected a revert with 'no such reason', got: *nothing to dep*",
            ]
        )
        result.stdout.no_fnmatch_line("*contract.py*")

    def test_calls_of_the_failure(self, pytester: pytest.Pytester) -> None:
        """The report has the call tree of the error raised, where the source is not known."""
        bare = {name: WRITTEN[name] for name in ("contractName", "abi", "bytecode")}
        (pytester.path / "Vault.json").write_text(json.dumps(bare))
        suite = """
def test_it(devchain, accounts):
    devchain.deploy("Vault.json", 100).withdraw(sender=accounts[1])
"""
        result = run_suite(pytester, test_suite=suite)

        result.stdout.fnmatch_lines(
            [
                "*devchain: calls of the failure*",
                "*custom error NotOwner(caller=0x7099*",
                "*Vault.withdraw()*",
                "*reverted: NotOwner*",
            ]
        )

    def test_tracebacks(self, pytester: pytest.Pytester) -> None:
        """The traceback of an error from devchain ends at the test's line, whatever it called."""
        calls = {
            "call": "vault.withdraw.call(sender=accounts[1])",
            "send": "vault.withdraw(sender=accounts[1])",
            "estimate": "vault.withdraw.estimate(sender=accounts[1])",
            "deploy": "devchain.deploy('Valut')",
            "arguments": "vault.deposits('x')",
            "overloads": "vault.deposit(1, 2)",
            "name": "vault.depositz()",
            "cheat": "devchain.set_balance(accounts[0], -1)",
            "history": "devchain.at(99).balance(accounts[0])",
            "client": "connect(devchain).call('eth_getBalance')",
            "fixture": "request.getfixturevalue('broken')",
        }
        tests = "".join(
            f"def test_{name}(devchain, vault, accounts, request):\n    {call}  # the line\n"
            for name, call in calls.items()
        )
        result = run_suite(
            pytester,
            test_suite=f"""
from devchain import connect
@pytest.fixture
def broken(vault, accounts):
    vault.withdraw.call(sender=accounts[1])
{tests}""",
        )

        result.assert_outcomes(failed=len(calls))
        shown = result.stdout.str()
        assert shown.count("# the line") == len(calls)
        package = str(Path(devchain.__file__).parent)  # a checkout may have the same name
        assert f"{package}/" not in shown
        assert not re.search(r"^devchain/", shown, re.MULTILINE)
        package = Path(devchain.__file__).parent.name
        assert not re.search(rf"^\S*/{package}/\w+/\S*\.py:", shown, re.MULTILINE)

    def test_unittest(self, pytester: pytest.Pytester) -> None:
        """Tracebacks of a unittest.TestCase end at its line, too."""
        suite = """
import unittest
class TestVault(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def chain(self, vault, accounts):
        self.vault, self.other = vault, accounts[1]
    def test_it(self):
        self.vault.withdraw.call(sender=self.other)
"""
        result = run_suite(pytester, test_suite=suite)

        result.stdout.fnmatch_lines(["test_suite.py:*: ExecutionReverted"])

    def test_full_trace(self, pytester: pytest.Pytester) -> None:
        """`--full-trace` shows devchain's frames, and so does a defect in them."""
        suite = """
def test_reverts(vault, accounts):
    vault.withdraw.call(sender=accounts[1])
"""
        full = run_suite(pytester, "--full-trace", test_suite=suite)
        defect = run_suite(
            pytester,
            test_suite="""
def test_it(vault, devchain, monkeypatch):
    monkeypatch.setattr(type(devchain), "call", lambda *_: 1 // 0)
    vault.owner()
""",
        )

        full.stdout.fnmatch_lines(["*eth_call.py:*"])
        defect.stdout.fnmatch_lines(["*contract.py:*"])

    @pytest.mark.parametrize("option", ["network=bogus", "artifacts=bogus", "hardfork=bogus"])
    def test_wrong_options(self, pytester: pytest.Pytester, option: str) -> None:
        """A wrong option is one sentence, without a traceback."""
        result = run_suite(
            pytester, f"--devchain-{option}", test_suite="\ndef test_it(devchain):\n    pass\n"
        )

        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["devchain: *bogus*"])
        result.stdout.no_fnmatch_line("*Traceback*")
        result.stdout.no_fnmatch_line("*.py:[0-9]*")

    def test_expected_failures(self, pytester: pytest.Pytester) -> None:
        """What the test ends with is not explained by failures of calls that it expected."""
        suite = """
from web3.exceptions import Web3Exception
@pytest.fixture
def withdraw(vault, accounts):
    return lambda: vault.withdraw.call(sender=accounts[1])
@pytest.fixture
def withdraw3(w3, vault, accounts):
    contract = w3.eth.contract(address=vault.address, abi=vault.abi)
    return lambda: contract.functions.withdraw().call({"from": accounts[1].address})
def test_assert(withdraw):
    with pytest.raises(ExecutionReverted):
        withdraw()
    assert False
def test_other(vault):
    raise KeyError
def test_error(withdraw):
    with pytest.raises(ExecutionReverted):
        withdraw()
    raise KeyError
def test_web3(withdraw3):
    with pytest.raises(Web3Exception):
        withdraw3()
    raise KeyError
"""
        result = run_suite(pytester, test_suite=suite)

        result.assert_outcomes(failed=4)
        result.stdout.no_fnmatch_line("*devchain: *failure*")
        result.stdout.no_fnmatch_line("*devchain: where it failed*")

    def test_failure_raised_again(self, pytester: pytest.Pytester) -> None:
        """A test may end with an error of its own that a failure has led to."""
        suite = """
import json, subprocess, sys
from devchain import connect
def test_python(vault, accounts):
    try:
        vault.withdraw.call(sender=accounts[1])
    except ExecutionReverted as error:
        raise KeyError from error
def test_web3(w3, vault, accounts):
    contract = w3.eth.contract(address=vault.address, abi=vault.abi)
    try:
        contract.functions.withdraw().call({"from": accounts[1].address})
    except Exception:
        raise KeyError
def test_client(devchain, vault, accounts):
    data = "0x" + vault.withdraw.encode().hex()
    call = {"from": accounts[1].address, "to": str(vault.address), "data": data}
    connect(devchain).call("eth_call", call, "latest")
def test_program(devchain_url, vault, accounts):
    data = "0x" + vault.withdraw.encode().hex()
    call = json.dumps({"from": accounts[1].address, "to": str(vault.address), "data": data})
    program = f"from devchain import connect; connect('{devchain_url}').call('eth_call', {call})"
    subprocess.run([sys.executable, "-c", program], check=True)
def test_another_reason(devchain, vault, accounts):
    with devchain.reverts("too early"):
        vault.withdraw.call(sender=accounts[1])
"""
        result = run_suite(pytester, test_suite=suite)

        result.assert_outcomes(failed=5)
        assert result.stdout.str().count("devchain: where it failed") == 5

    PLAIN = "vault.withdraw(sender=accounts[1])"
    WEB3 = "contract.functions.withdraw().transact(options)"
    EXPECTED = """
from web3.exceptions import Web3Exception
def test_it(vault, accounts, devchain, w3):
    contract = w3.eth.contract(address=vault.address, abi=vault.abi)
    options = {{"from": accounts[1].address, "gas": 99_000}}
    with {expected}:
        {call}
    {then}
"""

    @pytest.mark.parametrize(
        ("expected", "call", "then", "shown", "count"),
        [
            ("devchain.reverts()", PLAIN, "vault.deposit()", "auto", 0),
            ("pytest.raises(ExecutionReverted)", PLAIN, "vault.deposit()", "failed", 1),
            ("pytest.raises(ExecutionReverted)", PLAIN, "assert False", "auto", 1),
            ("pytest.raises(Web3Exception)", WEB3, "vault.deposit()", "auto", 0),
            ("pytest.raises(Web3Exception)", WEB3, "raise KeyError", "auto", 1),
        ],
        ids=range(5),
    )
    def test_expected_reverts(
        self,
        pytester: pytest.Pytester,
        expected: str,
        call: str,
        then: str,
        shown: str,
        count: int,
    ) -> None:
        """A transaction whose revert the test caught is no failure, or marked as caught."""
        suite = self.EXPECTED.format(expected=expected, call=call, then=then)

        result = run_suite(
            pytester, f"--devchain-trace={shown}", "--devchain-like=hardhat", test_suite=suite
        )

        result.assert_outcomes(failed=1)
        report = result.stdout.str()
        assert report.count("reverted: NotOwner") == count
        assert report.count("in block 2 (caught by the test)") == count
        assert ("where it failed" in report) is (then == "vault.deposit()" and shown == "auto")

    def test_failing_fixtures(self, pytester: pytest.Pytester) -> None:
        """The report of a failing fixture has the place too."""
        suite = """
@pytest.fixture
def broken(vault):
    vault.deposit()
def test_it(broken):
    pass
"""
        result = run_suite(pytester, test_suite=suite)

        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(
            ["*devchain: where it failed*", "*reverted: nothing to deposit*", "*:21"]
        )

    def test_failed_transactions(self, pytester: pytest.Pytester) -> None:
        """The report has the call trees of mined transactions that failed, from any client."""
        suite = """
def test_it(w3, vault, accounts):
    to = w3.to_checksum_address(vault.address)
    w3.eth.send_transaction({"from": accounts[0].address, "to": to, "gas": 90_000, "value": 1})
    assert False
"""
        result = run_suite(pytester, test_suite=suite)

        result.stdout.fnmatch_lines(
            ["*devchain: transaction 0x* in block 2*", "*Vault {value: 1 wei}*"]
        )

    @pytest.mark.parametrize(
        ("shown", "count"), [("auto", 1), ("all", 1), ("failed", 0), ("off", 0)]
    )
    def test_trace_option(self, pytester: pytest.Pytester, shown: str, count: int) -> None:
        """`--devchain-trace` selects all transactions of a failing test, failed ones, or none.

        By default it is all after a failing assert.
        """
        suite = "\ndef test_it(vault):\n    vault.deposit(value=1)\n    assert False\n"

        result = run_suite(pytester, f"--devchain-trace={shown}", test_suite=suite)

        assert result.stdout.str().count("emit Deposited(") == count

    @pytest.mark.parametrize(
        ("mistake", "is_about_the_chain"),
        [
            ("vault.depositz()", False),
            ("vault.deposit(1, 2, 3)", False),
            ("devchain.deploy('Valut')", False),
            ("devchain + 1", False),
            ("undefined", False),
            ("request.getfixturevalue('undefined')", False),
            ("vault.deposit(value=1).events[7]", True),
            ("devchain.at(99).balance(vault)", True),
            ("pytest.fail()", True),
        ],
    )
    def test_mistakes(
        self, pytester: pytest.Pytester, mistake: str, *, is_about_the_chain: bool
    ) -> None:
        """A mistake of the test's program shows no call trees: what was sent is not its cause.

        A transaction that failed without an error to the test, as on anvil, is shown all the same.
        """
        suite = f"""
def test_it(vault, devchain, request):
    vault.deposit(value=1)
    {mistake}
def test_failed(vault, devchain, request, w3, accounts):
    options = {{"from": accounts[0].address, "gas": 90_000}}
    contract = w3.eth.contract(address=vault.address, abi=vault.abi)
    contract.functions.deposit().transact(options)
    {mistake}
"""
        result = run_suite(pytester, test_suite=suite)

        result.assert_outcomes(failed=2)
        shown = result.stdout.str()
        passed, failed = "emit Deposited(" in shown, "reverted: nothing to deposit" in shown
        assert (passed, failed) == (is_about_the_chain, True)


def test_colors(pytester: pytest.Pytester) -> None:
    """A terminal with colors gets the line in bold; files and plain terminals get text alone."""
    till = Path(__file__).parent / "contracts" / "till-plain.json"
    suite = """
def test_it(devchain, accounts):
    devchain.deploy("Till", sender=accounts[0]).setRate(3, sender=accounts[1])
"""
    options = (f"--devchain-artifacts={till}", "--junit-xml=report.xml")
    plain = run_suite(pytester, *options, test_suite=suite)
    result = run_suite(pytester, "--color=yes", *options, test_suite=suite)

    assert "\x1b[1m     > 27 │     require(" in result.stdout.str()
    assert "#x1B" not in (pytester.path / "report.xml").read_text(encoding="utf-8")
    plain.stdout.fnmatch_lines(["  at modifier Owned.onlyOwner * contracts/Till.sol:27"])
    plain.stdout.no_fnmatch_line("*\x1b*")


class TestHostileText:
    SUITE = """
import pytest
from devchain import reverts
from devchain.client.http import LocalClient
from devchain.types import TransactionRequest
from tests.bytecode import REVERT, error_payload
from tests.actions import deploy

@pytest.fixture
def fail(devchain):
    contract = deploy(devchain, REVERT)
    data = error_payload("\\x1b[2J\\x1b[8m\\u202e\\nE forged")
    return lambda: devchain.call(TransactionRequest(to=contract, data=data))

@pytest.fixture
def failed(fail):
    try:
        fail()
    except Exception as error:
        return error

@pytest.fixture
def broken(fail):
    fail()

def test_error(fail): fail()
def test_fixture(broken): pass
def test_other_reason(fail):
    with reverts("other"): fail()
def test_cause(fail):
    try: fail()
    except Exception as error: raise RuntimeError(f"it failed: {error}") from error
def test_equal(failed): assert str(failed) == "x"
def test_message(failed): assert False, str(failed)
def test_fail(failed): pytest.fail(str(failed), pytrace=False)
def test_skip(failed): pytest.skip(str(failed))
def test_xfail(failed): pytest.xfail(str(failed))
def test_group(failed): raise ExceptionGroup(str(failed), [failed])
def test_note(failed):
    failed.add_note(str(failed))
    raise failed
def test_name(devchain): devchain.deploy("\\x1b[2J\\u202e")
"""

    @pytest.mark.parametrize("style", ["auto", "native", "line"])
    def test_reason(self, pytester: pytest.Pytester, style: str) -> None:
        """A reason cannot act on the terminal, wherever the outcome of a test shows it."""
        result = run_suite(pytester, f"--tb={style}", "-rA", test_suite=self.SUITE)

        shown = result.stdout.str()
        result.assert_outcomes(failed=9, errors=1, skipped=1, xfailed=1)
        assert r"execution reverted: \x1b[2J\x1b[8m\u202e" in shown
        assert [each for each in shown if not (each.isprintable() or each in "\n\t")] == []


def test_w3_without_web3(pytester: pytest.Pytester) -> None:
    """Without web3.py the fixture `w3` says what to install, with no traceback."""
    pytester.makeconftest("import sys\nsys.modules['web3'] = None\n")
    pytester.makepyfile("def test_it(w3):\n    pass\n")

    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["devchain: the fixture w3 needs web3.py: pip install web3"])
    result.stdout.no_fnmatch_line("*Traceback*")
