"""devchain.contracts.compiler_input"""

from __future__ import annotations

from pathlib import Path

import pytest

from devchain.contracts import compiler_input
from devchain.contracts.compiler_input import (
    Unit,
    evm_version,
    is_accepted,
    read_unit,
    root_of,
    standard_json,
)
from devchain.errors import ConfigError


def write(folder: Path, **texts: str) -> None:
    """Files by names with `__` for a slash and `_dot_` for a dot."""
    for name, text in texts.items():
        file = folder / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


class TestPragma:
    @pytest.mark.parametrize(
        ("pragma", "yes", "no"),
        [
            ("^0.8.20", (0, 8, 28), (0, 8, 19)),
            ("^0.8.20", (0, 8, 20), (0, 9, 0)),
            ("^0.8", (0, 8, 0), (0, 9, 0)),
            ("^1.2.3", (1, 9, 0), (2, 0, 0)),
            ("^0.0.3", (0, 0, 3), (0, 0, 4)),
            ("~0.7.3", (0, 7, 6), (0, 8, 0)),
            (">=0.7 <0.9", (0, 8, 28), (0, 9, 0)),
            (">0.8.4", (0, 8, 5), (0, 8, 4)),
            ("<=0.8", (0, 8, 30), (0, 9, 0)),
            ("0.8.19", (0, 8, 19), (0, 8, 20)),
            ("=0.8.19", (0, 8, 19), (0, 8, 20)),
            ("0.8.x", (0, 8, 3), (0, 7, 3)),
            ("0.7.6 || ^0.8.0", (0, 7, 6), (0, 7, 5)),
            ("0.6.0 - 0.8.9", (0, 8, 9), (0, 8, 10)),
            ("v0.8.1", (0, 8, 1), (0, 8, 2)),
        ],
    )
    def test_accepted(
        self, pragma: str, yes: tuple[int, int, int], no: tuple[int, int, int]
    ) -> None:
        """Versions are chosen by npm's rules."""
        assert is_accepted(yes, pragma)
        assert not is_accepted(no, pragma)

    def test_of_all_sources(self) -> None:
        """The versions that all sources want count, each once."""
        texts = {"A.sol": "pragma solidity ^0.8.0;", "B.sol": "  pragma  solidity  ^0.8.0 ;\n"}

        assert Unit(Path(), "A.sol", texts).pragmas == ("^0.8.0",)


