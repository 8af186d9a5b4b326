"""`devchain.server.access_control`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.server.access_control import (
    Refused,
    check_content_type,
    check_host,
    check_origin,
    host_accepted,
    origin_accepted,
    quoted,
    resolve,
)

ONE = ["test"]
TWO = ["main", "test"]
KEYS = ("first", "second", "drïtte")


class TestResolve:
    @pytest.mark.parametrize(
        ("path", "target"),
        [
            ("", ("main", None)),
            ("/", ("main", None)),
            ("/some-key", ("main", "some-key")),
            ("/some-key/", ("main", "some-key")),
            ("/main", ("main", None)),
            ("/test", ("test", None)),
            ("/test/", ("test", None)),
            ("/test/some-key", ("test", "some-key")),
        ],
    )
    def test_several_networks(self, path: str, target: tuple[str, str | None]) -> None:
        """A path names nothing, a key, a network, or a network and a key."""
        assert resolve(path, TWO) == target

    @pytest.mark.parametrize("path", ["/tset", "/Test", "/mian", "/tests", "/dev", "/local"])
    def test_mistyped_network(self, path: str) -> None:
        """What is nearly a network's name, or that of another network, is no key."""
        assert resolve(path, TWO) is None

    @pytest.mark.parametrize(("path", "found"), [("/main", False), ("/tset", True)])
    def test_other_network(self, path: str, found: bool) -> None:
        """On one network the name of another is no key, and any other text is one."""
        assert (resolve(path, ONE) is not None) == found

    def test_one_network_by_name(self) -> None:
        """A single network's own name works as a path too."""
        assert resolve("/test", ONE) == ("test", None)

    @pytest.mark.parametrize("path", ["/main/key", "/a/b", "/test/a/b", "/test//a", "//a/b"])
    def test_nothing_there(self, path: str) -> None:
        """Anything else names nothing."""
        assert resolve(path, ONE) is None


HERE = (
    "localhost", "LOCALHOST:4444", "localhost.:80", "app.localhost:3000", "127.0.0.1:4444",
    "127.8.9.1", "[::1]:4444", "[::1]", "[::ffff:127.0.0.1]:80",
)  # fmt: skip
ELSEWHERE = (
    "evil.example", "evil.example:4444", "localhost.evil.example", "notlocalhost",
    "localhost@evil.example", "localhost:4444@evil.example", "192.168.1.5:4444", "127.1",
    "2130706433", "[::2]:4444", "[evil]", ":4444", "localhost..", ".localhost", "a..localhost",
    "a" * 64 + ".localhost", "a." * 130 + "localhost", "a" * 5_000,
)  # fmt: skip


class TestHostAccepted:
    @pytest.mark.parametrize("host", ["", *HERE])
    def test_loopback(self, host: str) -> None:
        """This machine's own names and addresses are accepted, with any port."""
        assert host_accepted(host, "127.0.0.1", ())

    @pytest.mark.parametrize("host", ["localhost evil", *ELSEWHERE])
    def test_rebinding(self, host: str) -> None:
        """Any other name is refused: it may be DNS rebinding."""
        assert not host_accepted(host, "127.0.0.1", ())

    @pytest.mark.parametrize(
        ("host", "listen", "listed"),
        [
            ("devchain", "127.0.0.1", "Devchain:4444"),
            ("DevChain:80", "127.0.0.1", "devchain"),
            ("[fd00::1]:80", "127.0.0.1", "fd00::1"),
            ("[fd00::1]:80", "127.0.0.1", "[fd00::1]:4444"),
            ("evil.example", "127.0.0.1", "*"),
            ("192.168.1.5:1", "192.168.1.5", ""),
            ("box.lan:1", "box.lan", ""),
            ("[fd00::1]:1", "fd00::1", ""),
            ("192.168.1.5:4444", "0.0.0.0", ""),  # noqa: S104  # nothing is bound here
            ("[fd00::1]:4444", "::", ""),
        ],
    )
    def test_listed(self, host: str, listen: str, listed: str) -> None:
        """A listed name, and the address listened on, is accepted, whatever port and case."""
        assert host_accepted(host, listen, (listed,))

    def test_listening_everywhere(self) -> None:
        """A node that listens on all interfaces accepts no unknown name."""
        assert not host_accepted("evil.example", "::", ())


