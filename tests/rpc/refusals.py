"""Error messages of decoders."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devchain.errors import InvalidParams


def refusal(decode: Callable[..., object], *given: object) -> str:
    """The message with which a decoder refuses a value."""
    with pytest.raises(InvalidParams) as caught:
        decode(*given)
    return str(caught.value)
