"""`devchain stubs`: write a module of types for contracts, for editors and type checkers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from devchain.errors import ConfigError
from devchain.files import read_file

Artifacts = Annotated[
    list[Path], typer.Argument(help="Projects, or files of artifacts.", metavar="PATH")
]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="Module to write; - prints it.", metavar="FILE")
]
STDOUT = Path("-")


def stubs(paths: Artifacts, output: Output = Path("contract_types.pyi")) -> None:
    """Write the types of contracts, for editors and mypy.

    Stale sources are compiled. The module has a class for each contract and a Node that deploys
    them. Import both for type checking alone.

    In a test:
      if TYPE_CHECKING:
          from contract_types import Node, Vault
      def vault(devchain: Node) -> Vault:
          return devchain.deploy("Vault", 3600)

    Examples:
      devchain stubs .
      devchain stubs artifacts --output tests/contract_types.pyi
    """
    from devchain.cli.output import write_note
    from devchain.contracts import stubs as module
    from devchain.contracts.artifact_registry import Registry
    from devchain.contracts.compile import compile_stale
    from devchain.text import plural

    if output != STDOUT and output.suffix != ".pyi":
        raise typer.BadParameter(
            f"{output} would be read as a program: types are in a file that ends in .pyi",
            param_hint="--output",
        )
    registry = Registry()
    for path in compile_stale(map(str, paths), show=write_note):
        registry.load(Path(path))
    for notice in registry.notices:
        write_note(notice)
    if not registry:
        raise ConfigError(f"no contracts in {', '.join(map(str, paths))}")
    text = module.generate(registry)
    if output == STDOUT:
        sys.stdout.write(text)
        return
    try:
        if output.exists() and not read_file(output).startswith(module.HEADER.encode()):
            raise ConfigError(f"{output} exists and is not of `devchain stubs`: name another file")
        output.write_text(text, "utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot write {output}: {error}") from None
    write_note(f"Wrote the types of {plural(len(registry.names()), 'contract')} to {output}.")
