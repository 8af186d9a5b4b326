"""`devchain.evm.forks`"""

from __future__ import annotations

import pytest

from devchain.config import HARDFORKS
from devchain.errors import ConfigError
from devchain.evm.forks import FORKS, vm_class


class TestVmClass:
    def test_every_option(self) -> None:
        """Every hardfork the configuration offers has its rules, and no other one."""
        assert sorted(FORKS) == sorted(HARDFORKS)
        assert [vm_class(name).fork for name in HARDFORKS] == list(HARDFORKS)

    def test_unknown(self) -> None:
        """An unknown name is refused with the known ones."""
        with pytest.raises(
            ConfigError, match="unknown hardfork 'frontier'; choose one of: vetiver"
        ):
            vm_class("frontier")
