"""The sentences with which decoders refuse."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devchain.rpc.errors import InvalidParams


def refusal(decode: Callable[..., object], *given: object) -> str:
    """The sentence with which a decoder refuses a value."""
    with pytest.raises(InvalidParams) as caught:
        decode(*given)
    return str(caught.value)
