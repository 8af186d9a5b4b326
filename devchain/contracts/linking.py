"""Linking: addresses of deployed libraries put into the creation code of a contract.

A library with external functions is deployed by itself, and contracts that use it have its address
in their code. Compilers leave places for it:

    73 __$53aea86b7d70b31448b230b20ae141a537$__ 63 ...    PUSH20 of the library src/Lib.sol:Lib

of which `artifact_formats` makes the links of a `Code`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from eth_hash.auto import keccak

from devchain.contracts.artifacts import ADDRESS_SIZE, Artifact
from devchain.errors import InvalidInput

MARK_SIZE = 36
"""Characters of a name between the underscores of a mark; older compilers cut it there."""

HASH_DIGITS = 34


def library_hash(full_name: str) -> str:
    """What solc since 0.5 writes for a library in marks: `$`, digits of the name's hash, `$`."""
    return f"${keccak(full_name.encode(errors='surrogatepass')).hex()[:HASH_DIGITS]}$"


def mark_name(name: str) -> str:
    """What older compilers and tools write for a library in marks: its name, if need be cut."""
    return name[:MARK_SIZE].rstrip("_")


def missing_libraries(artifact: Artifact) -> list[str]:
    """The libraries whose addresses a contract has to get, in the order of their places."""
    return list(dict.fromkeys(link.library for link in artifact.creation.links))


def short_names(libraries: Sequence[str]) -> list[str]:
    """Names by which callers may give libraries, as short as they can be: `Lib`."""
    last = [library.rpartition(":")[2] for library in libraries]
    return [
        name if last.count(name) == 1 else full for name, full in zip(last, libraries, strict=True)
    ]


def linked_code(
    artifact: Artifact, libraries: Mapping[str, bytes], option: Callable[[Sequence[str]], str]
) -> bytes:
    """The creation code of a contract with the addresses of its libraries.

    A library is named `Lib`, or `Lib.sol:Lib` with a path that may begin at any folder. Raises
    `InvalidInput` for those that lack, then with `option` of their names as what to give, and for
    those that are not the contract's.
    """
    wanted = missing_libraries(artifact)
    found: dict[str, bytes] = {}
    for name, address in libraries.items():
        meant = [each for each in wanted if _is_meant(name, each)]
        if len(meant) != 1:
            raise InvalidInput(_unclear(artifact, name, meant, wanted))
        if meant[0] in found:
            raise InvalidInput(f"the library {meant[0]} of {artifact.name} was given twice")
        found[meant[0]] = address
    if lacking := [each for each in wanted if each not in found]:
        several = len(lacking) > 1
        raise InvalidInput(
            f"{artifact.name} cannot be deployed without its "
            f"{'libraries' if several else 'library'} {' and '.join(lacking)}: deploy "
            f"{'those' if several else 'that'} first, then give "
            f"{'their addresses' if several else 'its address'}, {option(short_names(lacking))}"
        )
    code = bytearray(artifact.creation.template)
    for link in artifact.creation.links:
        code[link.start : link.start + ADDRESS_SIZE] = found[link.library]
    return bytes(code)


def _is_meant(name: str, library: str) -> bool:
    last, given = library.rpartition(":")[2], name.rpartition(":")[2]
    if library in (name, name.strip("_"), library_hash(name), mark_name(name), mark_name(given)):
        return True
    return f"/{library}".endswith(f"/{name}") if ":" in name else last == given


def _unclear(artifact: Artifact, name: str, meant: Sequence[str], wanted: Sequence[str]) -> str:
    if meant:
        return f"{name} means several libraries of {artifact.name}: give {' or '.join(meant)}"
    if not wanted:
        return f"{artifact.name} needs no library {name}: its code has no place for one"
    return f"{artifact.name} needs no library {name}, but {' and '.join(wanted)}"
