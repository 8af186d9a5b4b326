"""What nodes answer, read strictly: quantities, data, storage words; and what a fact may be."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from devchain.errors import UpstreamAnswerInvalid
from devchain.text import printable, shorten
from devchain.upstream.fact import Fact, canonical

QUANTITY = re.compile("0x[0-9a-fA-F]{1,64}")
DATA = re.compile("0x(?:[0-9a-fA-F]{2})*")
SHOWN = 60


def quantity(value: Any, bits: int = 256) -> int:
    """A QUANTITY of at most so many bits; leading zeros are accepted, as some nodes write them."""
    if isinstance(value, str) and QUANTITY.fullmatch(value):
        number = int(value, 16)
        if number < 1 << bits:
            return number
    raise invalid(value, f"a quantity of at most {bits} bits")


def optional_quantity(value: Any, bits: int = 256) -> int | None:
    """A QUANTITY, or None for null: REMASC transactions have no signature."""
    return None if value is None else quantity(value, bits)


def data(value: Any, size: int | None = None) -> bytes:
    """DATA, of exactly so many bytes if given."""
    if isinstance(value, str) and DATA.fullmatch(value):
        content = bytes.fromhex(value[2:])
        if size is None or len(content) == size:
            return content
    raise invalid(value, "data" if size is None else f"{size} bytes of data")


def word(value: Any) -> int:
    """A storage word: 32 bytes, or fewer digits (`0x0`, unpadded, of odd length), or null or `0x`.

    Rootstock nodes write an unset slot as `0x0` and others without leading zeros.
    """
    if value is None or value == "0x":
        return 0
    return quantity(value)


def invalid(value: Any, wanted: str) -> UpstreamAnswerInvalid:
    """The error for a value that is not what was wanted."""
    try:
        text = canonical(value)
    except TypeError:
        text = type(value).__name__
    shown = shorten(printable(text), SHOWN)
    return UpstreamAnswerInvalid(f"the upstream answers {shown} where {wanted} should be")


def _output(value: Any) -> None:
    if isinstance(value, dict):
        value = value.get("error")
        if not isinstance(value, str):
            raise invalid(value, "the message of a failed execution")
    else:
        data(value)


def _nonce(value: Any) -> int:
    return quantity(value, 64)


def _number(value: Any) -> int:
    return quantity(value, 63)


def _block(value: Any) -> None:
    if value is not None:
        if not isinstance(value, dict):
            raise invalid(value, "a block or null")
        data(value.get("hash"), 32)
        _number(value.get("number"))


def _mined(value: Any) -> None:
    if value is not None:
        if not isinstance(value, dict):
            raise invalid(value, "an object or null")
        if value.get("blockNumber") is not None:
            _number(value["blockNumber"])


def _objects(value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise invalid(value, "a list of objects")


def _storage_bytes(value: Any) -> None:
    if value != "0x0":
        data(value)


CHECKS: dict[str, Callable[[Any], object]] = {
    "eth_blockNumber": _number,
    "eth_call": _output,
    "eth_chainId": _number,
    "eth_getBalance": quantity,
    "eth_getBlockByHash": _block,
    "eth_getBlockByNumber": _block,
    "eth_getCode": data,
    "eth_getLogs": _objects,
    "eth_getStorageAt": word,
    "eth_getTransactionByHash": _mined,
    "eth_getTransactionCount": _nonce,
    "eth_getTransactionReceipt": _mined,
    "rsk_getStorageBytesAt": _storage_bytes,
}
"""What raises `UpstreamAnswerInvalid` for a wrong answer of a method."""


def check(fact: Fact, value: Any) -> None:
    """Raise `UpstreamAnswerInvalid` if a value cannot be the answer to a fact."""
    test = CHECKS.get(fact.method)
    try:
        if test is not None:
            test(value)
        canonical(value)
    except UpstreamAnswerInvalid as error:
        raise UpstreamAnswerInvalid(f"{error} ({fact.in_words()})") from None
    except TypeError:
        raise UpstreamAnswerInvalid(
            f"the upstream's answer is nested too deeply ({fact.in_words()})"
        ) from None
