"""`devchain.rpc.methods.eth.state`"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from tests.accounts import UNFUNDED_HEX


class TestGetStorageAt:
    @pytest.mark.parametrize("slot", ["0x0", "0x1", 0, "0x" + "00" * 32, "0x" + "ff" * 32])
    def test_never_written(self, client: LocalClient, slot: object) -> None:
        """An unwritten slot is 32 zero bytes, in all notations of its number."""
        assert client.call("eth_getStorageAt", UNFUNDED_HEX, slot, "latest") == "0x" + "00" * 32

    @pytest.mark.parametrize("slot", ["0", "0x1" + "00" * 32, -1, None, True])
    def test_not_a_slot(self, client: LocalClient, slot: object) -> None:
        """A slot is a QUANTITY of at most 256 bits."""
        with pytest.raises(RpcFailure) as caught:
            client.call("eth_getStorageAt", UNFUNDED_HEX, slot, "latest")

        assert caught.value.code == -32602
        assert caught.value.message.startswith("argument slot: ")