class TestImports:
    def test_solidity(self, tmp_path: Path) -> None:
        """Imports are relative, remapped, or in a node_modules; comments have none."""
        write(
            tmp_path,
            app__src__A_dot_sol="""
                // import "./Comment.sol";
                /* import "./Comment.sol"; */
                import "./B.sol"; import {X} from "@pkg/X.sol"; import * as m from 'map/M.sol';
                import "missing.sol";
            """,
            app__src__B_dot_sol='import "../C.sol";',
            app__C_dot_sol="",
            app__src__Comment_dot_sol="",
            node_modules__X_dot_sol="",
            app__lib__m__M_dot_sol="",
            app__remappings_dot_txt="map/=lib/other/\nsrc/:map/=lib/m/\n"
            "lib/:map/M=lib/none/\n# a=b\n",
        )
        (tmp_path / "node_modules" / "@pkg").mkdir()
        (tmp_path / "node_modules" / "X.sol").rename(tmp_path / "node_modules" / "@pkg" / "X.sol")

        unit = read_unit(tmp_path / "app", "src/A.sol")

        assert set(unit.texts) == {"src/A.sol", "src/B.sol", "C.sol", "@pkg/X.sol", "lib/m/M.sol"}
        assert unit.remappings == ("map/=lib/other/", "src/:map/=lib/m/", "lib/:map/M=lib/none/")

    def test_foundry(self, tmp_path: Path) -> None:
        """Remappings of foundry.toml count, too."""
        write(
            tmp_path,
            A_dot_sol='import "oz/B.sol";',
            lib__B_dot_sol="",
            foundry_dot_toml='[profile.default]\nremappings = ["oz/=lib/"]',
        )

        assert set(read_unit(tmp_path, "A.sol").texts) == {"A.sol", "lib/B.sol"}

    def test_vyper(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Modules are beside the contract, in the root, in packages, or relative to a module."""
        write(
            tmp_path,
            src__A_dot_vy="import one\nfrom lib import two as t\n"
            "from pack.deep import (three, four)\n"
            "from ethereum.ercs import IERC20\n    import nested\n",
            src__one_dot_vy="from . import five",
            src__five_dot_vyi="",
            lib__two_dot_vy="from ..src import six",
            src__six_dot_vy="",
            src__nested_dot_vy="",
            env__pack__deep__three_dot_vy="",
            env__pack__deep__four_dot_vy="from .. import seven",
            env__pack__seven_dot_vy="",
        )
        (tmp_path / "env").rename(tmp_path / "site-packages")
        monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))

        names = set(read_unit(tmp_path, "src/A.vy").texts)

        assert names == {
            *("src/A.vy", "src/one.vy", "src/five.vyi", "lib/two.vy", "src/six.vy"),
            *("pack/deep/three.vy", "pack/deep/four.vy", "pack/seven.vy"),
        }

    def test_text(self, tmp_path: Path) -> None:
        """A source given as text imports files."""
        write(tmp_path, B_dot_sol="")

        unit = read_unit(tmp_path, "Contract.sol", 'import "./B.sol";')

        assert unit.texts == {"Contract.sol": 'import "./B.sol";', "B.sol": ""}

    def test_deep(self, tmp_path: Path) -> None:
        """Folders in a project may be as deep as those of libraries."""
        file = tmp_path / "project" / "contracts/lib/token/ERC20/extensions/draft/A.sol"
        (tmp_path / "project" / "node_modules").mkdir(parents=True)

        assert root_of(file) == tmp_path / "project"

    def test_cycle(self, tmp_path: Path) -> None:
        """Sources may import each other."""
        write(tmp_path, A_dot_sol='import "./B.sol";', B_dot_sol='import "./A.sol";')

        assert set(read_unit(tmp_path, "A.sol").texts) == {"A.sol", "B.sol"}

    def test_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A file that is no text, is not there, or imports too many others is an error."""
        (tmp_path / "Bytes.sol").write_bytes(b"\xff")
        write(tmp_path, A_dot_sol='import "./B.sol";', B_dot_sol="")
        monkeypatch.setattr(compiler_input, "MAX_SOURCES", 1)

        with pytest.raises(ConfigError, match=r"Bytes.sol cannot be read: it is not UTF-8"):
            read_unit(tmp_path, "Bytes.sol")
        with pytest.raises(ConfigError, match=r"None.sol cannot be read: No such file"):
            read_unit(tmp_path, "None.sol")
        with pytest.raises(ConfigError, match=r"A.sol imports too many sources"):
            read_unit(tmp_path, "A.sol")

    def test_root(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Names begin at the folder of a project's files, else at the working directory."""
        write(tmp_path, a__b__A_dot_sol="", p__package_dot_json="{}", p__c__d__B_dot_sol="")

        assert root_of(tmp_path / "a" / "b" / "A.sol") == tmp_path / "a" / "b"
        assert root_of(tmp_path / "p" / "c" / "d" / "B.sol") == tmp_path / "p"
        monkeypatch.chdir(tmp_path / "a")
        assert root_of(Path("b/A.sol")) == tmp_path / "a"


class TestStandardJson:
    @pytest.mark.parametrize(
        ("hardfork", "evm"),
        [
            ("vetiver", "cancun"),
            ("lovell", "cancun"),
            ("arrowhead", "shanghai"),
            ("iris", "istanbul"),
            ("wasabi", "byzantium"),
            ("osaka", "cancun"),
            ("paris", "london"),
            ("muirglacier", "istanbul"),
            ("frontier", "byzantium"),
        ],
    )
    def test_hardfork(self, hardfork: str, evm: str) -> None:
        """Code has no opcode that the hardfork lacks."""
        assert evm_version(hardfork) == evm

    @pytest.mark.parametrize(
        ("solc", "wanted", "used"),
        [
            ((0, 8, 28), "cancun", "cancun"),
            ((0, 8, 23), "cancun", None),
            ((0, 8, 28), "istanbul", "istanbul"),
            ((0, 4, 11), "cancun", None),
        ],
    )
    def test_solc(self, solc: tuple[int, int, int], wanted: str, used: str | None) -> None:
        """An older solc compiles for the newest EVM version that it knows, by itself."""
        written = standard_json(Unit(Path(), "A.sol", {"A.sol": ""}), wanted, solc, {})

        assert written["settings"].get("evmVersion") == used

    def test_settings(self) -> None:
        """Settings of the caller are used; outputs are those that devchain reads."""
        unit = Unit(Path(), "A.sol", {"A.sol": "x"}, ("a=b",))
        written = standard_json(unit, "cancun", (0, 8, 28), {"viaIR": True, "evmVersion": "paris"})

        assert written["sources"] == {"A.sol": {"content": "x"}}
        settings = written["settings"]
        assert (settings["viaIR"], settings["evmVersion"]) == (True, "paris")
        assert settings["remappings"] == ("a=b",)
        assert "storageLayout" in settings["outputSelection"]["*"]["*"]

    @pytest.mark.parametrize(
        ("text", "wanted", "used"),
        [
            ("", "shanghai", "shanghai"),
            ("", "byzantium", "london"),
            ("# pragma evm-version paris", "cancun", None),
        ],
    )
    def test_vyper(self, text: str, wanted: str, used: str | None) -> None:
        """Vyper knows no EVM before London; a source may choose one."""
        written = standard_json(Unit(Path(), "a.vy", {"a.vy": text}), wanted, None, {})

        assert written["settings"].get("evmVersion") == used
