"""`devchain.config` and `devchain.networks`"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from devchain.config import Config, config_fields
from devchain.errors import ConfigError
from devchain.networks import NETWORKS, network
from devchain.node import Node

RANGES = [(each.name, *each.option.within) for each in config_fields() if each.option.within]


class TestTypes:
    """Values are converted to the type of their field, or refused."""

    @pytest.mark.parametrize(
        ("name", "value", "wanted"),
        [
            ("accounts", "x", "a whole number"),
            ("port", "4", "a whole number"),
            ("balance", 1.5, "a whole number"),
            ("accounts", True, "a whole number"),
            ("accounts", None, "a whole number"),
            ("block_time", "2", "a number of seconds"),
            ("remasc", 1, "true or false"),
            ("network", 31, "a string"),
            ("data_dir", 5, "a string"),
            ("artifacts", 5, "a list of strings"),
            ("artifacts", ("a", 5), "a list of strings"),
        ],
        ids=str,
    )
    def test_wrong(self, name: str, value: object, wanted: str) -> None:
        """A value of another type is an error that names the field."""
        with pytest.raises(ConfigError, match=f"^{name} must be {wanted}, not "):
            Config(**{name: value})  # type: ignore[arg-type]  # that is the test

    def test_secret(self) -> None:
        """The error does not show a secret."""
        with pytest.raises(ConfigError, match=r"^mnemonic must be a string, not list$"):
            Config(mnemonic=["hush"])  # type: ignore[arg-type]  # that is the test

    def test_converted(self) -> None:
        """One text or path is a list of one; a path is its text, a whole number a number."""
        assert Config(artifacts="hh").artifacts == ("hh",)  # type: ignore[arg-type]  # on purpose
        assert Config(artifacts=Path("hh")).artifacts == ("hh",)  # type: ignore[arg-type]  # likewise
        assert Config(artifacts=["a", Path("b")]).artifacts == ("a", "b")  # type: ignore[arg-type]
        assert Config(data_dir=Path("d")).data_dir == "d"  # type: ignore[arg-type]  # likewise
        assert Config(block_time=2).block_time == 2.0
        assert Config(chain_id=None).chain_id is None


class TestNetworks:
    @pytest.mark.parametrize(
        ("name", "chain_id", "gas_limit", "seeds"),
        [
            ("main", 30, 6_800_000, 0),
            ("test", 31, 6_800_000, 0),
            ("dev", 32, 10_000_000, 0),
            ("local", 33, 10_000_000, 10),
        ],
    )
    def test_facts(self, name: str, chain_id: int, gas_limit: int, seeds: int) -> None:
        """Each network has its chain id, its block gas limit and its accounts with named keys."""
        config = Config(network=name)

        assert (config.effective_chain_id, config.effective_gas_limit) == (chain_id, gas_limit)
        assert (config.rules.name, len(config.rules.seeds)) == (name, seeds)

    def test_unknown(self) -> None:
        """An unknown name is an error that lists the known ones."""
        with pytest.raises(ConfigError, match="'regtest'; choose one of: main, test, dev, local"):
            network("regtest")

    def test_names(self) -> None:
        """A network is listed under its own name."""
        assert [each.name for each in NETWORKS.values()] == list(NETWORKS)


class TestNames:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"netwrk": "test"}, "unknown option 'netwrk'; did you mean network?"),
            ({"chainId": 5}, "unknown option 'chainId'; did you mean chain_id?"),
            ({"block-time": 5}, "unknown option 'block-time'; did you mean block_time?"),
            ({"zero": 0}, "unknown option 'zero'; help(devchain.Config) lists them all"),
        ],
    )
    def test_unknown(self, options: dict[str, Any], message: str) -> None:
        """An unknown option is named with the one that is likely meant, for nodes too."""
        for build in (Config, Node, partial(replace, Config())):
            with pytest.raises(ConfigError) as raised:
                build(**options)
            assert str(raised.value) == message

    def test_positions(self) -> None:
        """Options have no positions."""
        with pytest.raises(ConfigError, match=r'as in Config\(network="test"\), not \'test\''):
            Config("test")  # type: ignore[misc]  # refused


class TestDefaults:
    def test_network(self) -> None:
        """The local network is the default, ten accounts, and a mode of mining is not named."""
        config = Config()

        assert (config.network, config.accounts, config.balance) == ("local", 10, 10_000)
        assert (config.mining, config.block_time, config.min_gas_price) == (None, None, 0)

    def test_limits(self) -> None:
        """Logs, filters, bodies and batches have the documented limits."""
        config = Config()

        assert (config.max_log_blocks, config.max_logs) == (2_000, 10_000)
        assert (config.filter_timeout, config.account_slots) == (300, 16)
        assert (config.max_body, config.max_batch) == (5 * 1024 * 1024, 1_000)
        assert (config.host, config.port, config.effective_revert_code) == (
            "127.0.0.1",
            4444,
            -32_015,
        )

    def test_overrides(self) -> None:
        """Chain id and gas limit may differ from the network's."""
        config = Config(network="main", chain_id=1_337, gas_limit=9_000_000)

        assert (config.effective_chain_id, config.effective_gas_limit) == (1_337, 9_000_000)

    @pytest.mark.parametrize(
        ("given", "hardfork"),
        [("Vetiver", "vetiver"), ("PRAGUE", "prague"), ("Iris300", "iris300")],
    )
    def test_hardfork_in_any_case(self, given: str, hardfork: str) -> None:
        """A hardfork may be given in any letter case."""
        assert Config(hardfork=given).hardfork == hardfork

    def test_frozen(self) -> None:
        """A configuration cannot be changed."""
        with pytest.raises(FrozenInstanceError):
            Config().port = 1  # type: ignore[misc]  # the point of the test


