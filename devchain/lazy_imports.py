"""Imports of third-party packages that wait until something needs them.

py-evm, eth-account and what they are made of import far more than a node uses. Each re-exports
its modules from `__init__`, so that one module of it loads all of them, and with them pydantic and
py_ecc, which computes tables for BLS12-381 for longer than a node needs to start.

`PACKAGES` are imported name by name: the statements of their `__init__` are postponed.

    import eth_utils             # runs no statement of its __init__
    from eth_utils import to_hex # runs `from .conversions import to_hex`
    vars(eth_utils)              # runs all that are left

Only an `__init__` of imports, assignments and calls is postponed, whatever the package's version:
running its statements later, one by one, in any order or twice gives the same names. Other code in
it makes the package load as usual.

`MODULES` import from a slow module what they use in functions alone: a stand-in takes its place
among their names, and imports it when it is used.

Other programs get the same modules with the same names, whether they import them before or after.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec, resolve_name
from types import ModuleType
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
        "eth",
        "eth.chains",
        "eth.consensus",
        "eth.consensus.clique",
        "eth.precompiles",
        "eth.precompiles.bls12_381",
        "eth.vm.forks",
        "eth_abi",
        "eth_account",
        "eth_account.typed_transactions",
        "eth_bloom",
        "eth_hash",
        "eth_keyfile",
        "eth_keys",
        "eth_rlp",
        "eth_typing",
        "eth_utils",
        "hexbytes",
        "py_ecc.optimized_bn128",
        "rlp",
        "rlp.sedes",
        "trie",
    }
)
"""Packages whose `__init__` is postponed."""

MODULES = {
    "eth.consensus.pow": "eth.consensus.ethash",
    "eth.vm.forks.prague.computation": "eth.precompiles",
    "eth_keyfile.keyfile": "py_ecc.bls",
    "eth_utils.humanize": "eth_typing",
}
"""Modules with stand-ins, and the module that they would import these names from.

These are proof of work, BLS12-381 in Python, for contracts that `evm.precompiles` replaces and for
keystores of validators, and a hint whose module lists a thousand chains.
"""

IMPORTED_WITH = {"eth": "eth.vm.forks.prague"}
"""Modules that are imported with a package all the same.

Modules of the package import each other in circles, which can be entered only there.
"""

_STATEMENTS = "__postponed__"
"""Where a package has its postponed statements, by the name that each binds."""

_namespace = vars(ModuleType)["__dict__"].__get__
"""A module's names, without what `LazyPackage` adds to it."""


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
        if spec is not None and spec.loader is not None:
            slow = self._modules.get(fullname)
            spec.loader = _lazy_loader(spec, spec.loader, slow) or spec.loader
        return spec


def _lazy_loader(spec: ModuleSpec, loader: Loader, slow: str | None) -> Loader | None:
    """A loader of that module with stand-ins for what is slow, or of that package by its names.

    None if the package has other code.
    """
    import ast

    get_source = getattr(loader, "get_source", None)
    source = get_source(spec.name) if get_source else None
    if source is None:  # distributed without it
        return None
    program = ast.parse(source)
    if slow is not None:
        return StandInLoader(loader, program, slow)
    statements = [part for each in program.body for part in _cut(each)]
    names = [_name_bound(each) for each in statements if not isinstance(each, ast.Expr)]
    if None in names or "*" in names or len(names) > len(set(names)):
        return None
    return LazyPackageLoader(loader, statements)


# Packages that are imported name by name


class LazyPackage(ModuleType):
    """A package with statements of its `__init__` that have not run yet."""

    def __getattr__(self, name: str) -> Any:
        """Run the statement that binds a name; else import the submodule of that name."""
        if name in _postponed(self):
            _bind(self, name)
            return _namespace(self)[name]
        if name == "__all__":  # without it `import *` takes what is bound
            _bind_all(self)
        elif not name.startswith("__") and find_spec(f"{self.__name__}.{name}"):
            return import_module(f"{self.__name__}.{name}")
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        """Bind a name, whose statement will not run any more.

        A submodule, which the import system binds, does not replace what `__init__` gives its name.
        """
        if name in _postponed(self):
            if value is sys.modules.get(f"{self.__name__}.{name}"):
                return
            _postponed(self).pop(name, None)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*_namespace(self), *_postponed(self)} - {_STATEMENTS})

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]  # also read, by `vars`
        """Every name of the package."""
        _bind_all(self)
        return _namespace(self)  # type: ignore[no-any-return]  # typeshed does not know it


