"""The cheats as methods of a node, for Python programs."""

from __future__ import annotations

from types import TracebackType

from devchain.contracts.contract import address_of
from devchain.errors import InvalidInput
from devchain.node.accounts import Accounts
from devchain.node.cheats import rewind, state, tokens
from devchain.node.cheats.node import AnyNode
from devchain.types import Address


class Impersonation:
    """An account that sends without a key, until the `with` block ends if there is one."""

    def __init__(self, accounts: Accounts, address: Address, *, was_so: bool) -> None:
        """End it only if it `was_so` not before."""
        self._accounts = accounts
        self._was_so = was_so
        self.address = address

    def __enter__(self) -> Address:
        """The account's address, to be given as `sender`."""
        return self.address

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let it send no longer."""
        if not self._was_so:
            self._accounts.stop_impersonating(self.address)


class Cheats(AnyNode):
    """What only a development chain allows.

    An address is 20 bytes, hex text, or anything with an `address`. Editing an account makes no
    block; a snapshot takes it back.
    """

    def impersonate(self, address: object) -> Impersonation:
        """Let an account send without its key, be it a contract: `sender=address`.

        Until the end of the block with `with node.impersonate(address):`, for good without `with`.
        It pays for its gas like any other: `set_balance` gives it some.
        """
        whom = address_of(address)
        was_so = whom in self.accounts.impersonated()
        self.accounts.impersonate(whom)
        self.persist()
        return Impersonation(self.accounts, whom, was_so=was_so)

    def time_travel(self, seconds: int | None = None, *, to: int | None = None) -> int:
        """Move the chain's time ahead and make a block there; its timestamp.

        By so many seconds from now, or to a timestamp. The block is made so that calls see the new
        time too; what waits in the mempool goes into it. Raises `InvalidInput` for a time that is
        not after the newest block's.
        """
        if seconds is not None and seconds < 1:
            msg = f"cannot travel by {seconds} seconds: blocks follow each other, give 1 or more"
            raise InvalidInput(msg)
        where = to if seconds is None else self.clock.now() + seconds
        if where is None or (seconds is not None and to is not None):
            msg = "say how far to travel, in one way: seconds=60, or to=1700000000"
            raise InvalidInput(msg)
        mined = self.miner.mine(where)
        self.persist()
        return mined.timestamp

    def set_balance(self, address: object, balance: int) -> None:
        """Give an account that balance, in wei."""
        state.set_balance(self, address_of(address), _number("balance", balance, bits=256))

    def add_balance(self, address: object, amount: int) -> None:
        """Give an account so many wei more; raises `InvalidInput` if they do not fit."""
        state.add_balance(self, address_of(address), _number("amount", amount, bits=256))

    def set_nonce(self, address: object, nonce: int) -> None:
        """Give an account that nonce, be it lower than before."""
        state.set_nonce(self, address_of(address), _number("nonce", nonce, bits=64))

    def set_code(self, address: object, code: bytes) -> None:
        """Give an account that code, or none."""
        state.set_code(self, address_of(address), code)

    def set_storage(self, address: object, slot: int, value: int) -> None:
        """Write one storage slot of an account."""
        where, what = _number("slot", slot, bits=256), _number("value", value, bits=256)
        state.set_storage(self, address_of(address), where, what)

    def deal(self, token: object, owner: object, amount: int) -> None:
        """Make an ERC-20 token say that the owner has that amount; the total supply stays.

        Raises `InvalidInput` if no single slot decides what `balanceOf` answers.
        """
        wanted = _number("amount", amount, bits=256)
        tokens.deal(self, address_of(token), address_of(owner), wanted)

    def rollback(self, depth: int = 1) -> None:
        """Take the newest blocks back, their transactions too; raises `InvalidInput` for too many.

        Time goes on from where it is. Snapshots taken on one of these blocks are gone.
        """
        rewind.rollback(self, depth)


def _number(name: str, value: object, *, bits: int) -> int:
    """A number that fits; raises `InvalidInput`."""
    if not isinstance(value, int) or not 0 <= value < 2**bits:
        msg = f"{name} {value!r} is out of range: give a whole number from 0 to 2^{bits} - 1"
        raise InvalidInput(msg)
    return value