class TestRefusals:
    @pytest.mark.parametrize(
        ("given", "text"),
        [
            ({"network": "x"}, "unknown network 'x'; choose one of: main, test, dev, local"),
            ({"network": "regtest"}, "choose one of: main, test, dev, local; it is local here"),
            ({"network": "Mainnet"}, "choose one of: main, test, dev, local; it is main here"),
            ({"network": "test,main"}, "several are served with the option once for each of them"),
            ({"network": "TEST"}, "choose one of: main, test, dev, local; it is test here"),
            ({"hardfork": 5}, "hardfork"),
            ({"hardfork": "x"}, "unknown hardfork 'x'; choose one of: "),
            ({"engine": "x"}, "unknown engine 'x'; choose one of: fast, reference"),
            ({"log_format": "x"}, "unknown log-format 'x'; choose one of: text, json"),
            ({"hosted": True}, "--hosted needs at least one --api-key"),
            ({"bitcoin_port": 18_444}, "--bitcoin-port needs --bitcoin"),
            ({"bitcoin_password": "x"}, "--bitcoin-password needs --bitcoin"),
            ({"api_key": ("a/b",)}, "an API key must be one path segment"),
            ({"api_key": ("",)}, "an API key must be one path segment"),
            ({"api_key": ("fine", "main")}, "an API key must be one path segment"),
            ({"revert_code": 0}, "revert-code 0 is not an error code"),
            ({"allow_host": ("a b",)}, "invalid allow-host 'a b'"),
            ({"allow_host": ("http://a",)}, "invalid allow-host 'http://a'"),
            ({"allow_origin": ("foo",)}, "invalid allow-origin 'foo'; write https://"),
            ({"allow_origin": ("https://a/b",)}, "invalid allow-origin 'https://a/b'"),
            (
                {"offline": True, "fork_cache": "x", "fork_hardfork": ("london",)},
                "fork-hardfork 'london': write it like 'london@12965000'",
            ),
            (
                {"offline": True, "fork_cache": "x", "fork_hardfork": ("rome@3",)},
                "fork-hardfork 'rome@3': write it like",
            ),
            ({"fund_accounts": ["0x12:5"]}, "invalid fund-accounts '0x12:5'; write 0x and 40"),
            ({"extra_data": "0xzz"}, "extra-data '0xzz' is not hex: after 0x give an even number"),
            ({"extra_data": "0x123"}, "extra-data '0x123' is not hex"),
            ({"extra_data": "x" * 33}, "extra-data has 33 bytes: a header has at most 32"),
            ({"block_time": float("nan")}, "block-time nan is out of range"),
            ({"network": "main", "federators": 5}, "--federators is for networks dev and local"),
            ({"block_time": float("inf")}, "block-time inf is out of range"),
            (
                {"gas_limit": 0xFFFFFFFFFFF},
                "gas-limit 17,592,186,044,415 is out of range; give a number from 100,000 to 10,0",
            ),
        ],
        ids=lambda given: "-".join(given) if isinstance(given, dict) else "",
    )
    def test_texts(self, given: dict[str, Any], text: str) -> None:
        """The error names the option."""
        with pytest.raises(ConfigError, match=text):
            Config(**given)

    @pytest.mark.parametrize(
        "host", ["*", "node.example", "my_host:8080", "127.0.0.1", "::1", "[::1]:4444"]
    )
    def test_hosts(self, host: str) -> None:
        """A host is `*`, a name or an address, with or without a port."""
        assert Config(allow_host=(host,)).allow_host == (host,)

    @pytest.mark.parametrize(
        "origin", ["*", "null", "https://app.example", "http://[::1]:80/", "chrome-extension://abc"]
    )
    def test_origins(self, origin: str) -> None:
        """An origin is `*`, `null`, or a scheme with a host, with or without a port."""
        assert Config(allow_origin=(origin,)).allow_origin == (origin,)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("devchain", b"devchain"),
            ("", b""),
            ("0x", b""),
            ("0xC0de", b"\xc0\xde"),
        ],
    )
    def test_extra_data(self, text: str, expected: bytes) -> None:
        """Extra data is bytes as 0x hex, or text."""
        assert Config(extra_data=text).effective_extra_data == expected

    @pytest.mark.parametrize(("name", "low", "high"), RANGES, ids=str)
    def test_ranges(self, name: str, low: float, high: float) -> None:
        """Both ends of a range are allowed, values beyond them are an error."""
        for end in (low, high):
            assert getattr(Config(bitcoin=True, **{name: end}), name) == end
        for beyond in (low - 1, high * 2):
            with pytest.raises(ConfigError, match=name.replace("_", "-")):
                Config(**{name: beyond})

    def test_secrets_are_not_shown(self) -> None:
        """Printing a configuration shows neither API keys nor the mnemonic."""
        shown = repr(Config(api_key=("hush",), mnemonic="abandon " * 11 + "about"))

        assert "hush" not in shown
        assert "abandon" not in shown


