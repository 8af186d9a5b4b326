"""Imports of third-party packages that wait until something needs them.

py-evm and eth-account load modules that take longer than all others together and that a node hardly
ever uses: py_ecc, which computes tables for pairings, and pydantic. They come with packages whose
`__init__` re-exports names of every module. In `PACKAGES` these re-exports wait, as they do behind
a module's `__getattr__` (PEP 562):

    import eth_utils             # runs its __init__ without its imports `from .module import name`
    from eth_utils import to_hex # imports eth_utils.conversions

What a name stands for is the same object as ever, and other programs see the same names. They only
are not in `vars(eth_utils)`, and cannot be deleted.

`MODULES` import from a slow module what they use in functions alone: a `StandIn` has its name
there, and imports it when it is used.

An `__init__` with anything but imports and plain assignments loads as usual, and so does what has
no source, what another import hook loads, and whatever cannot be postponed for a reason that is not
foreseen here. So does what was imported before `install`.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Mapping, Sequence
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec, resolve_name
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # At run time it is imported when the first of the packages is.
    import ast
    from importlib.abc import Loader, MetaPathFinder
    from importlib.machinery import ModuleSpec
else:
    Loader = MetaPathFinder = object  # `importlib.abc` imports a dozen modules itself

PACKAGES = frozenset(
    {
        "eth.precompiles",  # BLS12-381, with `MODULES`
        "eth.precompiles.bls12_381",
        "eth_typing",  # an enumeration of all chain ids
        "eth_utils",  # pydantic
        "py_ecc.bls12_381",  # pairings, for one constant of eth-keyfile
        "py_ecc.optimized_bn128",  # pairings
    }
)
"""Packages whose re-exports wait. Each saves several percent of the time of all imports."""

MODULES = {
    "eth.vm.forks.prague.computation": "eth.precompiles",
    "eth_keyfile.keyfile": "py_ecc.bls",
    "eth_utils.humanize": "eth_typing",
}
"""Modules with stand-ins, and the module that they would import these names from.

They are contracts for BLS12-381 that `evm.precompiles` replaces, keystores of validators, and type
hints.
"""


def install() -> None:
    """Have imports of the listed packages and modules wait from now on."""
    if not any(isinstance(each, LazyFinder) for each in sys.meta_path):
        sys.meta_path.insert(0, LazyFinder())


class LazyFinder(MetaPathFinder):
    """Finds the listed packages and modules where other finders do, with a loader of its own."""

    def __init__(
        self, packages: Container[str] = PACKAGES, modules: Mapping[str, str] = MODULES
    ) -> None:
        """Find these packages and modules with stand-ins."""
        self._packages = packages
        self._modules = modules

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_listed = fullname in self._packages or fullname in self._modules
        if not is_listed or target is not None:  # one with a target is reloaded
            return None
        others = [each for each in sys.meta_path if each is not self]
        specs = (each.find_spec(fullname, path, target) for each in others)
        spec = next(filter(None, specs), None)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = LazyLoader(spec.loader, self._modules.get(fullname))
        return spec


class LazyLoader(Loader):
    """Loads a module without the imports that wait, or as usual if that cannot be done."""

    def __init__(self, loader: SourceFileLoader, slow: str | None) -> None:
        """Postpone re-exports, or the imports from a slow module if there is one."""
        self._loader = loader
        self._slow = slow

    def __getattr__(self, name: str) -> Any:
        """Read what else loaders have: code and source for `runpy`, data files."""
        if name == "_loader":  # a copy that is being made
            raise AttributeError(name)
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader  # which answers all later questions
        module.__loader__ = self._loader
        namespace = vars(module)
        before = dict(namespace)
        try:
            names, code = self._postpone(module)
            if self._slow:
                namespace |= {name: StandIn(*source) for name, source in names.items()}
            elif names:
                _add_names(module, names)
            exec(code, namespace)  # noqa: S102  # the module's own code
        except Exception:  # noqa: BLE001  # whatever fails here may be right in the usual way
            namespace.clear()
            namespace |= before
            self._loader.exec_module(module)

    def _postpone(self, module: ModuleType) -> tuple[dict[str, tuple[str, str]], CodeType]:
        import ast

        path = self._loader.path
        program = ast.parse(self._loader.get_data(path), path)
        if self._slow:
            waiting = [each for each in program.body if _imported(each, module) == self._slow]
        else:
            waiting = _reexports(program, module)
        program.body = [each for each in program.body if each not in waiting]
        names = {
            alias.asname or alias.name: (_imported(each, module), alias.name)
            for each in waiting
            for alias in each.names  # type: ignore[attr-defined]  # imports alone wait
        }
        return names, compile(program, path, "exec", dont_inherit=True)


def _imported(statement: ast.stmt, module: ModuleType) -> str:
    import ast

    if not isinstance(statement, ast.ImportFrom):
        return ""
    name = "." * statement.level + (statement.module or "")
    return resolve_name(name, module.__package__)


def _reexports(program: ast.Module, package: ModuleType) -> list[ast.stmt]:
    # All must stay if there is other code than imports and assignments. One stays if it binds a
    # name that occurs elsewhere, or that a submodule has: importing that one binds it too.
    import ast

    kinds = (ast.Import, ast.ImportFrom, ast.Assign)
    docstring = ast.get_docstring(program, clean=False)
    body = program.body[docstring is not None :]
    words = [
        each.id if isinstance(each, ast.Name) else each.asname or each.name
        for statement in body
        for each in ast.walk(statement)
        if isinstance(each, ast.Name | ast.alias)
    ]
    if "*" in words or not all(isinstance(each, kinds) for each in body):
        return []
    prefix = f"{package.__name__}."
    return [
        each
        for each in body
        if isinstance(each, ast.ImportFrom)
        and _imported(each, package).startswith(prefix)
        and not any(
            words.count(name) > 1 or find_spec(prefix + name)
            for name in (alias.asname or alias.name for alias in each.names)
        )
    ]


def _add_names(package: ModuleType, names: dict[str, tuple[str, str]]) -> None:
    # They are not bound: a program may forget a module, as pytest's `pytester` does, and import it
    # again with others that it belongs to.
    namespace = vars(package)
    hooks = {"__getattr__", "__dir__"}

    def __getattr__(name: str) -> Any:  # noqa: N807  # PEP 562
        if name in names:
            return import_name(*names[name])
        if name == "__all__":  # without it `import *` takes what is bound
            return [each for each in __dir__() if not each.startswith("_")]
        submodule = f"{package.__name__}.{name}"
        if not name.startswith("__") and find_spec(submodule):
            return import_module(submodule)
        raise AttributeError(f"module {package.__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:  # noqa: N807  # PEP 562
        return sorted(namespace.keys() - hooks | names.keys())

    namespace |= {"__getattr__": __getattr__, "__dir__": __dir__}


class StandIn:
    """A function or a class that is imported when it is used."""

    def __init__(self, module: str, name: str) -> None:
        """Stand in for that name of a module."""
        self._module = module
        self._name = name

    def __call__(self, *arguments: object, **named: object) -> Any:
        """Import the function and call it."""
        return import_name(self._module, self._name)(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        """Import the class and read an attribute of it."""
        return getattr(import_name(self._module, self._name), name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle what it stands for."""
        return import_name, (self._module, self._name)

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[Any]:
        """Let a class inherit from the one that it stands for."""
        return (import_name(self._module, self._name),)

    def __repr__(self) -> str:
        return f"{self._module}.{self._name}"


def import_name(module: str, name: str) -> Any:
    return getattr(import_module(module), name)
