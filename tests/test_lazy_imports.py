"""`devchain.lazy_imports`"""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from threading import Barrier
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

from devchain.lazy_imports import MODULES, PACKAGES, LazyFinder, LazyPackage, StandIn, install

INIT = '''
"""A package that loads all its modules."""
import sys
from importlib.metadata import version as __version

from . import codec as json_codec, plain
from .numbers import double, half
from fruit.names import (
    half as half_name,
)

SEEN = []
SEEN.append("eager")
LATEST = double(half(20))
__version__ = __version("pytest")
'''
MODULE_FILES = {
    "__init__.py": INIT,
    "codec.py": "",
    "plain.py": "",
    "numbers.py": "def double(number): return 2 * number\nhalf = lambda number: number // 2\n",
    "names.py": "half = 'a half'\n",
    "half.py": "",  # the submodule of a name that `__init__` binds
    "slow.py": "class Table:\n    size = 7\n    def rows(self): return 3\n",
    "user.py": "import sys\nfrom fruit.slow import Table as Rows\nrows = lambda: Rows().rows()\n",
}


@pytest.fixture
def fruit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Writes the package `fruit` with that `__init__` and imports it."""
    finder = LazyFinder({"fruit"}, {"fruit.user": "fruit.slow"})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])

    def load(init: str = INIT) -> Any:
        (tmp_path / "fruit").mkdir()
        for name, text in (MODULE_FILES | {"__init__.py": init}).items():
            (tmp_path / "fruit" / name).write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        return importlib.import_module("fruit")

    yield load
    for name in [each for each in sys.modules if each.partition(".")[0] == "fruit"]:
        del sys.modules[name]


def loaded() -> set[str]:
    """The submodules of the package that have been imported."""
    return {each for each in sys.modules if each.startswith("fruit.")}


class TestLazyPackage:
    def test_import(self, fruit: Any) -> None:
        """Only calls run at first, and what they read; nothing else is imported."""
        package = fruit()

        assert isinstance(package, LazyPackage)
        assert loaded() == set()
        assert package.__doc__ == "A package that loads all its modules."
        assert package.SEEN == ["eager"]

    def test_name(self, fruit: Any) -> None:
        """A name is imported when it is first used, without the others."""
        fruit()
        from fruit import double  # type: ignore[import-not-found]

        assert double(4) == 8
        assert loaded() == {"fruit.numbers"}

    def test_names_read(self, fruit: Any) -> None:
        """An assignment runs after the imports that it reads."""
        package = fruit()

        assert package.LATEST == 20
        assert package.__version__ == pytest.__version__
        assert "fruit.names" not in loaded()

    def test_submodule(self, fruit: Any) -> None:
        """A submodule is an attribute, also by the name under which `__init__` imports it."""
        package = fruit()

        assert package.json_codec is sys.modules["fruit.codec"]
        assert package.plain is sys.modules["fruit.plain"]
        assert package.names.half == "a half"
        assert package.half_name == "a half"

    def test_name_of_submodule(self, fruit: Any) -> None:
        """Importing a submodule does not hide what `__init__` binds to the same name."""
        package = fruit()
        import fruit.half

        assert package.half(8) == 4

    def test_unknown(self, fruit: Any) -> None:
        package = fruit()

        assert not hasattr(package, "pear")
        assert not hasattr(package, "__wrapped__")
        assert loaded() == set()

    def test_star(self, fruit: Any) -> None:
        """`import *` takes every public name."""
        fruit()
        names: dict[str, Any] = {}

        exec("from fruit import *", names)  # noqa: S102  # it is not allowed in a function

        assert names["half"](6) == 3
        assert names["LATEST"] == 20

    @pytest.mark.parametrize("read", [vars, lambda package: dict.fromkeys(dir(package))])
    def test_listing(self, fruit: Any, read: Callable[[ModuleType], dict[str, Any]]) -> None:
        """`vars` and `dir` show every name."""
        names = read(fruit()).keys()

        assert {"SEEN", "LATEST", "double", "half", "json_codec", "plain", "__file__"} <= names

    def test_patched(self, fruit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """A name that is set before its first use keeps the value; undoing brings the import."""
        package = fruit()
        package.LATEST = 1
        with mock.patch("fruit.double", lambda number: 3 * number):
            assert package.double(2) == 6
        monkeypatch.setattr(package, "half", None)
        assert package.half is None
        monkeypatch.undo()

        assert package.double(2) == 4
        assert package.half(2) == 1
        assert vars(package)["LATEST"] == 1

    def test_reload(self, fruit: Any) -> None:
        package = fruit()

        assert importlib.reload(package) is package
        assert package.__loader__.get_source("fruit") == INIT
        assert package.double(2) == 4

    def test_threads(self, fruit: Any) -> None:
        """Threads that use names at the same time all get the same objects."""
        package = fruit()
        names = ["double", "half", "LATEST", "json_codec"]
        barrier = Barrier(8)

        def use(ordered: list[str]) -> dict[str, Any]:
            barrier.wait()
            return {each: getattr(package, each) for each in ordered}

        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(use, [names, names[::-1]] * 4))

        assert all(each == results[0] for each in results)
        assert vars(package).items() >= results[0].items()

    @pytest.mark.parametrize(
        "code",
        [
            "def other(): return double",
            "class Other: pass",
            "if SEEN: half = None",
            "from .names import *",
            "half = half",
            "a, b = 1, 2",
            "SEEN += []",
        ],
    )
    def test_other_code(self, fruit: Any, code: str) -> None:
        """A package with other code loads as usual."""
        package = fruit(f"{INIT}\n{code}\n")

        assert type(package) is ModuleType
        assert loaded() >= {"fruit.codec", "fruit.plain", "fruit.numbers", "fruit.names"}

    def test_imported_before(self) -> None:
        """A package that has been imported is left as it is."""
        program = """
            import eth_utils, types
            import devchain.node
            assert type(eth_utils) is types.ModuleType
            import eth_account
            assert type(eth_account) is not types.ModuleType
        """

        run(program)


class TestStandIn:
    def test_used(self, fruit: Any) -> None:
        """The slow module is imported when a function uses a stand-in, and by others as usual."""
        fruit()
        from fruit import user

        assert isinstance(user.Rows, StandIn)
        assert loaded() == {"fruit.user"}
        assert user.Rows.size == 7
        assert user.rows() == 3
        from fruit.slow import Table  # type: ignore[import-not-found]

        assert isinstance(user.Rows(), Table)

    @pytest.mark.parametrize(("module", "slow"), MODULES.items())
    def test_imports(self, module: str, slow: str) -> None:
        """Each listed module imports names of the slow one at its top level."""
        spec = find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        body = ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body

        assert slow in {each.module for each in body if isinstance(each, ast.ImportFrom)}


def run(program: str, *arguments: str) -> str:
    """What a program prints, run by a new interpreter."""
    command = [sys.executable, "-c", dedent(program), *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


NAMES = """
import importlib, json, sys
def text(value):
    if isinstance(value, (str, bytes, int, tuple, list)):
        return repr(value)
    named = getattr(value, "func", value)  # of a curried function
    return " ".join(str(getattr(named, each, "")) for each in ("__module__", "__qualname__"))
