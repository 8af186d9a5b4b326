"""Methods of the Bridge for settings that authorized accounts change.

These are the fee of peg-outs, the locking cap and the whitelist of peg-ins.
"""

from __future__ import annotations

from dataclasses import dataclass

from devchain.evm.rootstock.precompiles.bitcoin import base58check, from_base58check
from devchain.evm.rootstock.precompiles.bridge import methods, storage
from devchain.evm.rootstock.precompiles.bridge.block_store import BlockStore
from devchain.evm.rootstock.precompiles.bridge.methods import local, peg_of, writing
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed, int32

INT32 = range(-(2**31), 2**31)
INT64 = range(-(2**63), 2**63)

SUCCESS = 1

FEE_PER_KILOBYTE = storage.slot_of("feePerKb")
LOCKING_CAP = storage.slot_of("lockingCap")
CAP_MULTIPLIER = 2

WHITELIST = storage.slot_of("lockWhitelist")
UNLIMITED_WHITELIST = storage.slot_of("unlimitedLockWhitelist")
NEVER_DISABLED = 2**31 - 1
HASH_SIZE = 20
ADDRESS_INVALID, DELAY_INVALID = -2, -2
ALREADY_WHITELISTED, DELAY_ALREADY_SET = -1, -1
UNLIMITED = 0


# The fee of peg-outs


def fee_per_kilobyte(call: Call) -> int:
    """Satoshis that a peg-out transaction pays per 1,000 bytes."""
    voted = storage.load_number(call, FEE_PER_KILOBYTE)
    return peg_of(call).fee_per_kilobyte if voted is None else voted


# The locking cap


def locking_cap(call: Call) -> int:
    """The most satoshis that the federation may hold."""
    raised = storage.load_number(call, LOCKING_CAP)
    return peg_of(call).locking_cap if raised is None else raised


def _increase_locking_cap(call: Call, cap: int) -> bool:
    if cap <= 0 or cap not in INT64:
        raise PrecompileFailed(f"the locking cap has to be between 1 and 2^63 - 1, not {cap}")
    if call.sender not in peg_of(call).authorizers.locking_cap:
        return False
    if not locking_cap(call) <= cap <= CAP_MULTIPLIER * locking_cap(call):
        return False
    storage.store_number(call, LOCKING_CAP, cap)
    return True


# The whitelist


@dataclass
class Whitelist:
    """Bitcoin addresses that may peg in, until the whitelist is disabled at a Bitcoin height.

    `entries` are by the hash in the address; their values are the most satoshis of one peg-in, or
    None for any number of peg-ins of any amount.
    """

    entries: dict[bytes, int | None]
    disabled_at: int = NEVER_DISABLED

    @classmethod
    def load(cls, call: Call) -> Whitelist:
        limited, height = storage.load_items(call, WHITELIST, 2, rest=1)
        if not height:
            return cls({})
        entries: dict[bytes, int | None] = {
            storage.to_bytes(key, HASH_SIZE): storage.to_number(most) for key, most in limited
        }
        for (key,) in storage.load_items(call, UNLIMITED_WHITELIST, 1)[0]:
            entries[storage.to_bytes(key, HASH_SIZE)] = None
        return cls(entries, storage.to_number(height[0]))

    def allows(self, key: bytes, amount: int, height: int) -> bool:
        """Whether that address may peg in so many satoshis, in the Bitcoin block of a height."""
        if height > self.disabled_at:
            return True
        most = self.entries.get(key, -1)
        return most is None or most >= amount

    def store(self, call: Call) -> None:
        items: list[bytes] = []
        for key, most in sorted(self.entries.items()):
            if most is not None:
                items += [key, storage.number_bytes(most)]
        storage.store_rlp(call, WHITELIST, [*items, storage.number_bytes(self.disabled_at)])
        unlimited = sorted(key for key, most in self.entries.items() if most is None)
        storage.store_rlp(call, UNLIMITED_WHITELIST, unlimited)


def _hash_in(call: Call, address: str) -> bytes | None:
    try:
        payload = from_base58check(address)
    except ValueError:
        return None
    if not payload:
        raise PrecompileFailed("a bitcoin address without a version")
    return payload[1:] if peg_of(call).accepts_version(payload[0]) else None


def _add(call: Call, address: str, most: int | None = None) -> int:
    key = _hash_in(call, address)
    if key is None:
        return ADDRESS_INVALID
    if most is not None and most not in INT64:
        raise PrecompileFailed(f"the largest peg-in has to fit into 64 bits, not {most}")
    if not _may_change_whitelist(call):
        return methods.UNAUTHORIZED
    whitelist = Whitelist.load(call)
    if key in whitelist.entries:
        return ALREADY_WHITELISTED
    if len(key) != HASH_SIZE:
        raise PrecompileFailed(f"a bitcoin address has a hash of {HASH_SIZE} bytes, not {len(key)}")
    whitelist.entries[key] = most
    whitelist.store(call)
    return SUCCESS


def _remove(call: Call, address: str) -> int:
    if not _may_change_whitelist(call):
        return methods.UNAUTHORIZED
    whitelist = Whitelist.load(call)
    key = _hash_in(call, address)
    if key is None:
        return ADDRESS_INVALID
    if key not in whitelist.entries:
        return methods.MISSING
    del whitelist.entries[key]
    whitelist.store(call)
    return SUCCESS


def _disable(call: Call, delay: int) -> int:
    if not _may_change_whitelist(call):
        return methods.UNAUTHORIZED
    whitelist, best = Whitelist.load(call), BlockStore(call).head.height
    if whitelist.disabled_at < NEVER_DISABLED:
        return DELAY_ALREADY_SET
    if delay not in INT32:
        raise PrecompileFailed(f"the delay has to fit into 32 bits, not {delay}")
    if int32(delay + best) <= best:
        return DELAY_INVALID
    whitelist.disabled_at = delay + best
    whitelist.store(call)
    return SUCCESS


def _may_change_whitelist(call: Call) -> bool:
    return call.sender in peg_of(call).authorizers.whitelist


def _whitelisted_address(call: Call, index: int) -> str:
    keys, at = sorted(Whitelist.load(call).entries), int32(index)
    if not 0 <= at < len(keys):
        return ""
    return base58check(bytes([peg_of(call).key_version]) + keys[at])


def _whitelist_entry(call: Call, address: str) -> int:
    entries = Whitelist.load(call).entries
    key = _hash_in(call, address)
    if key is None or key not in entries:
        return methods.MISSING
    most = entries[key]
    return UNLIMITED if most is None else most


METHODS = (
    local("getFeePerKb() -> int256", 2_000, fee_per_kilobyte),
    local("getLockingCap() -> int256", 3_000, locking_cap, "papyrus"),
    writing("increaseLockingCap(int256) -> bool", 8_000, _increase_locking_cap, "papyrus"),
    local("getLockWhitelistAddress(int256) -> string", 16_000, _whitelisted_address),
    local("getLockWhitelistEntryByAddress(string) -> int256", 16_000, _whitelist_entry),
    local("getLockWhitelistSize() -> int256", 16_000,
          lambda call: len(Whitelist.load(call).entries)),
    writing("addOneOffLockWhitelistAddress(string,int256) -> int256", 25_000, _add),
    writing("addUnlimitedLockWhitelistAddress(string) -> int256", 25_000, _add),
    writing("removeLockWhitelistAddress(string) -> int256", 24_000, _remove),
    writing("setLockWhitelistDisableBlockDelay(int256) -> int256", 24_000, _disable),
)  # fmt: skip
