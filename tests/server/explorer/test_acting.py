"""What the explorer sends, simulates and reads on demand."""

from __future__ import annotations

import json
import re
from html import unescape
from urllib.parse import quote

import pytest

from devchain.client.http import LocalClient
from devchain.node import Node
from tests.server.explorer import bazaar
from tests.server.explorer.bazaar import Bazaar
from tests.server.explorer.conftest import Get, Market, unlinked

SHOP = "Shop.order(item=3, amount=40)"


@pytest.fixture
def made(node: Node) -> Bazaar:
    """The chain of `bazaar`, without empty blocks, of a node that tests may change."""
    LocalClient(node).call("hardhat_setBalance", "0x" + "11" * 20, "0x1")
    return bazaar.fill(LocalClient(node).call, empty_blocks=0)


class TestSend:
    def test_simulation_fails(self, market: Market, get: Get) -> None:
        """A transaction that would fail says why and where, before it is sent."""
        page = get(f"/send?tx={market.hashes['too much']}").text

        assert "It would fail" in page
        assert "contracts/Market.sol:" in page
        assert market.node.chain.height == 11

    def test_replay_runs_before_it(self, made: Bazaar, get: Get) -> None:
        """A replay has the state before the transaction, in which it succeeded."""
        page = get(f"/send?tx={made.hashes['art moved']}").text

        assert "It would succeed" in page
        assert "ART #3" in page

    def test_long_data(self, made: Bazaar, node: Node, get: Get, post: Get) -> None:
        """Init code too long for a link is replayed, simulated again and sent whole."""
        replay = get(f"/send?tx={made.hashes['deploy factory']}").text
        [form, _] = [part.split("</form>")[0] for part in replay.split("<form ")[2:4]]
        given = re.findall(r'name="(\w+)"[^>]* value="([^"]*)"', form)
        fields = {name: unescape(value) for name, value in given}
        [data] = re.findall(r"<textarea[^>]*>(\w*)</textarea>", form)
        page = post("/do/simulate", **fields, data=data + "00" * 9_000)

        assert page.status == 200
        assert "It would succeed" in page.text
        sent = dict(re.findall(r'name="(\w+)" value="([^"]*)"', page.text.rpartition("<form")[2]))
        assert sent["data"] == data + "00" * 9_000
        assert post("/do/send", **sent | {"value": "0"}).status == 303
        assert node.chain.head.transactions[0].data.hex() == sent["data"].removeprefix("0x")

    def test_changed_replay(self, market: Market, get: Get) -> None:
        """A field of the form replaces that of the transaction."""
        path = f"/send?tx={market.hashes['transfer']}&simulate=1&value=1000000000000+rbtc"
        page = get(path).text

        assert "It would fail" in page
        assert "less than the value" in page

    def test_function_is_simulated(self, made: Bazaar, post: Get, get: Get) -> None:
        """The form of a function leads to a simulation of its call."""
        form = {"from": made.accounts[2], "to": made.contracts["clone"]}
        answer = post("/do/simulate-call", f="order(uint256,uint256)", a0='"3"', a1="4e1", **form)

        assert answer.status == 303
        location = answer.headers["Location"].removeprefix("/explorer")
        assert "Shop clone.order(item=3, amount=40)" in unlinked(get(location).text)

    def test_refused_form_is_kept(self, made: Bazaar, post: Get, get: Get) -> None:
        """From the page that refuses a call its form is one click away, with what was typed."""
        clone, sender = made.contracts["clone"], made.accounts[2]
        form = {"from": sender, "to": clone, "back": f"/explorer/address/{clone}/call"}
        fields = {"f": "order(uint256,uint256)", "a0": "3", "a1": "<forty>", "gas": "90000"}
        page = post("/do/call", **form, **fields)

        assert page.status == 400
        [path] = re.findall(r'href="/explorer([^"]+)">Back to the form', page.text)
        back = get(unescape(path)).text
        [opened] = re.findall(r"<details[^>]* open>.*?</details>", back, re.DOTALL)
        assert "order(uint256,uint256)" in opened
        for value in ("3", "&lt;forty&gt;", "90000"):
            assert f'value="{value}"' in opened
        assert f'<option value="{sender}" selected>'.lower() in opened.lower()

    def test_long_signature(self, node: Node, get: Get) -> None:
        """A function is called whose signature has hundreds of characters."""
        struct = {"type": "tuple", "components": [{"type": "uint256"}] * 40}
        entry = {"type": "function", "name": "get", "inputs": [struct], "stateMutability": "view"}
        account, call = f"0x{'7a' * 20}", LocalClient(node).call
        call("devchain_addArtifacts", {"abi": [entry], "deployedBytecode": "0x6000fd"})
        call("hardhat_setCode", account, "0x6000fd")
        values = ",".join(["1"] * 40)
        page = get(f"/address/{account}/call?f=get(({','.join(['uint256'] * 40)}))&a0=[{values}]")

        assert '<p class="alert bad"' in page.text

    def test_long_form_is_not_cut(self, made: Bazaar, post: Get) -> None:
        """Fields that no link has room for are left out: a part of them would be sent in error."""
        back = f"/explorer/address/{made.contracts['clone']}/call"
        page = post("/do/call", back=back, f="order(uint256,uint256)", a0="3" * 9_000)

        assert f'href="{back}">Back to the form' in page.text

    def test_transfer(self, node: Node, post: Get) -> None:
        """A plain transfer is sent, and its page is shown."""
        first, second = (f"0x{each.hex()}" for each in node.accounts.addresses()[:2])
        answer = post("/do/send", **{"from": first, "to": second, "value": "1.5rbtc"})

        assert answer.headers["Location"].startswith("/explorer/tx/0x")
        assert node.chain.head.transactions[0].value == 15 * 10**17

    @pytest.mark.parametrize("field", ["value", "gas", "data", "to"])
    def test_wrong_field(self, node: Node, get: Get, field: str) -> None:
        """What cannot be read is named."""
        first = f"0x{node.accounts.addresses()[0].hex()}"
        page = get(f"/send?simulate=1&from={first}&{field}=%3Cb%3E")

        assert page.status == 200
        assert "must be" in page.text or "an address is" in page.text
        assert "<b>" not in page.text.replace('<b id="height">', "")

    def test_balance(self, node: Node, post: Get) -> None:
        """A balance is set in any unit, and leads to the account, which confirms it."""
        account = node.accounts.addresses()[0]
        page = post("/do/balance", address=f"0x{account.hex()}", balance="2.5 rbtc")

        assert page.headers["Location"] == f"/explorer/address/0x{account.hex()}?done=balance"
        assert node.chain.state_at("latest").balance(account) == 25 * 10**17

    def test_balance_of_numbered_account(self, node: Node, post: Get) -> None:
        """An account may be given by its number."""
        post("/do/balance", address="account 1", balance="7 wei")
        refused = post("/do/balance", address="account 500", balance="7 wei")

        account = node.accounts.addresses()[1]
        assert node.chain.state_at("latest").balance(account) == 7
        assert refused.status == 400

    @pytest.mark.parametrize("text", ["0", "0x7 wei", "1,000wei", ".5 RBTC"])
    def test_browser_lets_amounts_pass(self, post: Get, get: Get, text: str) -> None:
        """The pattern of the field, which a browser checks, has all that the node takes."""
        [pattern] = re.findall(r'name="balance" pattern="([^"]+)"', get("/control").text)
        answer = post("/do/balance", address="account 1", balance=text)

        assert re.fullmatch(pattern, text)
        assert answer.status == 303

    @pytest.mark.parametrize("text", ["7", "0x7", "7.25", "1,000", "rbtc"])
    def test_balance_without_unit(self, node: Node, post: Get, text: str) -> None:
        """A number alone could be wei or RBTC: the form asks for the unit."""
        account = f"0x{node.accounts.addresses()[0].hex()}"
        page = post("/do/balance", address=account, balance=text)

        assert page.status == 400
        assert "with its unit: 7 rbtc, 10 gwei or 7 wei" in page.text

    def test_drop(self, node: Node, get: Get, post: Get) -> None:
        """A pending transaction is dropped from its page."""
        LocalClient(node).call("evm_setAutomine", False)
        first = f"0x{node.accounts.addresses()[0].hex()}"
        sent = post("/do/send", **{"from": first, "to": first}).headers["Location"]
        path = sent.removeprefix("/explorer")
        assert "Drop it from the mempool" in get(path).text

        post("/do/drop", hash=path.removeprefix("/tx/"))

        assert len(node.mempool) == 0


