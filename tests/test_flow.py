"""End-to-end tests: `devchain start` in a subprocess, HTTP, web3.py."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from web3 import Web3
from web3.exceptions import ContractLogicError, Web3RPCError
from web3.types import RPCEndpoint

from tests.clients.conftest import START

EXAMPLES = Path(__file__).parents[1] / "examples"
TOO_MUCH = 20_000 * 10**18


@contextmanager
def started() -> Iterator[tuple[subprocess.Popen[str], Web3]]:
    """A running `devchain start --network test` on a free port, and web3.py connected to it."""
    with subprocess.Popen(
        [*START, "--network", "test"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        url = running.stdout.readline().split()[-1]
        yield running, Web3(Web3.HTTPProvider(url))
        running.kill()


@pytest.fixture(scope="module")
def shared() -> Iterator[Web3]:
    """web3.py connected to the node of all tests that do not stop it."""
    with started() as (_, w3):
        yield w3


@pytest.fixture
def w3(shared: Web3) -> Iterator[Web3]:
    """web3.py connected to a node at genesis."""
    ask = shared.provider.make_request
    snapshot = ask(RPCEndpoint("evm_snapshot"), [])["result"]
    yield shared
    ask(RPCEndpoint("evm_revert"), [snapshot])


class TestExamples:
    @pytest.mark.parametrize("script", ["web3py_vault.py", "stdlib_vault.py"])
    def test_script(self, w3: Web3, script: str) -> None:
        """The Python examples exit with 0."""
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / script), w3.provider.endpoint_uri],
            capture_output=True,
            text=True,
            check=False,
        )

        assert done.returncode == 0, done.stderr


class TestWeb3:
    def test_traces(self, w3: Web3) -> None:
        """web3.py reads traces in Parity's and in geth's format."""
        sender, receiver = w3.eth.accounts[:2]
        sent = w3.eth.send_transaction({"from": sender, "to": receiver, "value": 7})
        mined = w3.eth.wait_for_transaction_receipt(sent)

        (parity,) = w3.tracing.trace_transaction(sent)
        (of_block,) = w3.tracing.trace_block(mined["blockNumber"])
        (filtered,) = w3.tracing.trace_filter({"fromBlock": mined["blockNumber"]})
        called = w3.geth.debug.trace_transaction(sent, {"tracer": "callTracer"})

        assert parity == of_block == filtered
        assert (parity["action"]["from"], parity["action"]["to"]) == (sender, receiver)
        assert (parity["action"]["value"], parity["transactionHash"]) == (7, sent)
        assert (called["value"], called["gasUsed"]) == (7, mined["gasUsed"])

    def test_first_contact(self, w3: Web3) -> None:
        """A client reads the chain id, the funded accounts and the genesis block."""
        assert w3.is_connected()
        assert w3.eth.chain_id == 31
        assert len(w3.eth.accounts) == 10
        assert w3.eth.get_balance(w3.eth.accounts[0]) == 10_000 * 10**18
        assert w3.eth.get_block("latest")["number"] == 0

    def test_transfer(self, w3: Web3) -> None:
        """A transfer is mined when its hash is returned."""
        alice, bob = w3.eth.accounts[:2]

        tx_hash = w3.eth.send_transaction({"from": alice, "to": bob, "value": 5})

        assert w3.eth.get_transaction_receipt(tx_hash)["status"] == 1
        assert w3.eth.get_balance(bob) == 10_000 * 10**18 + 5

    def test_signed_by_the_client(self, w3: Web3) -> None:
        """A transaction signed by the client is accepted."""
        key = w3.eth.account.create()
        w3.eth.send_transaction({"from": w3.eth.accounts[0], "to": key.address, "value": 10**18})
        signed = key.sign_transaction(
            {
                "to": w3.eth.accounts[1],
                "value": 1,
                "gas": 21_000,
                "gasPrice": w3.eth.gas_price,
                "nonce": 0,
                "chainId": 31,
            }
        )

        tx_hash = w3.eth.send_raw_transaction(signed.raw_transaction)

        assert w3.eth.get_transaction(tx_hash)["from"] == key.address

    def test_revert_is_a_logic_error(self, w3: Web3) -> None:
        """web3.py raises ContractLogicError for a revert."""
        with pytest.raises(ContractLogicError):
            w3.eth.call({"data": "0x60006000fd"})

    def test_refusal(self, w3: Web3) -> None:
        """A rejected transaction has rskj's error message."""
        alice = w3.eth.accounts[0]

        with pytest.raises(Web3RPCError, match="insufficient funds"):
            w3.eth.send_transaction({"from": alice, "to": alice, "value": TOO_MUCH})

    def test_filters(self, w3: Web3) -> None:
        """Block and transaction filters return new entries once."""
        blocks, pending = w3.eth.filter("latest"), w3.eth.filter("pending")
        alice = w3.eth.accounts[0]

        tx_hash = w3.eth.send_transaction({"from": alice, "to": alice})

        assert blocks.get_new_entries() == [w3.eth.get_block("latest")["hash"]]
        assert pending.get_new_entries() == [tx_hash]
        assert blocks.get_new_entries() == []


class TestStop:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_signal(self, number: int) -> None:
        """A signal stops the node without a traceback while a client is connected."""
        with started() as (process, w3):
            assert w3.is_connected()

            process.send_signal(number)
            _, printed = process.communicate(timeout=20)

        assert process.returncode == 0
        assert "Traceback" not in printed
