"""`devchain.lazy_imports`"""

from __future__ import annotations

import ast
import copy
import importlib.machinery
import inspect
import json
import pickle
import pkgutil
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from textwrap import dedent
from threading import Barrier
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

from devchain.lazy_imports import MODULES, PACKAGES, LazyFinder, StandIn, install

INIT = '''
"""A package that loads all its modules."""
import sys
from importlib.metadata import version as __version

from . import codec as json_codec, plain
from .half import half
from .numbers import double, triple
from fruit.names import (
    half as half_name,
)

SEEN = []
__version__ = __version("pytest")
'''
MODULE_FILES = {
    "__init__.py": INIT,
    "codec.py": "",
    "plain.py": "",
    "numbers.py": "def double(number): return 2 * number\ntriple = None\n",
    "names.py": "half = 'a half'\n",
    "half.py": "half = lambda number: number // 2\n",  # the submodule of a name it binds
    "inspector.py": "import fruit\nFOUND = vars(fruit)['half_name']\n",
    "slow.py": "class Table:\n    size = 7\n    def rows(self): return 3\n",
    "user.py": "import sys\nfrom fruit.slow import Table as Rows\nrows = lambda: Rows().rows()\n",
}


HOOKS = {"__getattr__", "__dir__"}


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


class TestPackages:
    def test_import(self, fruit: Any) -> None:
        """What is no import of a name from the package's own modules runs at once."""
        package = fruit()

        assert loaded() == {"fruit.codec", "fruit.plain", "fruit.half"}
        assert package.__doc__ == "A package that loads all its modules."
        assert package.SEEN == []
        assert package.__version__ == pytest.__version__

    def test_name(self, fruit: Any) -> None:
        """A name is imported when it is first used, without the others."""
        fruit()
        from fruit import double  # type: ignore[import-not-found]

        assert double(4) == 8
        assert loaded() >= {"fruit.numbers"}
        assert "fruit.names" not in loaded()

    def test_name_read(self, fruit: Any) -> None:
        """What an assignment reads is imported at once."""
        package = fruit(f"{INIT}\nLATEST = double(20)\n")

        assert package.LATEST == 40
        assert "fruit.numbers" in loaded()

    def test_submodule(self, fruit: Any) -> None:
        """A submodule is an attribute, imported or not."""
        package = fruit()

        assert package.json_codec is sys.modules["fruit.codec"]
        assert package.names.half == "a half"
        assert package.half_name == "a half"

    def test_name_of_submodule(self, fruit: Any) -> None:
        """Importing a submodule does not hide what `__init__` binds to the same name."""
        package = fruit()
        importlib.import_module("fruit.half")

        assert package.half(8) == 4

    def test_unknown(self, fruit: Any) -> None:
        """A name that there is not imports nothing."""
        package = fruit()
        before = loaded()

        assert not hasattr(package, "__wrapped__")
        with pytest.raises(AttributeError, match="module 'fruit' has no attribute 'pear'"):
            package.pear  # noqa: B018
        with pytest.raises(ImportError, match="cannot import name 'pear' from 'fruit'"):
            exec("from fruit import pear", {})  # noqa: S102
        assert loaded() == before

    @pytest.mark.parametrize("listed", ["", "__all__ = ['double', 'half', 'half_name']"])
    def test_star(self, fruit: Any, listed: str) -> None:
        """`import *` takes every public name, or those of `__all__`."""
        fruit(f"{INIT}\n{listed}\n")
        names: dict[str, Any] = {}

        exec("from fruit import *", names)  # noqa: S102  # it is not allowed in a function

        assert names["half"](6) == 3
        assert names["half_name"] == "a half"
        assert ("SEEN" in names) is (listed == "")

    def test_dir(self, fruit: Any) -> None:
        """`dir` and what reads members with it show the names that the package has otherwise."""
        package = fruit()
        shown = dir(package)
        members = dict(inspect.getmembers(package))
        importlib.reload(package)

        submodules = {each.rpartition(".")[2] for each in loaded()} - {"half"}
        assert set(shown) - submodules == vars(package).keys() - HOOKS - submodules
        assert {"SEEN", "double", "half", "half_name", "json_codec", "__file__"} <= set(shown)
        assert members["double"](2) == 4

    def test_patched(self, fruit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """A name that is set before its first use keeps the value; undoing brings the import."""
        package = fruit()
        package.triple = None
        with mock.patch("fruit.double", lambda number: 3 * number):
            assert package.double(2) == 6
        monkeypatch.setattr("fruit.half_name", "patched")
        assert package.half_name == "patched"
        monkeypatch.undo()

        assert package.double(2) == 4
        assert package.half_name == "a half"
        assert dir(package)
        assert package.triple is None

    def test_forgotten(self, fruit: Any) -> None:
        """A module that is forgotten is imported again, as `pytester` has it after each run."""
        package = fruit()
        before = dict(sys.modules)
        first = package.double
        sys.modules.clear()
        sys.modules.update(before)

        from fruit.numbers import double  # type: ignore[import-not-found]

        assert double is not first
        assert package.double is double

    def test_reload(self, fruit: Any, tmp_path: Path) -> None:
        """Reloading runs what the file says now."""
        package = fruit()
        (tmp_path / "fruit" / "__init__.py").write_text("from .names import half as double\n")
        importlib.invalidate_caches()

        assert importlib.reload(package) is package
        assert package.double == "a half"

    def test_threads(self, fruit: Any) -> None:
        """Threads that use names at the same time all get the same objects."""
        package = fruit()
        names = ["double", "half", "half_name", "triple", "names", "numbers"]
        barrier = Barrier(8)

        def use(ordered: list[str]) -> dict[str, Any]:
            barrier.wait()
            return {each: getattr(package, each) for each in ordered}

        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(use, [names, names[::-1]] * 4))

        assert all(each == results[0] for each in results)

    @pytest.mark.parametrize(
        "code",
        [
            "def other(): return double",
            "class Other: pass",
            "if SEEN: half = None",
            "SEEN += []",
            "SEEN.append(1)",
            "from .names import *",
            "half_name = half_name",
            "double, half_name = 1, 2",
            "from .names import half as double, half as half_name",
            "import fruit.names as double, fruit.names as half_name",
        ],
    )
    def test_other_code(self, fruit: Any, code: str) -> None:
        """Whatever other code there is, the names stand for what they do otherwise."""
        package = fruit(f"{INIT}\n{code}\n")
        names = ["double", "triple", "half", "half_name", "SEEN"]
        lazily = {each: getattr(package, each) for each in names}

        importlib.reload(package)

        assert lazily == {each: vars(package)[each] for each in names}

    @pytest.mark.parametrize(
        ("code", "error"),
        [
            ("match = = 1", SyntaxError),
            ("LOST = double", NameError),
            ("import fruit.lost", ModuleNotFoundError),
            ("PRICE = float('much')", ValueError),
        ],
    )
    def test_broken(self, fruit: Any, code: str, error: type[Exception]) -> None:
        """A package that cannot be imported fails with its own error, from its own line."""
        with pytest.raises(error) as failure:
            fruit(f"{code}\n{INIT}")

        assert failure.traceback[-1].name in {
            "<module>",
            "get_code",
            "_find_and_load_unlocked",
        } or (isinstance(failure.value, SyntaxError))
        assert "fruit" not in sys.modules

    def test_unforeseen(self, fruit: Any) -> None:
        """What cannot be postponed for whatever reason is loaded as usual."""
        with mock.patch("ast.parse", side_effect=RecursionError):
            package = fruit()

        assert "double" in vars(package)
        assert "__getattr__" not in vars(package)

    def test_needs_all(self, fruit: Any) -> None:
        """An `__init__` that fails without what waits is run again, with all of it."""
        package = fruit(f"{INIT}\nimport fruit.inspector\n")

        assert package.inspector.FOUND == "a half"
        assert "half_name" in vars(package)

    def test_other_hook(self, fruit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What another import hook loads is left to it."""
        executed = []

        class Hook(importlib.machinery.SourceFileLoader):
            def exec_module(self, module: ModuleType) -> None:
                executed.append(module.__name__)
                super().exec_module(module)

        class Finder:
            @staticmethod
            def find_spec(name: str, path: object, target: object = None) -> Any:
                del path, target
                file = str(tmp_path / "fruit" / "__init__.py")
                if name == "fruit":
                    return spec_from_file_location(name, file, loader=Hook(name, file))
                return None

        monkeypatch.setattr(sys, "meta_path", [sys.meta_path[0], Finder, *sys.meta_path[1:]])
        package = fruit()

        assert executed == ["fruit"]
        assert "double" in vars(package)

    def test_loader(self, fruit: Any) -> None:
        """Before and after the import the package has its usual source, code and data."""
        package = fruit()
        assert inspect.getsource(package) == INIT
        assert type(package.__loader__) is importlib.machinery.SourceFileLoader
        assert package.__spec__.loader is package.__loader__
        assert "names" in {each.name for each in pkgutil.iter_modules(package.__path__)}
        del sys.modules["fruit"]

        spec = find_spec("fruit")
        assert spec is not None
        assert spec.loader is not None
        assert spec.loader.get_source("fruit") == INIT  # type: ignore[attr-defined]
        assert runpy.run_module("fruit.user")["sys"] is sys

    def test_imported_before(self) -> None:
        """A package that has been imported is left as it is."""
        program = """
            import eth_utils
            import devchain.node
            from py_ecc import optimized_bn128
            assert "to_hex" in vars(eth_utils)
            assert "pairing" not in vars(optimized_bn128)
        """

        run(program)

    @pytest.mark.parametrize("options", [[], ["-O"], ["-OO"], ["-X", "importtime"], ["-B"]])
    def test_interpreters(self, options: list[str]) -> None:
        """Objects of the libraries pass to a new process, whatever the interpreter's options."""
        program = """
            import multiprocessing, sys
            from devchain import Node
            from eth_utils import CamelModel, to_hex
            from eth_utils.exceptions import ValidationError
            if __name__ == "__main__":
                node = Node()
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    assert pool.apply(to_hex, (255,)) == "0xff"
                    assert type(pool.apply(ValidationError, ("no",))) is ValidationError
        """

        run(program, options=options)


class TestStandIn:
    def test_used(self, fruit: Any) -> None:
        """The slow module is imported when a function uses a stand-in, and by others as usual."""
        fruit()
        from fruit import user

        assert isinstance(user.Rows, StandIn)
        assert "fruit.slow" not in loaded()
        assert user.Rows.size == 7
        assert user.rows() == 3
        from fruit.slow import Table  # type: ignore[import-not-found]

        assert isinstance(user.Rows(), Table)

    def test_class(self, fruit: Any) -> None:
        """Classes inherit from what it stands for; copies and pickles are of that."""
        fruit()
        from fruit import user

        class Own(user.Rows):  # type: ignore[misc]
            pass

        from fruit.slow import Table

        assert issubclass(Own, Table)
        assert copy.deepcopy(user.Rows) is Table
        assert pickle.loads(pickle.dumps(user.Rows)) is Table  # noqa: S301

    @pytest.mark.parametrize(("module", "slow"), MODULES.items())
    def test_imports(self, module: str, slow: str) -> None:
        """Each listed module imports names of the slow one at its top level."""
        spec = find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        body = ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body

        assert slow in {each.module for each in body if isinstance(each, ast.ImportFrom)}


def run(program: str, *arguments: str, options: Sequence[str] = ()) -> str:
    """What a program prints, run by a new interpreter."""
    command = [sys.executable, *options, "-c", dedent(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


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
