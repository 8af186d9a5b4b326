"""Test suites that run on a fork of a node over HTTP, run by `pytester`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from devchain.node import Node
from devchain.server.serve import serve_in_thread
from devchain.types import Address
from tests.actions import send

PAGE = Path(__file__).parents[2] / "docs" / "fork.md"
HOLDER = Address(b"\x55" * 20)

SUITE = f"""
def test_balance(devchain):
    assert devchain.block_number == 4
    assert devchain.balance("0x{HOLDER.hex()}") == 7
    devchain.mine()

def test_isolation(devchain, accounts):
    assert devchain.block_number == 4
"""

RESETS = """
from devchain.client.http import connect

def test_reset_to_another_block(devchain):
    connect(devchain).call("hardhat_reset", {"forking": {"blockNumber": 2}})
    assert devchain.block_number == 2

def test_isolation(devchain):
    assert devchain.block_number == 4
    connect(devchain).call("hardhat_reset")
    assert devchain.block_number == 0

def test_isolation_again(devchain):
    assert devchain.block_number == 4
"""

MARKED = """
import pytest

def test_own(devchain):
    assert devchain.block_number == 0

@pytest.fixture(scope="module")
def mined(devchain):
    devchain.mine()
    return devchain

@pytest.mark.devchain_fork("{url}", 2)
def test_marked(devchain, mined):
    assert devchain.block_number == 3
    assert mined is devchain
    assert devchain.fork.number == 2

@pytest.mark.devchain_fork(url="{url}@3")
def test_other_block(mined):
    assert mined.block_number == 4

def test_own_again(mined):
    assert mined.block_number == 1
    assert mined.fork is None

@pytest.mark.devchain_fork("{url}", 2)
def test_marked_again(devchain, mined):  # pytest 8 may run it before test_marked
    assert devchain.block_number == 3  # the module's fixture holds on
    assert devchain.fork.number == 2
"""


@pytest.fixture(autouse=True)
def _not_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as in CI, where some of these tests may run themselves."""
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def url() -> Iterator[str]:
    """The URL of a node with four blocks; the fourth has given an account 7 wei."""
    with Node(fixed_clock=1_700_000_000) as node:
        node.mine(3)
        send(node, HOLDER, value=7)
        with serve_in_thread(node) as served:
            yield served


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Run the suite of the test's folder."""
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:randomly", *options)


def test_recorded_then_offline(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """What was recorded is enough in CI; a value that is not is an error that names it.

    The settings are those of the page about forks, with another URL and block.
    """
    (settings,) = re.findall(r"```ini\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    settings, count = re.subn(r"https://\S+@\d+", f"{url}@4", dedent(settings))
    assert count == 1
    pytester.mkdir("tests")
    pytester.makeini(settings)
    pytester.makepyfile(SUITE)
    monkeypatch.setenv("CI", "true")
    missing = run(pytester)
    missing.assert_outcomes(errors=2)
    missing.stdout.fnmatch_lines(["*there is no fork cache*fork.sqlite: record one*"])
    run(pytester, "--devchain-fork-record").assert_outcomes(passed=2)
    pytester.makeini(settings.replace(url, "http://127.0.0.1:1/KEY"))
    run(pytester).assert_outcomes(passed=2)
    monkeypatch.delenv("CI")
    down = run(pytester)
    down.assert_outcomes(errors=2)
    down.stdout.fnmatch_lines(
        ["*block 4 of chain 33: without the node, run `CI=1 pytest`, with @4 after the URL*"]
    )
    down.stdout.no_fnmatch_line("*--offline*")
    monkeypatch.setenv("CI", "true")
    pytester.makepyfile(
        f"{SUITE}\ndef test_new(devchain):\n    devchain.balance('0x{'77' * 20}')\n"
    )
    unknown = run(pytester)
    unknown.assert_outcomes(passed=2, failed=1)
    for internal in ("*ForkCacheMiss*", "*During handling*", "*upstream_state.py*"):
        unknown.stdout.no_fnmatch_line(internal)
    advice = "to record it, run `pytest --devchain-fork-record` once with a network"
    unknown.stdout.fnmatch_lines(
        [f"*NotInForkCache*0x{'77' * 20}*is not known (it is not in *fork.sqlite)*: {advice}"]
    )


def test_marker(pytester: pytest.Pytester, url: str) -> None:
    """Marked tests run on a node of their own, with fixtures set up anew."""
    pytester.makepyfile(MARKED.format(url=url))
    run(pytester, "--strict-markers").assert_outcomes(passed=5)


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("devchain_fork", "*the marker devchain_fork names no URL*"),
        ("devchain_fork(1, 2, 3)", "*write the marker as devchain_fork(URL, BLOCK)*"),
        ("devchain_fork('http://127.0.0.1:1')", "*http://127.0.0.1:1 cannot be reached*"),
    ],
)
def test_wrong_marker(pytester: pytest.Pytester, marker: str, message: str) -> None:
    """One sentence says what is wrong."""
    pytester.makeconftest(
        "import pytest\n"
        "from devchain import Config\n"
        "@pytest.fixture(scope='session')\n"
        "def devchain_config():\n"
        "    return Config(retries=0)\n"
    )
    pytester.makepyfile(f"import pytest\n@pytest.mark.{marker}\ndef test_it(devchain):\n    pass\n")
    result = run(pytester)
    result.stdout.fnmatch_lines([message])
    assert result.ret != 0


