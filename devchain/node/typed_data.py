"""Typed data (EIP-712), as far as the library that encodes it does not check it."""

from __future__ import annotations

import re
from typing import Any

from eth_account.messages import SignableMessage, encode_typed_data

from devchain.errors import InvalidInput

ARRAY = re.compile(r"(?P<of>.+)\[(?P<length>[0-9]*)\]\Z")


def encode(typed: dict[str, Any]) -> SignableMessage:
    """What is signed of typed data; raises `InvalidInput` if it does not fit its types."""
    try:
        encoded = encode_typed_data(full_message=typed)
    except Exception as error:  # the library lets through whatever strange data runs into
        msg = f"typed data cannot be encoded: {type(error).__name__}: {str(error)[:200]}"
        raise InvalidInput(msg) from error
    _check(typed["types"], typed["primaryType"], typed["message"])
    return encoded


def _check(types: dict[str, Any], kind: str, value: object) -> None:
    """Raise for an array that is longer or shorter than its type says, at any depth."""
    array = ARRAY.match(kind)
    if array is None:
        members = value if isinstance(value, dict) else {}
        for each in types.get(kind, ()):
            _check(types, each["type"], members.get(each["name"]))
        return
    if not isinstance(value, list):
        return
    wanted = array["length"]
    if wanted and len(value) != int(wanted):
        msg = f"Expected {wanted} items for array type {kind}, got {len(value)} items"
        raise InvalidInput(msg)
    for each in value:
        _check(types, array["of"], each)