class TestReading:
    def test_getters(self, made: Bazaar, get: Get) -> None:
        """A contract's overview has the values of its getters, a clone's by its model."""
        page = unlinked(get(f"/address/{made.contracts['clone']}").text)

        assert "Door.Open</bdi>" in page
        assert "thirty-one bytes" in page
        assert "0123456789 end" in page

    def test_mapping(self, made: Bazaar, get: Get) -> None:
        """A mapping is read by keys, also those that no transaction used lately."""
        path = f"/address/{made.contracts['clone']}/storage?variable="
        page = unlinked(get(path + quote("orders[2][3]")).text)

        assert "[3]</bdi> = <bdi>40</bdi>" in page
        assert "<bdi>orders[address][uint256]</bdi>" in page

    @pytest.mark.parametrize(
        "wanted", ["orders", "orders[2]", "orders[x][1]", "no[1]", "[][][", "<b>"]
    )
    def test_wrong_key(self, made: Bazaar, get: Get, wanted: str) -> None:
        """What names no value is refused on the page."""
        page = get(f"/address/{made.contracts['clone']}/storage?variable={quote(wanted)}")

        assert page.status == 200
        assert 'class="alert bad"' in page.text


class TestArtifact:
    def test_interface_is_found_last(self, made: Bazaar, node: Node, get: Get) -> None:
        """What no contract has comes after what can be called."""
        abi = [{"type": "function", "name": "lastCall", "inputs": [], "outputs": []}]
        artifact = {"contractName": "AShop", "abi": abi, "bytecode": "0x"}
        LocalClient(node).call("devchain_addArtifacts", artifact)

        page = get("/search?q=lastcall").text

        assert page.index("<bdi>Shop.lastCall()") < page.index("<bdi>AShop.lastCall()")

    def test_abi_is_pasted(self, made: Bazaar, get: Get, post: Get) -> None:
        """An ABI that is pasted names a contract and its functions."""
        coin = made.contracts["coin"]
        abi = '[{"type": "function", "name": "totalSupply", "inputs": [], "outputs": '
        abi += '[{"type": "uint256", "name": ""}], "stateMutability": "view"}]'
        answer = post("/do/artifact", address=coin, name="Pasted<i>", json=abi)

        assert answer.status == 303
        page = get(f"/address/{coin}").text
        assert "Pasted&lt;i&gt;" in page
        assert "<bdi>totalSupply</bdi>" in page

    @pytest.mark.parametrize("text", ["", "{", "[1]", "{}", "[" * 2_000])
    def test_wrong_json(self, made: Bazaar, post: Get, text: str) -> None:
        """What is no ABI is refused."""
        assert post("/do/artifact", address=made.contracts["coin"], json=text).status == 400


