"""`devchain.server.checks`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.server.checks import Refused, check_host, check_origin, quoted


class TestQuoted:
    def test_hostile_text(self) -> None:
        """Text of a client is escaped and bounded before it is repeated."""
        assert quoted("a\x1b[2J\n\u202e") == r"'a\x1b[2J\n\u202e'"
        assert len(quoted("y" * 500)) == 105


class TestCheckHost:
    @pytest.mark.parametrize(
        ("host", "hint"),
        [
            ("box.lan:4444", "--allow-host box.lan"),
            ("[fd00::1]:4444", "--allow-host fd00::1"),
            ("what is this", "--allow-host NAME"),
        ],
    )
    def test_hint(self, host: str, hint: str) -> None:
        """The refusal has the option as it is to be written."""
        with pytest.raises(Refused) as caught:
            check_host(host, Config())

        assert caught.value.status == 403
        assert caught.value.message.endswith(hint)


class TestCheckOrigin:
    def test_several(self) -> None:
        """One foreign origin among several is enough to refuse."""
        origins = ["http://localhost", "http://evil.example"]

        with pytest.raises(Refused, match=r"evil\.example"):
            check_origin(origins, Config())
