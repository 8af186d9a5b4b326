"""How long the first answer of a node, `--help` and pytest of one test take."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from bench import nodes
from bench.timing import MILLISECONDS, Measured, Run, in_slices
from devchain.client.http import HttpClient
from tests.projects.__main__ import ROOT

GROUP = "start"
TITANOBOA = ROOT / "tests" / "projects" / "vyper" / ".venv" / "bin" / "python"
"""An interpreter that has titanoboa, once that project's tests or the planted bugs have run."""
IMPORTS = [sys.executable, "-c", "import eth, quart"]
HELP = [sys.executable, "-m", "devchain", "--help"]

PLUGINS = {"devchain": ["devchain.testing.plugin"], "titanoboa": ["boa.test.plugin"]}
"""The libraries' own plugins for pytest: no others are loaded."""

# One test for each library that starts a chain and reads a balance.
FIRST_TESTS = {
    "devchain": """
def test_balance(accounts):
    assert accounts[0].balance > 0
""",
    "titanoboa": """
import boa

def test_balance():
    assert boa.env.get_balance(boa.env.eoa) == 0
""",
    "eth-tester": """
from eth_tester import EthereumTester

def test_balance():
    chain = EthereumTester()
    assert chain.get_balance(chain.get_accounts()[0]) > 0
""",
}


def measure(rounds: int) -> Iterator[list[Measured]]:
    """Milliseconds until a node answers and until help is shown, and of pytest with one test.

    Other libraries take part where they are installed: titanoboa in its own environment, eth-tester
    in this one.
    """
    answers: dict[str, Run] = {
        "imports alone": partial(_milliseconds, IMPORTS),
        "devchain start": first_answer,
    }
    yield in_slices(GROUP, "until the first answer", answers, rounds)
    yield in_slices(GROUP, "devchain --help", {"devchain": partial(_milliseconds, HELP)}, rounds)
    interpreters = {"devchain": sys.executable}
    if TITANOBOA.exists():
        interpreters["titanoboa"] = str(TITANOBOA)
    if find_spec("eth_tester"):
        interpreters["eth-tester"] = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        tests = {
            library: partial(_first_test, Path(folder), library, python)
            for library, python in interpreters.items()
        }
        yield in_slices(GROUP, "pytest of one test", tests, rounds)


def first_answer() -> float:
    """Milliseconds from `devchain start` to the first answer."""
    begun = time.perf_counter()
    with nodes.started() as url, closing(HttpClient(url, nodes.TIMEOUT)) as client:
        client.call("eth_chainId")
        return (time.perf_counter() - begun) * MILLISECONDS


def _first_test(folder: Path, library: str, python: str) -> float:
    """Milliseconds of pytest with one test of a library."""
    file = folder / f"test_{library.replace('-', '_')}.py"
    file.write_text(FIRST_TESTS[library], encoding="utf-8")
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, file]
    for plugin in PLUGINS.get(library, ()):
        command += ["-p", plugin]
    return _milliseconds([str(each) for each in command], PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")


def _milliseconds(command: Sequence[str], **environment: str) -> float:
    """How long a command takes that has to succeed, with compiled modules as users have them."""
    environment = {**nodes.user_environment(), **environment}
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return (time.perf_counter() - begun) * MILLISECONDS