OWN_PAGES = (
    "http://localhost", "http://localhost:3000", "https://LOCALHOST:5173", "http://app.localhost",
    "http://127.0.0.1:8080", "http://[::1]:3000",
)  # fmt: skip
OTHER_PAGES = (
    "null", "https://evil.example", "http://localhost.evil.example",
    "http://localhost:80@evil.example", "http://localhost/path", "ftp://localhost",
    "chrome-extension://localhost", "localhost:3000", "http://",
)  # fmt: skip


class TestOriginAccepted:
    @pytest.mark.parametrize("origin", OWN_PAGES)
    def test_loopback(self, origin: str) -> None:
        """Pages served by this machine may call."""
        assert origin_accepted(origin, ())

    @pytest.mark.parametrize("origin", ["", *OTHER_PAGES])
    def test_others(self, origin: str) -> None:
        """Other pages, sandboxed ones and extensions may not."""
        assert not origin_accepted(origin, ())

    @pytest.mark.parametrize("origin", ["https://dapp.example", "null", "chrome-extension://abc"])
    def test_listed(self, origin: str) -> None:
        """A listed origin may call, and no other, nor another port; a star lets every page call."""
        assert origin_accepted(origin, (origin,))
        assert origin_accepted(origin, (origin.upper() + "/",))
        assert origin_accepted(origin, ("*",))
        assert not origin_accepted("https://dapp.example:8443", (origin,))


class TestCheckContentType:
    @pytest.mark.parametrize(
        "header",
        [
            "",
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/json-rpc",
            "application/vnd.api+json",
            "text/plain;charset=UTF-8",
        ],
    )
    def test_json(self, header: str) -> None:
        """JSON types, plain text and an absent header are accepted."""
        check_content_type(header)

    @pytest.mark.parametrize(
        "header",
        ["application/x-www-form-urlencoded", "multipart/form-data", "text/html", "json", "+json"],
    )
    def test_others(self, header: str) -> None:
        """The content types of HTML forms are refused."""
        with pytest.raises(Refused, match="is not JSON"):
            check_content_type(header)


class TestQuoted:
    def test_hostile_text(self) -> None:
        """Text of a client is escaped and bounded before it is repeated."""
        assert quoted("a\x1b[2J\n\u202e") == r"'a\x1b[2J\n\u202e'"
        assert len(quoted("y" * 500)) == 105


class TestCheckHost:
    @pytest.mark.parametrize(
        ("host", "hint"),
        [
            ("box.lan:4444", "--allow-host box.lan"),
            ("[fd00::1]:4444", "--allow-host fd00::1"),
            ("what is this", "--allow-host NAME"),
        ],
    )
    def test_hint(self, host: str, hint: str) -> None:
        """The message has the option that allows the host."""
        with pytest.raises(Refused) as caught:
            check_host(host, Config())

        assert caught.value.status == 403
        assert caught.value.message.endswith(hint)


class TestCheckOrigin:
    @pytest.mark.parametrize(
        ("origin", "option"),
        [
            ("https://dapp.example", "https://dapp.example"),
            ("https://dapp.example:8443", "https://dapp.example:8443"),
            ("chrome-extension://abc", "chrome-extension://abc"),
            ("null", "null"),
            ("file://", "'*'"),
            ("https://dapp.example/path", "'*'"),
            ("https://a.example https://b.example", "'*'"),
            ("null, null", "'*'"),
            ("https://" + "a" * 200, "'*'"),
        ],
    )
    def test_hint(self, origin: str, option: str) -> None:
        """The message has the option that lets the page call."""
        with pytest.raises(Refused) as caught:
            check_origin([origin], Config())

        assert caught.value.status == 403
        assert caught.value.message.endswith(f"; start with --allow-origin {option}")
        check_origin([origin], Config(allow_origin=(option.strip("'"),)))

    @pytest.mark.parametrize("origin", ["Titanoboa", "my client/1.0", "localhost:3000", "nullable"])
    def test_no_page(self, origin: str) -> None:
        """Text that no browser sends as its origin is no page, and is accepted."""
        check_origin([origin], Config())

    def test_several(self) -> None:
        """One foreign origin among several is enough to refuse."""
        origins = ["http://localhost", "http://evil.example"]

        with pytest.raises(Refused, match=r"evil\.example"):
            check_origin(origins, Config())
