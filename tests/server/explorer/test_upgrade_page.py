"""`devchain.server.explorer.upgrade_page`: what another hardfork changes."""

from __future__ import annotations

import html
import json
import re

from devchain.server.app import create_app
from tests.actions import deploy, run
from tests.bytecode import assemble
from tests.fork.upstreams import fork_of
from tests.server.explorer.conftest import Get, Market, unlinked, visit


def rows_of(page: str) -> list[list[str]]:
    """The cells of a page's table."""
    body = re.search(r"<tbody>(.*)</tbody>", page, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", body[1], re.DOTALL) if body else []
    return [
        [
            " ".join(html.unescape(re.sub(r"<[^>]*>", " ", unlinked(cell))).split())
            for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)
        ]
        for row in rows
    ]


class TestContract:
    def test_form(self, market: Market, get: Get) -> None:
        """Before a hardfork is chosen nothing is executed; the next one is offered first."""
        text = get(f"/address/{market.vault.address}/upgrade").text

        assert rows_of(text) == []
        assert "<option selected>next</option>" in text
        assert "<option>vetiver</option>" not in text
        assert 'aria-current="page">Upgrade</a>' in text

    def test_compared(self, market: Market, get: Get) -> None:
        """Each function that changes has its gas under both, its place, and a transaction."""
        text = get(f"/address/{market.vault.address}/upgrade?hardfork=next").text
        rows = {row[0]: row for row in rows_of(text)}
        deposit = rows["Vault.deposit(uint256,string)"]
        before, after = (int(cell.replace(",", "")) for cell in deposit[3:5])

        assert (deposit[1], deposit[2]) == ("3", "3")
        assert before < after
        assert deposit[5] == f"{100 * (after / before - 1):+.1f} %"
        assert re.fullmatch(r"Market\.sol:\d+", deposit[6].rpartition("/")[2])
        assert f'href="/explorer/tx/{market.hashes["no tokens"]}/calls"' in text

    def test_other_status(self, market: Market, get: Get) -> None:
        """A call that fails under the other hardfork has the reason."""
        contract = deploy(market.node, assemble("PUSH0 STOP"))
        run(market.node, contract)
        text = get(f"/address/0x{contract.hex()}/upgrade?hardfork=iris").text

        assert "1 with another status:" in text
        assert "invalid opcode: PUSH0 is not available" in text

    def test_json(self, market: Market, get: Get) -> None:
        """The JSON form is that of `devchain_compareHardforks`."""
        path = f"/address/{market.vault.address}/upgrade?hardfork=next&format=json"
        (call,) = json.loads(get(path).text)["calls"]

        assert call["method"] == "devchain_compareHardforks"
        assert call["result"]["Vault.deposit(uint256,string)"]["changed"] == 3

    def test_wrong(self, market: Market, get: Get) -> None:
        """A hardfork that is unknown, of another chain, or the node's own is refused."""
        for name in ("nine", "prague", "vetiver"):
            page = get(f"/address/{market.vault.address}/upgrade?hardfork={name}")
            assert (page.status, "want one of orchid" in page.text) == (400, True)


class TestTransaction:
    def test_compared(self, market: Market, get: Get) -> None:
        """One transaction is compared."""
        text = get(f"/tx/{market.hashes['deposit']}/upgrade?hardfork=next").text

        assert [row[:3] for row in rows_of(text)] == [["Vault.deposit(uint256,string)", "1", "1"]]
        assert "1 transaction executed under both hardforks: 1 function would change." in text

    def test_nothing(self, market: Market, get: Get) -> None:
        """A transfer does not change."""
        text = get(f"/tx/{market.hashes['transfer']}/upgrade?hardfork=next").text

        assert rows_of(text) == []
        assert "0 functions would change." in text

    def test_before_a_fork(self, market: Market) -> None:
        """What the upstream has mined is executed on what the upstream has."""
        fork, _ = fork_of(market.node)
        with fork:
            path = f"/explorer/tx/{market.hashes['deposit']}/upgrade?hardfork=next"
            text = visit(create_app({"test": fork}, fork.config), path).text

        assert [row[1:3] for row in rows_of(text)] == [["1", "1"]]
