"""The Python API of a node: contracts as objects, transactions, cheats, snapshots."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, Unpack

from devchain.contracts.abi import Abi, Decoded
from devchain.contracts.artifact_registry import distinct_names, is_same_contract
from devchain.contracts.artifacts import NO_BYTECODE, SOURCE_FILE, Artifact, linked_code
from devchain.contracts.contract import (
    Contract,
    ContractApi,
    Function,
    Mined,
    Options,
    Suggesting,
    argument_advice,
)
from devchain.contracts.contract import request as request_of
from devchain.contracts.expectations import expect_emit, reverts
from devchain.errors import AccountUnknown, InvalidInput, TransactionNotFound, VmError
from devchain.evm.mocks import Mock
from devchain.node import cheats
from devchain.node.core import NodeCore
from devchain.state.state_view import StateView
from devchain.text import Lines, misspelt, printable, shown_argument
from devchain.types import (
    ADDRESS_SIZE,
    MAX_UINT256,
    ZERO_ADDRESS,
    Address,
    AddressBytes,
    BlockLike,
    Hash32,
    StateLike,
    StateRef,
    Tag,
    TransactionRequest,
    address_of,
    amount_of,
    block_of,
    bytes_of,
    checksum,
    hash_of,
    integer,
    level_of_caller,
    whole_number,
    wrong_type,
)

if TYPE_CHECKING:
    # Only for the hint: eth-account takes long to import.
    from devchain.node.funded_account import FundedAccount
    from devchain.node.mocks import expect_call
    from devchain.node.peg import Peg, PegOut
    from devchain.source.gas import GasProfile
    from devchain.tracing.frames import Frame

MAX_NAMED, MAX_NOTICES, MAX_LACKING = 20, 3, 3  # contracts, notices, functions in a text
MAX_PRECOMPILED = 2**32  # addresses below are of precompiled contracts, without code
ArtifactFile = Artifact | Mapping[str, Any] | Path
ArtifactSource = ArtifactFile | str  # its JSON, its file, or a name among those added
Result = TypeVar("Result")

OF_CORE = frozenset(
    {
        *("call", "estimate", "send", "send_raw", "gas_price", "nonce", "logs", "mine", "reset"),
        *("copy", "dump", "load", "close", "address_history", "bitcoin", "config", "chain"),
    }
)
"""Members of `NodeCore` that are for programs; the others are for the interfaces of a node."""

ABI_ALONE = "Contract"  # the name of a contract of which only the ABI is given


class Node(NodeCore):
    """A local Rootstock chain for Python tests: `with Node(Config(accounts=3)) as node:`.

    An address is 20 bytes, hex text, or an object with an `address`, such as a contract. Amounts
    are in wei. Editing an account mines no block.
    """

    OTHER_NAMES: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("increasetime", "sleep", "skip"), "time_travel"),
        **dict.fromkeys(("warp", "setnextblocktimestamp"), "time_travel(to=...)"),
        **dict.fromkeys(("prank", "startprank", "impersonateaccount"), "impersonate"),
        **dict.fromkeys(("expectrevert", "raises"), "reverts"),
        **dict.fromkeys(("send", "sendtransaction", "transfer"), "transact"),
        "roll": "mine",
        "etch": "set_code",
        "store": "set_storage",
        **dict.fromkeys(("restore", "revertto", "takesnapshot"), "with node.snapshot():"),
    }

    artifacts_hint = 'name its source or JSON file, or its project: Config(artifacts=("PATH",))'
    """What to do about contracts that the node does not know, in the words of who created it."""

    def __dir__(self) -> list[str]:
        """The names that are for programs, which the reference lists."""
        internal = {*vars(NodeCore), *vars(self), "OTHER_NAMES", "artifacts_hint"} - OF_CORE
        return [name for name in super().__dir__() if name[0] == "_" or name not in internal]

    def __repr__(self) -> str:
        where = "closed" if self.closed else f"block {self.block_number}"
        return f"<Node of {self.config.network}, {where}>"

    # The newest block

    @property
    def block_number(self) -> int:
        """Number of the newest block."""
        return self.open_sandbox.number - 1 if self.open_sandbox else self.chain.height

    @property
    def timestamp(self) -> int:
        """Timestamp of the newest block, in seconds; `time_travel` moves it."""
        if self.open_sandbox:
            return self.open_sandbox.timestamp - 1
        return self.chain.block(Tag.LATEST).timestamp

    @property
    def base_fee(self) -> int:
        """Base fee of the newest block in wei; 0 on Rootstock."""
        return self.chain.rules.base_fee(self.chain.block(Tag.LATEST).header)

    @property
    def minimum_gas_price(self) -> int:
        """The lowest gas price, in wei, that the next block accepts."""
        return self.chain.lowest_gas_price()

    @property
    def chain_id(self) -> int:
        """The chain id: 30 for `main`, 31 for `test`, 33 for `local`."""
        return self.config.effective_chain_id

    def balance(self, address: object, block: BlockLike = Tag.LATEST) -> int:
        """An account's balance in wei, after a block."""
        where, at = address_of(address), block_of(block)
        wei = self.state_at(at).balance(where)
        if self.on_read:
            self.on_read(TransactionRequest(to=where), at, wei)
        return wei

    # Accounts

    @property
    def funded_accounts(self) -> list[FundedAccount]:
        """The accounts that have money at the start. They are unlocked: give one as `sender`.

        Each is an eth-account account with `balance` and `nonce`. It equals its address.
        """
        from devchain.node.funded_account import FundedAccount

        return [FundedAccount(key, self) for _, key in self.accounts.dev_keys]

    # Contracts

    def deploy(
        self,
        artifact: ArtifactSource,
        *arguments: object,
        libraries: Mapping[str, object] | None = None,
        **options: Unpack[Options],
    ) -> Contract:
        """Deploy a contract and return it as an object. Its creator calls it by default.

        `artifact` is a name (`Vault`, or `Vault.sol:Vault`) that the node knows, a source file
        (`src/Vault.sol`), which is compiled as `devchain.load` does, a JSON file, the content of
        one (`{"abi": ..., "bytecode": ...}`), or an `Artifact`. `libraries` are
        the external libraries that it uses, by name: `{"Lib": node.deploy("Lib")}`. Options:
        `sender` (default: the first account), `value` in wei, `gas`, `gas_price`. Raises
        `ExecutionReverted` or `ExecutionFailed` if the constructor fails, `InvalidInput` for wrong
        arguments.
        """
        wanted = self._find_artifact(artifact)
        creation = wanted.creation.template
        if not creation:
            raise InvalidInput(f"{wanted.name} cannot be deployed: {NO_BYTECODE}")
        if libraries or not wanted.creation.is_linked:
            creation = _linked_code(wanted, libraries or {})
        self.artifacts.add(wanted)
        constructor = wanted.abi.constructor
        try:
            init_code = creation + constructor.encode(arguments)
        except InvalidInput as error:
            if advice := argument_advice([constructor], arguments, options):
                raise InvalidInput(f"{error}; {advice}") from None
            raise
        mined = self.transact(request_of(None, init_code, options))
        address = address_of(mined.contract_address)
        code = self.state_at(Tag.LATEST).code(address)
        # The template is the same for every deployment, so that it is read once.
        if advice := self.explainer.missing_opcodes(wanted.runtime.template or code):
            warnings.warn(printable(f"{wanted.name}: {advice}"), stacklevel=level_of_caller())
        known = self.artifacts.find_by_code(code, address)
        if known is None or not is_same_contract(known, wanted):
            self.artifacts.add_deployed(wanted, address, code)
        return self._contract_at(address, wanted, mined.receipt.transaction.sender)

    def contract(self, artifact: ArtifactSource | Abi | list[Any], address: object) -> Contract:
        """The contract at an address as an object. Give its ABI, or what `deploy` takes.

        Calls come from the first account by default. A `UserWarning` says if the code is known to
        lack functions, and if a transaction is sent to an address without code.
        """
        if isinstance(artifact, list | Abi):
            abi = artifact if isinstance(artifact, Abi) else Abi.from_json(artifact)
            artifact = Artifact(ABI_ALONE, abi)
        named, where = self._find_artifact(artifact), address_of(address)
        code = self.state_at(Tag.LATEST).code(where)
        own = self.artifacts.find_by_code(code)
        if own is None or own.abi.has("fallback") or named.matches_code(code):
            self.artifacts.add_deployed(named, where, code)
        else:
            self.artifacts.add_interface(named.abi)
            _warn_of_lacking(named, own, where)

        def lacks_code() -> bool:
            is_mocked = any(mock.address == where for mock in self.chain.mocks.ordered)
            is_precompiled = 0 < int.from_bytes(where, "big") < MAX_PRECOMPILED
            return not (is_mocked or is_precompiled or self.state_at(Tag.LATEST).code(where))

        sender = self._first_account()
        return self._contract_at(where, named, sender, None if code else lacks_code)

    def _contract_at(
        self,
        address: Address,
        artifact: Artifact,
        sender: Address | None,
        lacks_code: Callable[[], bool] | None = None,
    ) -> Contract:
        shown = Address(AddressBytes(address))
        by_default = Address(AddressBytes(sender)) if sender else None
        return Contract(
            ContractApi(
                self, shown, artifact.abi, artifact.name, sender=by_default, lacks_code=lacks_code
            )
        )

    def artifacts_at(self, address: Address) -> list[Artifact]:
        """The known contracts that run at an address: its own, then those it delegates to."""
        from devchain.node.contract_storage import compiled_artifact, implementations

        state, running = self.state_at(Tag.LATEST), [address, *implementations(self, address)]
        found = (compiled_artifact(self, state.code(each), each) for each in running)
        return [artifact for artifact in found if artifact]

    def _first_account(self) -> Address | None:
        return next(iter(self.accounts.addresses()), None)

    def _find_artifact(self, wanted: ArtifactSource) -> Artifact:
        if isinstance(wanted, Artifact):
            return wanted
        if not isinstance(wanted, str | PathLike | Mapping):
            raise InvalidInput(
                f"{shown_argument(wanted)} is a {type(wanted).__name__}: give the name of a "
                "contract, its JSON file, or what a compiler wrote"
            )
        if isinstance(wanted, Mapping):
            from devchain.contracts.artifact_formats import parse_artifacts

            artifacts = parse_artifacts(wanted)
            if not artifacts:
                raise InvalidInput(
                    "the object has no contract: want what a compiler writes, "
                    '{"abi": [...], "bytecode": "0x..."}'
                )
        elif str(wanted).endswith(".json"):
            path = Path(wanted)
            modified = path.stat().st_mtime_ns if path.is_file() else 0
            artifacts = _load_file(path, modified, detailed=self.config.coverage is not None)
        else:
            artifacts = self.artifacts.find_by_name(str(wanted))
            if not artifacts and self.artifacts.refresh():  # compiled since the start
                artifacts = self.artifacts.find_by_name(str(wanted))
        if len(artifacts) == 1:
            return artifacts[0]
        what = "in the object" if isinstance(wanted, Mapping) else str(wanted)
        source = SOURCE_FILE.fullmatch(what)
        if not artifacts and source and Path(source[1]).is_file():
            from devchain.contracts.compile import load

            return load(what, hardfork=self.artifacts.hardfork)
        if artifacts:
            names = " or ".join(distinct_names(artifacts))
            raise InvalidInput(f"{len(artifacts)} contracts are named {what}: say which, {names}")
        named = f"no artifact is named {what}{', nor is there such a file' if source else ''}"
        raise InvalidInput(f"{named}: {self._artifact_hint(str(wanted))}")

    def _artifact_hint(self, wanted: str) -> str:
        if source := SOURCE_FILE.fullmatch(wanted):
            file = Path(source[1])
            files = [each.stem for each in file.parent.glob(f"*{file.suffix}")]
            if close := misspelt(file.stem, files):
                return f"did you mean {file.with_stem(close)}?"
        known = self.artifacts.names()
        name = wanted.rpartition(":")[2]
        if name in known:
            paths = " or ".join(distinct_names(self.artifacts.find_by_name(name)))
            return f"did you mean {paths}?"
        deployable = {artifact.name for artifact in self.artifacts if artifact.creation.template}
        if close := misspelt(name, deployable) or misspelt(name, known):
            return f"did you mean {close}?"
        shown = ", ".join(known[:MAX_NAMED]) + (", ..." if len(known) > MAX_NAMED else "")
        advice = self.artifacts.notices[:MAX_NOTICES] or [self.artifacts_hint]
        return "; ".join([f"the node knows {shown or 'none'}", *advice])

    # Transactions

    def transact(
        self,
        request: TransactionRequest | None = None,
        *,
        to: object = None,
        data: bytes = b"",
        **options: Unpack[Options],
    ) -> Mined:
        """Send a transaction and mine it: `node.transact(to=bob, value=10**18)`.

        Options are those of `deploy`. Without `to`, `data` is the init code of a contract to
        create. Raises a `VmError` if it was mined and failed, a `TransactionRejected` if the
        mempool refused it.
        """
        if request is None:
            request = request_of(None if to is None else address_of(to), data, options)
        elif to is not None or data or options:
            raise InvalidInput("give a request, or what to send by name: transact(to=bob, value=1)")
        request = _checked_request(request)
        if request.to is None and not request.data:
            raise InvalidInput(
                "the transaction has no recipient: give to=..., or the init code of a contract to "
                "create as data"
            )
        request = request._replace(sender=request.sender or self._first_account())
        if self.open_sandbox:
            from devchain.node import sandboxed

            in_sandbox = sandboxed.transact(self, self.open_sandbox, request)
            return Mined(*in_sandbox, self._decode_log)
        filled = request._replace(gas=request.gas or self.chain.max_transaction_gas())
        try:
            tx_hash = self.send(filled)
        except AccountUnknown as error:
            where = checksum(request.sender or ZERO_ADDRESS)
            raise AccountUnknown(
                f'{error}: impersonate("{where}") of the node lets it send without one',
                address=error.address,
            ) from None
        mined = self.chain.receipt(tx_hash, own=True)
        if mined is None:
            self.miner.mine_pending()  # earlier transactions may fill a block of their own
            mined = self.chain.receipt(tx_hash, own=True)
        if mined is None:
            raise InvalidInput(
                "the transaction waits in the mempool: an earlier one of its sender is missing"
            )
        block, receipt = mined
        if receipt.failure:
            raise self.explainer.transaction_error(receipt, receipt.failure)
        return Mined(block, receipt, self._decode_log)

    # The peg

    @cached_property
    def peg(self) -> Peg:
        """The federators' node: each step of the peg by itself, and `update`."""
        from devchain.node.peg import Peg

        return Peg(self)

    def _assemble(self, *parts: Any, **named: Any) -> None:
        super()._assemble(*parts, **named)
        if self.config.automatic_peg or ("peg" in vars(self) and self.peg.is_connected):
            self.peg.connect()

    def peg_in(self, account: object, btc: object = 1) -> Mined:
        """Turn bitcoins of `node.bitcoin` into RBTC of an account; the transaction and its events.

        Bitcoins are locked and confirmed, and the Bridge registers them. See `node.peg` for the
        steps.
        """
        from devchain.node.peg import satoshis_of

        self.require_blocks("peg_in")
        done = self.peg.peg_in(address_of(account), satoshis_of(btc))
        self.persist()
        block, receipt = _mined(self.chain.receipt, done.transaction_hash)
        return Mined(block, receipt, self._decode_log)

    def peg_out(self, account: object, btc: object = 1) -> PegOut:
        """Turn RBTC of an account into bitcoins of its key, less the fee of the federation.

        Mines the blocks that this takes. Raises `InvalidInput` if the Bridge rejects it.
        """
        from devchain.node.peg import satoshis_of

        self.require_blocks("peg_out")
        done = self.peg.peg_out(address_of(account), satoshis_of(btc))
        self.persist()
        return done

    def _decode_log(self, log: Any) -> Decoded | None:
        code = self.state_at(Tag.LATEST).code(log.address)
        return self.artifacts.decode_event(code, log.topics, log.data, log.address)

    def call_tree(self, transaction: Mined | bytes | str) -> str:
        """The calls of a mined transaction as text, with names where ABIs are known.

        `transaction` is what `transact` returned, or a hash. Raises `TransactionNotFound`.
        """
        return Lines(self.explainer.draw_tree(self._frames(transaction)))

    def gas_profile(self, transaction: Mined | bytes | str) -> GasProfile:
        """Where a mined transaction used its gas: by function, source line and storage variable.

        `functions()`, `sorted_lines()`, `sorted_storage()` and `folded()` of the result list it.
        """
        self.require_blocks("gas_profile")
        return _mined(self.explainer.gas_profile, transaction)

    def console(self, transaction: Mined | bytes | str) -> list[str]:
        """The lines that a mined transaction printed with `console.log`."""
        from devchain.source.call_tree import console_lines

        return [text for text, _ in console_lines(self._frames(transaction))]

    def _frames(self, transaction: object) -> Frame:
        self.require_blocks("the tree of calls")
        return _mined(self.explainer.transaction_frames, transaction)

    @property
    def last_failure(self) -> VmError | None:
        """The `VmError` that was raised last."""
        return self.explainer.last_failure

    # Expectations

    reverts = staticmethod(reverts)
    expect_emit = staticmethod(expect_emit)

    # Cheats

    def impersonate(self, address: object) -> Impersonation:
        """Let an account or contract send without its key.

        With `with node.impersonate(address):` it ends with the block, without `with` it does not.
        """
        where = address_of(address)
        if self.open_sandbox:  # in which every account sends without a key
            return Impersonation(self, where, ends=False)
        was_impersonated = where in self.accounts.impersonated()
        self.accounts.impersonate(where)
        self.persist()
        return Impersonation(self, where, ends=not was_impersonated)

    def time_travel(self, seconds: int | None = None, *, to: int | None = None) -> int:
        """Move the chain's time ahead by seconds, or to a timestamp, and mine a block there.

        Returns the timestamp. Raises `InvalidInput` if it is not after the newest block's.
        """
        if seconds is not None:
            seconds = integer("seconds", seconds)
            if seconds < 1:
                raise InvalidInput(
                    f"cannot travel by {seconds} seconds: blocks follow each other, give 1 or more"
                )
        if to is not None:
            to = whole_number("to", to, bits=64)
        timestamp = to if seconds is None else self.clock.now() + seconds
        if timestamp is None or (seconds is not None and to is not None):
            raise InvalidInput("say how far to travel, in one way: seconds=60, or to=1700000000")
        if self.open_sandbox:
            distance = timestamp - self.timestamp if seconds is None else seconds
            if distance < 1:
                raise InvalidInput(f"cannot travel by {distance} seconds: give 1 or more")
            self.open_sandbox.advance(distance)
            return self.timestamp
        mined = self.miner.mine(timestamp)
        self.persist()
        return mined.timestamp

    def set_balance(self, address: object, balance: int) -> None:
        """Set an account's balance, in wei."""
        where, wei = address_of(address), amount_of("balance", balance)
        with self.edited_accounts() as accounts:
            accounts.set_balance(where, wei)

    def add_balance(self, address: object, amount: int) -> None:
        """Add to an account's balance, in wei. Raises `InvalidInput` beyond 256 bits."""
        where = address_of(address)
        wei = self.state_at(Tag.LATEST).balance(where) + amount_of("amount", amount)
        if wei > MAX_UINT256:
            raise InvalidInput(f"the balance would be {wei} wei, more than 256 bits hold: add less")
        self.set_balance(where, wei)

    def set_nonce(self, address: object, nonce: int) -> None:
        """Set an account's nonce; it may be lower than before."""
        where, wanted = address_of(address), whole_number("nonce", nonce, bits=64)
        with self.edited_accounts() as accounts:
            accounts.set_nonce(where, wanted)

    def set_code(self, address: object, code: bytes | str) -> None:
        """Set an account's code, as bytes or hex text. Empty code removes it."""
        where, content = address_of(address), bytes_of("code", code)
        with self.edited_accounts() as accounts:
            accounts.set_code(where, content)

    def set_storage(self, address: object, slot: int, value: int) -> None:
        """Set one storage slot of an account."""
        where, place = address_of(address), whole_number("slot", slot, bits=256)
        word = whole_number("value", value, bits=256)
        with self.edited_accounts() as accounts:
            accounts.touch_account(where)
            accounts.set_storage(where, place, word)

    def deal(self, token: object, owner: object, amount: int) -> None:
        """Set an owner's balance of an ERC-20 token. The total supply does not change."""
        self.require_blocks("deal")
        wanted = whole_number("amount", amount, bits=256)
        cheats.deal_tokens(self, address_of(token), address_of(owner), wanted)

    def rollback(self, depth: int = 1) -> None:
        """Remove the newest blocks with their transactions and snapshots. The clock stays."""
        self.require_blocks("rollback")
        cheats.rollback(self, integer("depth", depth))

    # Mocks

    def mock_call(
        self,
        target: object,
        call: object = None,
        *,
        arguments: Sequence[object] | None = None,
        returns: Any = None,
        value: int | None = None,
    ) -> None:
        """Answer calls in place of a contract: `node.mock_call(oracle.price, returns=5)`.

        `target` is a function. Its ABI encodes `returns` (several values are a tuple) and
        `arguments`; by default calls may have any arguments. Or `target` is an address, and `call`
        a signature or the start of the call data. `returns` is then bytes, or values if the
        signature has their types: `"price()(uint256)"`. With `value`, only calls that send so many
        wei are mocked. A mocked call uses no gas. Mocks end with `clear_mocks` and with snapshots.
        """
        from devchain.node import mocks

        where = mocks.target_address(target)
        data = mocks.call_data(target, call, arguments)
        answer = mocks.encoded_answer(target, call, returns)
        mocks.mock_call(self, Mock(where, data, mocks.sent(value), answer))

    def mock_revert(
        self,
        target: object,
        call: object = None,
        *values: object,
        arguments: Sequence[object] | None = None,
        error: str | bytes = b"",
        value: int | None = None,
    ) -> None:
        """Let calls revert. Targets and arguments are those of `mock_call`.

        The error is a text, bytes, or the name of a custom error of the function's contract with
        its `values`: `node.mock_revert(vault.withdraw, "NotOwner", bob)`. For an address, and for
        bytes, it is `error`.
        """
        from devchain.node import mocks

        if isinstance(call, str) and not error and isinstance(target, Function):
            error, call = call, None
        where = mocks.target_address(target)
        data = mocks.call_data(target, call, arguments)
        payload = mocks.encoded_error(target, error, values)
        mocks.mock_call(self, Mock(where, data, mocks.sent(value), payload, reverts=True))

    def clear_mocks(self) -> None:
        """Remove all mocks."""
        from devchain.node import mocks

        mocks.clear_mocks(self)

    def expect_call(
        self, target: object, call: object = None, *others: object, **expected: Any
    ) -> expect_call:
        """Expect that transactions in a `with` block call a function, directly or from a contract.

        `target` and `call` are those of `mock_call`. `arguments`, `value` and `count` say which
        calls and how many, by default at least one. Raises `AssertionError` at the end of the
        block.
        """
        from devchain.node.mocks import ARGUMENTS_BY_NAME, expect_call

        self.require_blocks("expect_call")
        if others:
            raise InvalidInput(ARGUMENTS_BY_NAME)
        return expect_call(self, target, call, **expected)

    # State

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Undo at the end of the `with` block what was done to the node inside."""
        if sandbox := self.open_sandbox:
            start = sandbox.checkpoint()
            try:
                yield
            finally:
                sandbox.restore(start)
            return
        taken = self.snapshots.take()
        try:
            yield
        finally:
            self.revert(taken)
            self.snapshots.drop(taken)

    def at(self, block: StateLike = Tag.LATEST) -> BlockState:
        """The state after a block, to be read: `node.at(5).balance(bob)`."""
        return BlockState(self, block_of(block))


@dataclass(frozen=True, slots=True)
class Impersonation(Suggesting):
    """An account that sends without a key. `with` ends that."""

    node: NodeCore
    address: Address
    ends: bool

    def __enter__(self) -> Address:
        """The account's address, to be given as `sender`."""
        return Address(AddressBytes(self.address))

    def __exit__(self, *_: object) -> None:
        if self.ends:
            self.node.accounts.stop_impersonating(self.address)


