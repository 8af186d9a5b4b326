"""`devchain.contracts.artifact_registry`"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devchain.contracts.abi import Abi, decode_call
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact, Code, Source
from devchain.errors import LimitExceeded
from devchain.types import Address, checksum
from tests.accounts import ALICE
from tests.bytecode import word
from tests.contracts.test_artifacts import deployed
from tests.contracts.vault import FILE, VAULT, WRITTEN
from tests.fuzzing.work import bounded

ADDRESS = Address(b"\x01" * 20)
LAYOUT = {"storage": [], "types": None}


class TestRefresh:
    """Artifacts of files that have changed since they were loaded."""

    def test_changed(self, tmp_path: Path) -> None:
        """What was compiled since is known, and so is what it was before."""
        file = tmp_path / "Till.json"
        file.write_text('{"contractName": "Till", "abi": []}')
        registry = Registry(monotonic=lambda: 0.0)
        registry.load(tmp_path)
        before = registry.find_by_name("Till")
        assert not registry.refresh()
        (tmp_path / "Vault.json").write_bytes(FILE.read_bytes())
        file.write_text(json.dumps({"contractName": "Till", "abi": WRITTEN["abi"]}))

        assert registry.refresh()
        assert not registry.refresh()
        assert registry.find_by_code(deployed()) == VAULT
        (after,) = registry.find_by_name("Till")
        assert after.abi.functions_named("deposit")
        assert list(registry).count(before[0]) == 1

    def test_layout(self, tmp_path: Path) -> None:
        """A contract that was compiled again for its storage layout, with the same code, has it."""
        file = tmp_path / "Vault.json"
        without = {key: each for key, each in WRITTEN.items() if key != "storageLayout"}
        file.write_text(json.dumps(without))
        registry = Registry(monotonic=lambda: 0.0)
        registry.load(tmp_path)
        [before] = registry
        assert before.storage_layout is None
        registry.add_deployed(before, ADDRESS, b"")
        file.write_text(json.dumps({**without, "storageLayout": LAYOUT}))

        assert registry.refresh()
        for found in (
            registry.find_by_code(deployed()),
            registry.find_by_code(deployed(), ADDRESS),
        ):
            assert found
            assert found.storage_layout == LAYOUT
        assert len(registry.find_by_name("Vault")) == 1

    def test_pause(self, tmp_path: Path) -> None:
        """Checks take a tenth of the time at most."""
        times = [0.0, 1.0, 10.9, 11.0, 12.0]
        registry = Registry(monotonic=lambda: times.pop(0))
        registry.load(tmp_path)
        assert not registry.refresh()
        (tmp_path / "Vault.json").write_bytes(FILE.read_bytes())

        assert [registry.refresh(), registry.refresh()] == [False, True]
        assert times == []

    def test_removed(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        """A file that is gone is logged once; what it had stays known, until there is another."""
        file = tmp_path / "Vault.json"
        file.write_bytes(FILE.read_bytes())
        registry = Registry(monotonic=lambda: 0.0)
        registry.load(file)
        file.unlink()

        assert [registry.refresh(), registry.refresh()] == [True, False]
        (record,) = caplog.records
        assert record.getMessage() == (
            f"{file} was not read again: there are no artifacts at {file}: no such file or folder"
        )
        assert registry.find_by_code(deployed()) == VAULT

    def test_nothing_loaded(self) -> None:
        """A registry that was given its artifacts looks at no file."""
        assert not Registry([VAULT], monotonic=lambda: pytest.fail("asked for the time")).refresh()


class TestRegistry:
    """Lookups by code, address, name and selector."""

    def test_find_by_code(self) -> None:
        """Deployed code matches its artifact whatever its immutables are."""
        registry = Registry([VAULT])

        assert registry.find_by_code(deployed(b"\x01")) is VAULT
        assert registry.find_by_code(deployed(b"\x02")) is VAULT
        assert registry.find_by_code(b"\x00") is None
        assert registry.find_by_code(b"") is None

    def test_equal_code(self) -> None:
        """Of contracts with equal code it is the one whose metadata the code has, then the last."""
        plain, metadata = bytes.fromhex("600000"), b"\xa1axa%d\0\x05"
        contracts = [
            Artifact(name, Abi(()), creation=Code(code), runtime=Code(code))
            for name, code in (("Gold", plain + metadata % 1), ("Silver", plain + metadata % 2))
        ]
        gold, silver = contracts

        for registry in (Registry(contracts), Registry(contracts[::-1])):
            for each in contracts:
                code = each.runtime.template
                assert registry.find_by_code(code, ADDRESS) is each
                assert registry.find_by_init_code(code + b"argument") is each
        other = plain + metadata % 3
        assert Registry([gold, silver]).find_by_code(other, ADDRESS) is silver
        assert Registry([silver, gold]).find_by_code(other, ADDRESS) is gold

    def test_equal_code_of_one_contract(self) -> None:
        """Artifacts of one contract that was compiled twice are not told apart."""
        older, newer = (
            Artifact("One", Abi(()), runtime=Code(b"\0")),
            Artifact("One", Abi(()), runtime=Code(b"\0"), via_ir=True),
        )
        registry = Registry([older, newer])

        assert registry.find_by_code(b"\0", ADDRESS) is newer

    def test_find_by_address(self) -> None:
        """An artifact assigned to the address is preferred to one that matches the code."""
        registry = Registry([VAULT])
        assigned = Artifact("Assigned", Abi(()))

        registry.add_deployed(assigned, ADDRESS, b"")

        assert registry.find_by_code(deployed(), ADDRESS) is assigned

    def test_precompiled(self) -> None:
        """Precompiled contracts are known by address; ABIs are asked for once, when needed."""
        asked: list[bool] = []
        method = {"type": "function", "name": "pay", "inputs": [], "outputs": []}

        def describe() -> list[object]:
            asked.append(True)
            return [method]

        registry = Registry()
        registry.add_precompiled({ADDRESS: ("Bank", describe)})
        copied = registry.copy()
        assert asked == []

        selector = Abi.from_json([method]).entries[0].selector
        assert str(registry.decode_call(b"", selector, ADDRESS)) == "pay()"
        assert registry.find_by_code(b"", ALICE) is None
        assert registry.find_by_name("Bank") == []
        assert len(asked) == 1
        assert str(copied.decode_call(b"", selector, ADDRESS)) == "pay()"

    def test_precompiled_assigned(self) -> None:
        """An artifact that was assigned to the address is preferred."""
        registry = Registry()
        registry.add_precompiled({ADDRESS: ("Bank", list)})
        registry.add_deployed(Artifact("Assigned", Abi(())), ADDRESS, b"")

        assert registry.find_by_code(b"", ADDRESS).name == "Assigned"  # type: ignore[union-attr]

    def test_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Clients can add so many bytes; what is repeated or shared counts once."""
        monkeypatch.setattr("devchain.contracts.artifact_registry.MAX_ARTIFACT_BYTES", 10_000)
        sources = {0: Source("A.sol", "x" * 4_000)}
        sent = [Artifact(name, Abi(()), sources=sources) for name in "ABC"]
        registry = Registry()
        for _ in range(3):
            registry.add_sent(sent)
        large = Artifact("D", Abi(()), creation=Code(bytes(4_000)))
        with pytest.raises(LimitExceeded, match="--artifacts"):
            registry.add_sent([Artifact("E", Abi(())), large])

        assert [each.name for each in registry] == ["A", "B", "C"]

    def test_files_of_clients(self, tmp_path: Path) -> None:
        """A source that a client sends without text is not read from the path it names."""
        file = tmp_path / "secret.txt"
        file.write_text("secret\n" * 9)
        sources = {0: Source(str(file)), 1: Source("A.sol", "x")}
        code = Code(b"\x60\x01\xfd", source_map="0:6:0:-;")
        registry = Registry()

        [kept] = registry.add_sent([Artifact("A", Abi(()), runtime=code, sources=sources)])

        assert list(kept.sources) == [1]
        found = registry.code_map(b"\x60\x01\xfd", creating=False)
        assert found is not None
        assert found.location(0) is None

    def test_code_maps_of_copies(self) -> None:
        """Copies share what has been read of sources; what is added to one is its own."""
        code = Code(b"\x60\x01\xfd", source_map="0:1:0:-;")
        artifact = Artifact("A", Abi(()), runtime=code, sources={0: Source("A.sol", "x")})
        registry = Registry([artifact])
        copied = registry.copy()
        copied.add(VAULT)

        found = registry.code_map(code.template, creating=False)

        assert found is not None
        assert copied.code_map(code.template, creating=False) is found
        assert registry.names() == ["A"]

    def test_find_by_name(self) -> None:
        """Artifacts are found by name and by `path:name`."""
        registry = Registry([VAULT])

        assert registry.find_by_name("Vault") == registry.find_by_name("Vault.sol:Vault") == [VAULT]
        assert registry.find_by_name("Other.sol:Vault") == []

    def test_decode(self) -> None:
        """Calls, errors and events are decoded."""
        registry = Registry([VAULT])
        abi = VAULT.abi
        (error,) = abi.errors.values()
        event = next(each for each in abi.events.values() if each.name == "Deposited")

        call = decode_call(abi, abi.functions_named("deposits")[0].selector + bytes(12) + ALICE)
        topics = (event.topic, bytes(12) + ALICE)
        emitted = registry.decode_event(deployed(), topics, (5).to_bytes(32, "big"))  # type: ignore[arg-type]  # 32 bytes

        assert str(call) == f"deposits({checksum(ALICE)})"
        assert (
            str(registry.decode_error(error.selector + bytes(12) + ALICE))
            == f"NotOwner(caller={checksum(ALICE)})"
        )
        assert str(emitted) == f"Deposited(from={checksum(ALICE)}, amount=5)"
        assert emitted
        assert emitted["amount"] == emitted[1] == 5

    def test_decode_unknown(self) -> None:
        """Bytes of an unknown function, error or event decode to None."""
        registry = Registry([VAULT])
        event = next(iter(VAULT.abi.events.values()))

        assert decode_call(VAULT.abi, b"\x00" * 4) is None
        assert registry.decode_error(b"\x00" * 4) is None
        assert registry.decode_event(deployed(), (), b"") is None
        assert registry.decode_event(deployed(), (event.topic,), bytes(32)) is None

    def test_decode_same_types(self) -> None:
        """What is of other types is tried once, however many ABIs have functions of these."""
        registry = Registry()
        for number in range(2_000):
            inputs = [{"name": f"values{number}", "type": "uint8[]"}]
            abi = Abi.from_json([{"type": "function", "name": "grid", "inputs": inputs}])
            registry.add_interface(abi)
        data = abi.entries[0].selector + word(32) + word(1_000) + word(256) * 1_000

        found = bounded(lambda: registry.decode_call(b"", data), calls=150_000, memory=10**7)

        assert found is None
