#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

# nowhere: unknown_function, selector_too_short, value_without_receive
total: public(uint256)
on: public(bool)
who: public(address)
entries: DynArray[uint256, 4]
short: String[4]


@external
def pay(amount: uint256):  # fails: value_to_nonpayable
    self.total = amount


@external
def pair(a: uint256, b: uint256):  # fails: calldata_too_short
    self.total = a + b


@external
def set_flag(switch: bool):  # fails: dirty_bool
    self.on = switch


@external
def owner(account: address):  # fails: dirty_address
    self.who = account


@external
def many(entries: DynArray[uint256, 4]):  # fails: wild_offset
    self.entries = entries


@external
def text(short: String[4]):  # fails: argument_too_long
    self.short = short


LIMIT: constant(uint256) = 4

struct Label:
    who: address
    text: String[LIMIT]


@external
def labels(counts: uint256[2], labels: DynArray[Label, LIMIT]):  # fails: list_too_long, member_too_long
    self.total = counts[0] + len(labels)


@external
def fill(entry: uint256):
    self.entries = [1, 2, 3, entry]
    self.entries.append(entry)  # fails: append_to_full