@dataclass(frozen=True, slots=True)
class BlockState(Suggesting):
    """The state after a block: balances in wei, nonces, code, storage, and calls on it."""

    node: NodeCore
    block: StateRef

    def balance(self, address: object) -> int:
        """The account's balance in wei."""
        return self._state.balance(address_of(address))

    def nonce(self, address: object) -> int:
        """The number of transactions the account has sent."""
        return self._state.nonce(address_of(address))

    def code(self, address: object) -> bytes:
        """The account's code. Empty if it has none."""
        return self._state.code(address_of(address))

    def storage(self, address: object, slot: int) -> int:
        """The value of a storage slot. 0 if it was never written."""
        return self._state.storage(address_of(address), whole_number("slot", slot, bits=256))

    def call(self, request: TransactionRequest) -> bytes:
        """The data that a call returns on this state."""
        return self.node.call(request, self.block)

    @property
    def _state(self) -> StateView:
        return self.node.state_at(self.block)


def _linked_code(artifact: Artifact, libraries: Mapping[str, object]) -> bytes:
    if not isinstance(libraries, Mapping):
        raise InvalidInput('libraries are given by their names: libraries={"Lib": lib}')
    addresses = {str(name): address_of(given) for name, given in libraries.items()}

    def option(names: Sequence[str]) -> str:
        return "libraries={" + ", ".join(f'"{name}": ...' for name in names) + "}"

    return linked_code(artifact, addresses, option)