class LazyPackageLoader(Loader):
    """Loads a package as a `LazyPackage`."""

    def __init__(self, loader: Loader, statements: Sequence[ast.stmt]) -> None:
        """Take the place of the loader that would run those statements, of one name each."""
        self._loader = loader
        self._statements = statements

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return LazyPackage(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run the statements that bind nothing, such as `sys.setrecursionlimit(...)`."""
        _restore_loader(module, self._loader)
        bound = [(_name_bound(each), each) for each in self._statements]
        _namespace(module)[_STATEMENTS] = {name: each for name, each in bound if name}
        for name, statement in bound:
            if name is None:
                _run(module, statement)
        if module.__name__ in IMPORTED_WITH:
            import_module(IMPORTED_WITH[module.__name__])


def _restore_loader(module: ModuleType, loader: Loader) -> None:
    """Let the usual loader of a module answer later questions: data files, source, reloading."""
    if module.__spec__ is not None:
        module.__spec__.loader = loader
    module.__loader__ = loader


def _postponed(package: ModuleType) -> dict[str, ast.stmt]:
    return _namespace(package).get(_STATEMENTS, {})  # type: ignore[no-any-return]  # as above


def _bind_all(package: ModuleType) -> None:
    for name in list(_postponed(package)):
        _bind(package, name)


def _bind(package: ModuleType, name: str) -> None:
    """Run the statement that binds a name. Another thread may be doing the same."""
    statement = _postponed(package).get(name)
    if statement is not None:
        _run(package, statement)
        _postponed(package).pop(name, None)


def _run(package: ModuleType, statement: ast.stmt) -> None:
    """Run a statement, first those that bind the names it reads."""
    import ast

    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            _bind(package, node.id)
    if isinstance(statement, ast.ImportFrom) and _imported(package, statement) == package.__name__:
        (alias,) = statement.names  # which `from . import` would look for in the package first
        submodule = import_module(f"{package.__name__}.{alias.name}")
        _namespace(package)[alias.asname or alias.name] = submodule
        return
    program = ast.Module([statement], [])
    exec(compile(program, package.__file__ or "", "exec"), _namespace(package))  # noqa: S102


def _imported(module: ModuleType, statement: ast.ImportFrom) -> str:
    """The full name of the module that a statement imports from."""
    name = "." * statement.level + (statement.module or "")
    return resolve_name(name, module.__package__)


def _cut(statement: ast.stmt) -> list[ast.stmt]:
    """The parts of an import, one for each name."""
    import ast

    match statement:
        case ast.Import(names):
            parts: list[ast.stmt] = [ast.Import([each]) for each in names]
        case ast.ImportFrom(module, names, level):
            parts = [ast.ImportFrom(module, [each], level) for each in names]
        case _:
            return [statement]
    return [ast.copy_location(each, statement) for each in parts]


def _name_bound(statement: ast.stmt) -> str | None:
    """The name that an import of one name or an assignment binds."""
    import ast

    match statement:
        case ast.Import([ast.alias(name, asname)]):
            return asname or name.partition(".")[0]
        case ast.ImportFrom(_, [ast.alias(name, asname)], _):
            return asname or name
        case ast.Assign([ast.Name(name)]):
            return name
    return None


# Modules with stand-ins


class StandIn:
    """A function or a class that is imported when it is used."""

    def __init__(self, module: str, name: str) -> None:
        """Stand in for that name of a module."""
        self._module = module
        self._name = name

    def __call__(self, *arguments: object, **named: object) -> Any:
        """Import the function and call it."""
        return self._imported()(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        """Import the class and read an attribute of it."""
        return getattr(self._imported(), name)

    def __repr__(self) -> str:
        return f"{self._module}.{self._name}"

    def _imported(self) -> Any:
        return getattr(import_module(self._module), self._name)


class StandInLoader(Loader):
    """Loads a module with stand-ins for what it imports from another one."""

    def __init__(self, loader: Loader, program: ast.Module, slow: str) -> None:
        """Take the place of the loader that would run that program."""
        self._loader = loader
        self._program = program
        self._slow = slow

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Bind the stand-ins, and run the module without these imports."""
        import ast

        _restore_loader(module, self._loader)
        body: list[ast.stmt] = []
        for each in self._program.body:
            if isinstance(each, ast.ImportFrom) and _imported(module, each) == self._slow:
                for alias in each.names:
                    vars(module)[alias.asname or alias.name] = StandIn(self._slow, alias.name)
            else:
                body.append(each)
        code = compile(ast.Module(body, []), module.__file__ or "", "exec")
        exec(code, vars(module))  # noqa: S102  # the module's own code
