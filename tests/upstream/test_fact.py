"""`devchain.upstream.fact`"""

from __future__ import annotations

import json

import pytest

from devchain.upstream.fact import Fact, body_of, fact

ADDRESS = "0x" + "Ab" * 20


class TestFact:
    def test_canonical(self) -> None:
        """Hex is in lower case, keys are sorted and kept as they are."""
        made = fact("eth_call", {"to": "0xAB", "data": "0xCD", "gasPrice": "0X1"}, "latest", True)

        assert made == Fact(
            "eth_call", '[{"data":"0xcd","gasPrice":"0x1","to":"0xab"},"latest",true]'
        )
        assert made == fact(
            "eth_call", {"gasPrice": "0x1", "data": "0xcd", "to": "0xab"}, *("latest", True)
        )

    @pytest.mark.parametrize(
        ("made", "words"),
        [
            (fact("eth_getBalance", "0xab", "0x7b"), "the balance of 0xab at block 123"),
            (
                fact("eth_getStorageAt", "0xab", "0x3", "0x7b"),
                "storage slot 0x3 of 0xab at block 123",
            ),
            (fact("eth_getBlockByNumber", "0x7b", False), "block 123"),
            (fact("eth_getBlockByNumber", "latest", False), "block latest"),
            (fact("eth_getTransactionReceipt", "0xab"), "the receipt of transaction 0xab"),
            (fact("eth_gasPrice"), "eth_gasPrice[]"),
            (fact("eth_getStorageAt", "0xab"), 'eth_getStorageAt["0xab"]'),
            (fact("eth_getBlockByNumber"), "eth_getBlockByNumber[]"),
        ],
        ids=str,
    )
    def test_in_words(self, made: Fact, words: str) -> None:
        """Errors say in words what is asked."""
        assert made.in_words() == words

    def test_body(self) -> None:
        """A request has the parameters as they are, and places as ids."""
        facts = [fact("eth_chainId"), fact("eth_getCode", ADDRESS, "0x1")]

        assert json.loads(body_of(facts[:1])) == {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "eth_chainId",
            "params": [],
        }
        assert json.loads(body_of(facts))[1] == {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "eth_getCode",
            "params": [ADDRESS.lower(), "0x1"],
        }
