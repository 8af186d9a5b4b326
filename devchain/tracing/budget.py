"""How large what is traced for one request may grow."""

from __future__ import annotations

from devchain.errors import LimitExceeded

WORD = 32
DEFAULT_WORDS = 8_000_000


class Budget:
    """Words of 32 bytes that may still be written down; one for all traces of a request."""

    def __init__(self, words: int = DEFAULT_WORDS) -> None:
        """Start with so many."""
        self._left = words
        self._words = words

    def spend(self, words: int) -> None:
        """Take from it; raises `LimitExceeded` when there are not so many left."""
        self._left -= words
        if self._left < 0:
            msg = (
                f"the trace grows larger than {self._words} words (--max-trace-size): give a limit,"
                " leave out stack, memory and storage, or ask for fewer transactions"
            )
            raise LimitExceeded(msg)

    def spend_bytes(self, *values: bytes) -> None:
        """Take what some bytes need."""
        self.spend(sum(len(value) for value in values) // WORD)