def test_missing_without_a_url(pytester: pytest.Pytester, url: str) -> None:
    """The advice names the URL to give."""
    pytester.makepyfile(SUITE)
    recorded = run(pytester, f"--devchain-fork-url={url}@4", "--devchain-fork-cache=forks.sqlite")
    recorded.assert_outcomes(passed=2)
    pytester.makepyfile(
        "import pytest\n"
        "@pytest.mark.devchain_fork\n"
        "def test_new(devchain):\n"
        f"    devchain.balance('0x{'77' * 20}')\n"
    )
    command = "pytest --devchain-fork-record --devchain-fork-url=URL@4"

    run(pytester, "--devchain-fork-cache=forks.sqlite").stdout.fnmatch_lines(
        [f"*NotInForkCache*: to record it, run `{command}` once with a network"]
    )


def test_several_recorded_blocks(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Of a file with several forks one is named as it is done with pytest."""
    pytester.makepyfile("def test_it(devchain):\n    assert devchain.fork.number in (2, 4)\n")
    cache = "--devchain-fork-cache=forks.sqlite"
    for block in (2, 4):
        run(pytester, f"--devchain-fork-url={url}@{block}", cache).assert_outcomes(passed=1)
    monkeypatch.setenv("CI", "true")

    result = run(pytester, f"--devchain-fork-url={url}", cache)

    advice = "write @BLOCK after the URL of the fork, or devchain_fork(block=BLOCK) as the marker"
    listed = "block 2 of chain 33, block 4 of chain 33"
    result.stdout.fnmatch_lines([f"*has the forks at {listed}: {advice}"])
    result.stdout.no_fnmatch_line("*--fork-block-number*")


def test_overridden_url(pytester: pytest.Pytester, url: str) -> None:
    """A conftest.py may give the URL, so that a key need not be in a file."""
    pytester.makeconftest(
        "import pytest\n"
        "@pytest.fixture(scope='session')\n"
        "def devchain_fork_url():\n"
        f"    return '{url}'\n"
    )
    pytester.makepyfile(SUITE)
    run(pytester, "--devchain-fork-cache=forks.sqlite").assert_outcomes(passed=2)
    assert Path("forks.sqlite").exists()


def test_resets(pytester: pytest.Pytester, url: str) -> None:
    """A test that has reset the node to another fork, or to none, leaves the next one its own."""
    pytester.makepyfile(RESETS)
    result = pytester.runpytest_inprocess("--devchain-fork-url", f"{url}@4")
    result.assert_outcomes(passed=3)


def test_workers_share_the_file(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Processes of pytest-xdist record into one file, which is enough for all of them offline."""
    pytester.makepyfile(
        "import pytest\n"
        "@pytest.mark.parametrize('number', range(4))\n"
        "def test_balance(devchain, number):\n"
        "    assert devchain.balance(f'0x{number + 99:040x}') == 0\n"
        "    devchain.mine()\n"
        "    assert devchain.copy().block_number == 5\n"
    )
    cache = ("--devchain-fork-cache", "fork.sqlite")
    workers = ("-p", "xdist", "-n", "2", "--devchain-fork-url", f"{url}@4")
    recording = pytester.runpytest_inprocess(*workers, *cache, "--devchain-fork-record")
    recording.assert_outcomes(passed=4)
    monkeypatch.setenv("CI", "true")
    run(pytester, "--devchain-fork-url", "http://127.0.0.1:1@4", *cache).assert_outcomes(passed=4)


def test_recipient_of_the_page() -> None:
    """What the page sends on the upstream shows on the fork: its recipient is not funded there."""
    recipients = re.findall(r"devchain send (0x[0-9a-f]{40})", PAGE.read_text(encoding="utf-8"))
    with Node(network="main") as main, Node() as node:
        funded = {each.lower() for other in (main, node) for each in other.funded_accounts}

    assert recipients
    assert not funded & set(recipients)