@lru_cache(maxsize=64)
def _load_file(path: Path, modified: int, *, detailed: bool) -> list[Artifact]:
    from devchain.contracts.artifact_files import load_artifacts

    del modified
    return load_artifacts(path, detailed=detailed)


def _mined(read: Callable[[Hash32], Result | None], transaction: object) -> Result:
    wanted = hash_of(transaction)
    result = read(wanted)
    if result is None:
        raise TransactionNotFound(f"no transaction 0x{wanted.hex()} is mined on this chain")
    return result


def _warn_of_lacking(wanted: Artifact, own: Artifact, address: Address) -> None:
    missing = wanted.abi.functions.keys() - own.abi.functions.keys()
    names = sorted({wanted.abi.functions[function].name for function in missing})
    if names:
        more = f" and {len(names) - MAX_LACKING} others" if len(names) > MAX_LACKING else ""
        is_named = wanted.name != ABI_ALONE
        text = (
            f"{checksum(address)} {f'is no {wanted.name}' if is_named else 'is not of this ABI'}: "
            f"its code is that of {own.name}, which has "
            f"no function {', '.join(names[:MAX_LACKING])}{more}"
        )
        warnings.warn(printable(text), stacklevel=level_of_caller())


def _checked_request(request: TransactionRequest) -> TransactionRequest:
    if not isinstance(request, TransactionRequest):
        raise wrong_type(request, TransactionRequest, "or write transact(to=bob, value=1)")
    if _is_plain(request):  # as functions of contracts have checked it
        return request
    options = {name: getattr(request, name) for name in Options.__annotations__}
    checked = request_of(request.to, request.data, options)
    to = None if request.to is None else address_of(request.to)
    kept = {name: getattr(checked, name) for name in options}
    return request._replace(to=to, data=checked.data, **kept)


def _is_plain(request: TransactionRequest) -> bool:
    # Whether `_checked_request` would return the same: it names no gas price, value or nonce.
    sender, to, gas, price, value, data, nonce, *_ = request
    return (
        (sender is None or (sender.__class__ is bytes and len(sender) == ADDRESS_SIZE))
        and (to is None or (to.__class__ is bytes and len(to) == ADDRESS_SIZE))
        and gas is price is value is nonce is None
        and data.__class__ is bytes
    )


def version() -> str:
    """The installed version of devchain."""
    from importlib import metadata

    try:
        return metadata.version("devchain")
    except metadata.PackageNotFoundError:  # run from its source, never installed
        return "0+source"
