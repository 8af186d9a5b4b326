"""`devchain.evm.lazy_imports`"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devchain.evm.lazy_imports import PAIRINGS, LazyModule, defer_imports

PAIRING = """
import sys
from devchain.evm.lazy_imports import PAIRINGS, LazyModule, defer_imports
defer_imports()
from devchain.node import Node
assert all(isinstance(sys.modules[each], LazyModule) for each in PAIRINGS), "imported at once"
from py_ecc.optimized_bls12_381 import G1, G2, neg, pairing
assert pairing(G2, G1) * pairing(G2, neg(G1)) == 1 * pairing(G2, G1).one()
assert not isinstance(sys.modules["py_ecc.optimized_bls12_381.optimized_pairing"], LazyModule)
from py_ecc.bls.hash_to_curve import clear_cofactor_G1
from py_ecc.optimized_bls12_381 import is_on_curve, b
assert is_on_curve(clear_cofactor_G1(G1), b)
from eth_keyfile.keyfile import bls
assert len(bls.SkToPk(1)) == 48
import py_ecc.bls
assert py_ecc.bls.__path__
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module on the import path, removed from `sys.modules` afterwards."""
    (tmp_path / "slow_module.py").write_text("def double(number): return 2 * number\nMOST = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "slow_module"
    sys.modules.pop("slow_module", None)


class TestDeferImports:
    def test_pairings(self) -> None:
        """A node starts without the slow modules; their functions work when called."""
        subprocess.run([sys.executable, "-c", PAIRING], check=True)

    @pytest.mark.parametrize("name", PAIRINGS)
    def test_names(self, name: str) -> None:
        """Each listed name is a function of the module."""
        module = LazyModule(name, PAIRINGS[name])

        assert all(callable(getattr(module, each)) for each in PAIRINGS[name])

    def test_first_call(self, module: str) -> None:
        """The first call of a placeholder imports the module and calls its function."""
        defer_imports({module: ("double",)})
        from slow_module import double  # type: ignore[import-not-found]

        assert isinstance(sys.modules[module], LazyModule)
        assert double(number=4) == 8
        assert double(5) == 10
        assert not isinstance(sys.modules[module], LazyModule)

    def test_other_names(self, module: str) -> None:
        """Reading any other name imports the module."""
        defer_imports({module: ()})
        from slow_module import MOST

        assert MOST == 7

    def test_imported_before(self, module: str) -> None:
        """A module that is already imported is not replaced."""
        import slow_module

        defer_imports({module: ("double",)})

        assert sys.modules[module] is slow_module
