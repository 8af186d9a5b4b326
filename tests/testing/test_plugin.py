"""The pytest plugin, used by test suites of its own."""

from __future__ import annotations

import pytest

from tests.contracts.vault import FILE

SUITE = f"""
import pytest
from devchain.errors import ExecutionReverted

@pytest.fixture(scope="module")
def vault(devchain, accounts):
    return devchain.deploy({str(FILE)!r}, 100, sender=accounts[0])
"""


def outcome(pytester: pytest.Pytester, *options: str, **files: str) -> pytest.RunResult:
    """What comes out of a suite of those modules; `conftest` goes before them."""
    pytester.makeconftest(files.pop("conftest", ""))
    pytester.makepyfile(**{name: SUITE + text for name, text in files.items()})
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:randomly", *options)


class TestIsolation:
    """A test never sees what another did."""

    def test_tests_start_from_the_module_s_fixture(self, pytester: pytest.Pytester) -> None:
        """What a test does is gone in the next; what the module's fixture did is there."""
        result = outcome(
            pytester,
            test_suite="""
@pytest.mark.parametrize("turn", range(3))
def test_deposit(vault, accounts, turn, devchain):
    assert vault.deposits(accounts[1]) == 0
    assert devchain.chain.height == 1
    vault.deposit(value=5, sender=accounts[1])
""",
        )

        result.assert_outcomes(passed=3)

    def test_every_scope(self, pytester: pytest.Pytester) -> None:
        """Session, package, module, class and function: each takes back its own at its end."""
        scopes = ["session", "package", "module", "class", "function"]
        fixtures = "".join(
            f"""
@pytest.fixture(scope="{scope}")
def in_{scope}(devchain{f", in_{scopes[place - 1]}" if place else ""}):
    devchain.mine_blocks({10**place})
"""
            for place, scope in enumerate(scopes)
        )
        result = outcome(
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

    def test_a_fixture_s_teardown_sees_what_its_test_did(self, pytester: pytest.Pytester) -> None:
        """What the test did is taken back after its fixtures' own teardown."""
        result = outcome(
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

    def test_fixtures_asked_for_in_a_test(self, pytester: pytest.Pytester) -> None:
        """A module's fixture set up in the midst of a test is set up again for the next."""
        result = outcome(
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
    def test_a_test_that_goes_back_too_far(self, pytester: pytest.Pytester, action: str) -> None:
        """When a test destroys what its fixtures built, they build it again."""
        result = outcome(
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

    def test_parallel(self, pytester: pytest.Pytester) -> None:
        """Every worker of pytest-xdist has a chain of its own."""
        result = outcome(
            pytester,
            "-n2",
            test_suite="""
@pytest.mark.parametrize("turn", range(4))
def test_deposit(vault, accounts, turn):
    assert vault.deposits(accounts[1]) == 0
    vault.deposit(value=5, sender=accounts[1])
""",
        )

        result.assert_outcomes(passed=4)


class TestFixtures:
    """The fixtures give the same node in several shapes."""

    def test_shapes(self, pytester: pytest.Pytester) -> None:
        """The node, web3.py, accounts with keys, and a URL."""
        result = outcome(
            pytester,
            "--devchain-network=dev",
            test_suite="""
def test_all(devchain, w3, accounts, devchain_url, vault):
    from devchain import connect
    assert w3.eth.chain_id == devchain.config.effective_chain_id == 32
    assert w3.eth.accounts[:10] == [each.address for each in accounts]
    client = connect(devchain_url)
    assert client.call("eth_blockNumber") == "0x1"
    client.close()
    assert w3.eth.get_code(w3.to_checksum_address(vault.address)) != b""
""",
        )

        result.assert_outcomes(passed=1)

    def test_configured(self, pytester: pytest.Pytester) -> None:
        """A conftest configures the node; options say what it does not."""
        result = outcome(
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
        """Lines of pytest's configuration do as options; a path begins at the file."""
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

        result = outcome(pytester, "--devchain-network=main", test_suite=suite)

        result.assert_outcomes(passed=1)

    def test_accounts_equal_their_addresses(self, pytester: pytest.Pytester) -> None:
        """An account equals its address as a contract returns it, and no other."""
        suite = """
def test_all(vault, accounts, w3):
    owner, other = accounts[:2]
    assert vault.owner() == owner != other
    assert owner == type(owner)(bytes(owner.key))
    assert {vault.owner(): 1}[owner] == 1
    assert owner != owner.address and owner.address in repr(owner)
    assert w3.eth.default_account == owner.address
"""
        outcome(pytester, test_suite=suite).assert_outcomes(passed=1)

    def test_nothing_happens_unasked(self, pytester: pytest.Pytester) -> None:
        """A suite that uses no fixture of it makes no node, and does not even import one."""
        pytester.makepyfile(
            "import sys\ndef test_none():\n    assert 'devchain.node' not in sys.modules"
        )

        pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:cov").assert_outcomes(
            passed=1
        )


class TestFailures:
    """A failing test says what happened on the chain."""

    def test_calls_of_the_failure(self, pytester: pytest.Pytester) -> None:
        """The error raised is drawn with its calls."""
        result = outcome(pytester, test_suite="\ndef test_it(vault, accounts):\n"
            "    vault.withdraw(sender=accounts[1])\n")  # fmt: skip

        result.stdout.fnmatch_lines(
            [
                "*devchain: calls of the failure*",
                "*custom error NotOwner(caller=0x7099*",
                "*Vault.withdraw()*",
                "*reverted: NotOwner*",
            ]
        )

    def test_failures_told_once(self, pytester: pytest.Pytester) -> None:
        """Its transaction is not drawn again, and the report ends in the test's own line."""
        result = outcome(pytester, test_suite="\ndef test_it(vault, accounts):\n"
            "    vault.withdraw(sender=accounts[1])\n")  # fmt: skip

        result.stdout.no_fnmatch_line("*devchain: transaction*")
        result.stdout.no_fnmatch_line("*raise self.explainer*")
        result.stdout.fnmatch_lines(["test_suite.py:9: ExecutionReverted"])

    def test_failures_of_web3py(self, pytester: pytest.Pytester) -> None:
        """What web3.py makes an error of its own is drawn too."""
        suite = """
def test_it(w3, vault, accounts):
    contract = w3.eth.contract(address=vault.address, abi=vault.abi.described)
    contract.functions.withdraw().call({"from": accounts[1].address})
"""
        result = outcome(pytester, test_suite=suite)

        result.stdout.fnmatch_lines(["*devchain: calls of the failure*", "*Vault.withdraw()*"])

    def test_failures_that_were_expected(self, pytester: pytest.Pytester) -> None:
        """A revert that this test or another expected is not behind a failing assert."""
        suite = """
def test_expects(vault, accounts):
    with pytest.raises(ExecutionReverted):
        vault.withdraw.call(sender=accounts[1])
def test_other(vault):
    raise KeyError
def test_it(vault, accounts):
    test_expects(vault, accounts)
    assert False
"""
        result = outcome(pytester, test_suite=suite)

        result.assert_outcomes(passed=1, failed=2)
        result.stdout.no_fnmatch_line("*devchain: calls of the failure*")

    def test_failing_fixtures(self, pytester: pytest.Pytester) -> None:
        """A fixture that fails says why as a test does."""
        suite = """
@pytest.fixture
def broken(vault):
    vault.deposit()
def test_it(broken):
    pass
"""
        result = outcome(pytester, test_suite=suite)

        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(
            ["*devchain: calls of the failure*", "*reverted: nothing to deposit*"]
        )

    def test_failed_transactions(self, pytester: pytest.Pytester) -> None:
        """So are mined transactions that failed, whatever client sent them."""
        suite = """
def test_it(w3, vault, accounts):
    to = w3.to_checksum_address(vault.address)
    w3.eth.send_transaction({"from": accounts[0].address, "to": to, "gas": 90_000, "value": 1})
    assert False
"""
        result = outcome(pytester, test_suite=suite)

        result.stdout.fnmatch_lines(
            ["*devchain: transaction 0x* in block 2*", "*Vault {value: 1}*"]
        )

    @pytest.mark.parametrize(("shown", "count"), [("all", 1), ("failed", 0), ("off", 0)])
    def test_chosen(self, pytester: pytest.Pytester, shown: str, count: int) -> None:
        """All transactions of a failing test, or none, by option."""
        suite = "\ndef test_it(vault):\n    vault.deposit(value=1)\n    assert False\n"

        result = outcome(pytester, f"--devchain-trace={shown}", test_suite=suite)

        assert result.stdout.str().count("emit Deposited(") == count