names = {}
for package in json.loads(sys.argv[1])[::-1]:
    module = importlib.import_module(package)
    public = [each for each in dir(module) if not each.startswith("_") or each == "__version__"]
    values = {each: getattr(module, each) for each in public[::-1]}
    names[package] = {
        each: text(value) for each, value in values.items() if not isinstance(value, type(sys))
    }
print(json.dumps(names))
"""
"""Prints what the names of packages stand for, in reversed order, without their submodules."""


class TestInstall:
    def test_once(self) -> None:
        before = list(sys.meta_path)

        install()

        assert sys.meta_path == before
        assert sum(isinstance(each, LazyFinder) for each in before) == 1

    def test_names(self) -> None:
        """The listed packages have the names that they have otherwise, for the same things."""
        packages = json.dumps(sorted(PACKAGES))

        def read(program: str) -> dict[str, Any]:
            names: dict[str, Any] = json.loads(run(program, packages))
            return names

        usual = read(NAMES)
        assert usual["eth_utils"]["to_hex"] == "eth_utils.conversions to_hex"
        assert read(f"import devchain.node\n{NAMES}") == usual

    @pytest.mark.parametrize(
        "module", ["eth._utils.state", "eth.precompiles.point_evaluation", "eth.constants"]
    )
    def test_circles(self, module: str) -> None:
        """Modules of py-evm that import each other in circles can be imported first."""
        run(f"import devchain.contracts, {module}")

    def test_users_imports(self) -> None:
        """What programs import themselves after a node are the libraries' own functions."""
        program = """
            import inspect, sys
            from devchain import Config, Node
            Node(Config(hardfork="prague"))
            assert "py_ecc.bls" not in sys.modules
            from py_ecc.bls import G2ProofOfPossession
            from py_ecc.optimized_bls12_381 import G1, G2, neg, pairing
            from eth.precompiles import bls12_g1_add
            from eth.vm.forks.prague import PragueVM
            from eth_keyfile.keyfile import bls
            assert inspect.isclass(G2ProofOfPossession)
            assert bls.SkToPk(1) == G2ProofOfPossession.SkToPk(1)
            assert inspect.isfunction(pairing) and inspect.isfunction(bls12_g1_add)
            class Own(G2ProofOfPossession): pass
            assert pairing(G2, G1) * pairing(G2, neg(G1)) == pairing(G2, G1).one()
        """

        run(program)
