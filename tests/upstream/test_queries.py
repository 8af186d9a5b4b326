"""`devchain.upstream.queries`"""

from __future__ import annotations

import json
from typing import Any

import pytest

from devchain.errors import UpstreamAnswerInvalid
from devchain.upstream.queries import (
    UpstreamQuery,
    body_of,
    data,
    quantity,
    upstream_query,
    word,
)

ADDRESS = "0x" + "Ab" * 20


class TestUpstreamQuery:
    def test_canonical(self) -> None:
        """Hex is in lower case, keys are sorted and kept as they are."""
        made = upstream_query(
            "eth_call", {"to": "0xAB", "data": "0xCD", "gasPrice": "0X1"}, "latest", True
        )

        assert made == UpstreamQuery(
            "eth_call", '[{"data":"0xcd","gasPrice":"0x1","to":"0xab"},"latest",true]'
        )
        assert made == upstream_query(
            "eth_call", {"gasPrice": "0x1", "data": "0xcd", "to": "0xab"}, *("latest", True)
        )

    @pytest.mark.parametrize(
        ("made", "words"),
        [
            (upstream_query("eth_getBalance", "0xab", "0x7b"), "the balance of 0xab at block 123"),
            (
                upstream_query("eth_getStorageAt", "0xab", "0x3", "0x7b"),
                "storage slot 0x3 of 0xab at block 123",
            ),
            (upstream_query("eth_getBlockByNumber", "0x7b", False), "block 123"),
            (upstream_query("eth_getBlockByNumber", "latest", False), "block latest"),
            (
                upstream_query("eth_getTransactionReceipt", "0xab"),
                "the receipt of transaction 0xab",
            ),
            (upstream_query("eth_gasPrice"), "eth_gasPrice[]"),
        ],
        ids=str,
    )
    def test_in_words(self, made: UpstreamQuery, words: str) -> None:
        """Errors say in words what is asked."""
        assert made.in_words() == words

    def test_body(self) -> None:
        """A request has the parameters as they are, and places as ids."""
        cache = [upstream_query("eth_chainId"), upstream_query("eth_getCode", ADDRESS, "0x1")]

        assert json.loads(body_of(cache[:1])) == {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "eth_chainId",
            "params": [],
        }
        assert json.loads(body_of(cache))[1] == {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "eth_getCode",
            "params": [ADDRESS.lower(), "0x1"],
        }


class TestQuantity:
    @pytest.mark.parametrize(("value", "number"), [("0x0", 0), ("0x07", 7), ("0xFF", 255)])
    def test_read(self, value: str, number: int) -> None:
        """Leading zeros and capitals are read."""
        assert quantity(value) == number

    @pytest.mark.parametrize(
        "value", [None, 7, "7", "0x", "0x-1", "0x1_0", " 0x1", "0x1\n", "0xg", "0x" + "1" * 65, []]
    )
    def test_wrong(self, value: Any) -> None:
        """What is no quantity is an error that shows it."""
        with pytest.raises(UpstreamAnswerInvalid, match="where a quantity of at most 256 bits"):
            quantity(value)

    def test_bits(self) -> None:
        """A quantity must fit its type."""
        assert quantity("0xffffffffffffffff", 64) == 2**64 - 1
        with pytest.raises(UpstreamAnswerInvalid, match="at most 64 bits"):
            quantity("0x10000000000000000", 64)


class TestData:
    def test_read(self) -> None:
        """Data may be empty, or of a given size."""
        assert (data("0x"), data("0xABcd"), data("0x01", 1)) == (b"", b"\xab\xcd", b"\x01")

    @pytest.mark.parametrize(
        "value", [None, "", "0x1", "01", "0x 1", "0x 01", "0x01 23", "0xgg", "0x01\n", 1]
    )
    def test_wrong(self, value: Any) -> None:
        """Data has whole bytes in hex."""
        with pytest.raises(UpstreamAnswerInvalid, match="where data should be"):
            data(value)

    def test_size(self) -> None:
        """Data of another size is an error."""
        with pytest.raises(UpstreamAnswerInvalid, match="where 2 bytes of data should be"):
            data("0x01", 2)


class TestWord:
    @pytest.mark.parametrize(
        ("value", "number"),
        [
            ("0x" + "00" * 31 + "07", 7),
            ("0x0", 0),
            ("0x7", 7),
            ("0x", 0),
            (None, 0),
            ("0x102", 258),
        ],
    )
    def test_read(self, value: Any, number: int) -> None:
        """Storage words come padded, without leading zeros, or as nothing where they are zero."""
        assert word(value) == number

    @pytest.mark.parametrize("value", ["0x" + "00" * 33, 0, "", "0xg"])
    def test_wrong(self, value: Any) -> None:
        """More than 32 bytes, or no hex, is no storage word."""
        with pytest.raises(UpstreamAnswerInvalid):
            word(value)