class TestOptions:
    def test_every_field(self) -> None:
        """Every field is an option, in the order of definition, with help and group."""
        assert [each.name for each in config_fields()] == [each.name for each in fields(Config)]
        assert all(each.option.help and each.option.group for each in config_fields())
        assert all(each.option.help.endswith(".") for each in config_fields())

    def test_names(self) -> None:
        """A field's name gives its flag and its environment variable."""
        fields_by_name = {each.name: each for each in config_fields()}

        assert fields_by_name["gas_limit"].env == "DEVCHAIN_GAS_LIMIT"
        assert fields_by_name["gas_limit"].flag == "--gas-limit"
        assert fields_by_name["mining"].negative_flag == "--no-mining"

    def test_defaults_are_the_fields(self) -> None:
        """An option's default is the field's."""
        config = Config()

        assert {each.name: each.default for each in config_fields()} == {
            each.name: getattr(config, each.name) for each in config_fields()
        }


class TestApiKeys:
    def test_file(self, tmp_path: Path) -> None:
        """A file has one key a line, besides those of the option."""
        file = tmp_path / "keys"
        file.write_text("first\n\n# a comment\n second  # of the other team\n")

        config = Config(hosted=True, api_key=("zeroth",), api_key_file=str(file))

        assert config.api_keys == ("zeroth", "first", "second")

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            (None, "cannot be read: No such file"),
            (b"# none\n", "has no keys"),
            (b"\xff", "is not UTF-8"),
            (b"a/b\n", "an API key must be one path segment"),
        ],
    )
    def test_refused(self, tmp_path: Path, content: bytes | None, text: str) -> None:
        """A file without valid keys is an error: it never lets everybody in."""
        file = tmp_path / "keys"
        if content is not None:
            file.write_bytes(content)

        with pytest.raises(ConfigError, match=text):
            Config(api_key_file=str(file))


class TestLimits:
    def test_table(self) -> None:
        """The table of limits has options and constants, with what happens beyond them."""
        page = Path("docs/config.md").read_text(encoding="utf-8")

        assert "| `--max-batch` | The batch is refused: error -32600. |" in page
        assert "| 16,384 bytes | 431; the connection closes. |" in page