class TestRemasc:
    def test_title(self, node: Node, get: Get) -> None:
        """The transaction that closes a block on Rootstock is no transfer."""
        remasc = "0x0000000000000000000000000000000001000008"
        first = f"0x{node.accounts.addresses()[0].hex()}"
        LocalClient(node).call(
            "eth_sendTransaction", {"from": first, "to": remasc, "gas": "0x30000"}
        )

        assert "REMASC.processMinersFees()" in get("/txs").text


class TestHostileAbi:
    def test_names(self, made: Bazaar, get: Get, post: Get) -> None:
        """Names of functions, parameters and contracts from an ABI are escaped on every page."""
        hostile = '"><script>alert(4)</script>\u202e\x1b'
        param = {"type": "string", "name": hostile, "internalType": hostile}
        kinds = ("view", "nonpayable")
        abi: list[dict[str, object]] = [
            {
                "type": "function",
                "name": f"{hostile}{kind}",
                "inputs": [param],
                "outputs": [param],
                "stateMutability": kind,
            }
            for kind in kinds
        ]
        abi += [{"type": "function", "name": "name", "outputs": [param], "stateMutability": "view"}]
        coin = made.contracts["hostile"]
        post("/do/artifact", address=coin, name=hostile, json=json.dumps(abi))

        for path in ("", "/source", "/call", "/storage", "/events", "/token"):
            page = get(f"/address/{coin}{path}")
            assert page.status == 200
            assert "<script>alert" not in page.text
            assert "\u202e" not in page.text
            assert "\x1b" not in page.text
        assert "<script>alert" not in get("/search?q=alert").text
        assert "<script>alert" not in get("/contracts").text
