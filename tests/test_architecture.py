"""The public names, and what ARCHITECTURE.md says."""

from __future__ import annotations

import graphlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import grimp

import devchain
from devchain.rpc.catalog import METHODS


class TestPublicApi:
    def test_names(self) -> None:
        """`__all__` is sorted, and every name in it is an attribute."""
        assert devchain.__all__ == sorted(devchain.__all__)
        assert all(getattr(devchain, name) is not None for name in devchain.__all__)

    def test_dir(self) -> None:
        """`dir` has the public names alone."""
        assert dir(devchain) == devchain.__all__

    def test_unknown_name(self) -> None:
        """An unknown name raises AttributeError."""
        assert not hasattr(devchain, "Blockchain")

    def test_import_is_light(self) -> None:
        """Importing devchain loads neither py-evm nor the server."""
        program = "import devchain, sys; sys.exit('eth' in sys.modules or 'quart' in sys.modules)"

        done = subprocess.run([sys.executable, "-c", program], check=False)

        assert done.returncode == 0


class TestPythonPage:
    def test_names(self) -> None:
        """Every public name has its place on the page."""
        page = (Path(__file__).parents[1] / "docs" / "python.md").read_text(encoding="utf-8")

        assert [each for each in devchain.__all__ if each not in page] == []


class TestReference:
    def test_methods(self) -> None:
        """Every method has its signature on the page, and every alias its name."""
        page = (Path(__file__).parents[1] / "docs" / "rpc.md").read_text(encoding="utf-8")
        names = [
            f"`{each.name}`" if each.is_alias else f"`{each.name}(" for each in METHODS.values()
        ]

        assert [name for name in names if name not in page] == []

    def test_examples(self) -> None:
        """Methods with objects or lists show an example from the golden files."""
        page = (Path(__file__).parents[1] / "docs" / "rpc.md").read_text(encoding="utf-8")

        assert page.count("\nExample: `[") > 50


class TestImports:
    def test_no_cycle(self) -> None:
        """No modules import each other, not even for type hints or in functions."""
        graph = grimp.build_graph("devchain", cache_dir=None)
        imports = {each: graph.find_modules_directly_imported_by(each) for each in graph.modules}

        order = list(graphlib.TopologicalSorter(imports).static_order())  # raises CycleError

        assert len(order) == len(graph.modules) > 200


class TestArchitectureDocument:
    def test_names(self) -> None:
        """Every dotted name in ARCHITECTURE.md is a module, class, function or attribute here."""
        text = (Path(__file__).parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
        packages = {each.name for each in pkgutil.iter_modules(devchain.__path__)}
        names = re.findall(r"`([a-z]\w*(?:\.\w+)+)`", text)
        dotted = {each for each in names if each.split(".")[0] in packages}

        assert len(dotted) > 40
        assert [each for each in sorted(dotted) if not _exists(each)] == []


def _exists(name: str) -> bool:
    """Whether a name below `devchain.` can be imported, or is an attribute of what can be."""
    try:
        pkgutil.resolve_name(f"devchain.{name}")
    except (ImportError, AttributeError):
        return False
    return True
