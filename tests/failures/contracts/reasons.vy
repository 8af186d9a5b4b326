#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

limit: public(uint256)
last: public(uint256)
names: DynArray[uint256, 3]


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__():
    self.limit = 10


@external
def require_text(amount: uint256):
    self.last = amount
    assert amount < self.limit, "amount too high"  # fails: require_text


@external
def require_bare(amount: uint256):
    self.last = amount
    assert amount < self.limit  # fails: require_bare


@external
def require_many_lines(amount: uint256):
    self.last = amount
    assert (  # fails: require_many_lines
        amount < self.limit
        and amount != 7
    ), "spread over lines"
    self.last = amount + 1


@external
def revert_bare(amount: uint256):
    if amount >= self.limit:
        raise  # fails: revert_bare
    self.last = amount


@external
def revert_text(amount: uint256):
    if amount >= self.limit:
        raise "no more"  # fails: revert_text
    self.last = amount


@external
def assert_unreachable(amount: uint256):
    self.last = amount
    assert amount < self.limit, UNREACHABLE  # fails: assert


@external
def raise_unreachable(amount: uint256):
    self.last = amount
    if amount >= self.limit:
        raise UNREACHABLE  # fails: raise_unreachable


@external
def computed_text(amount: uint256):
    name: String[8] = "computed"
    assert amount < self.limit, name  # fails: computed_text
    self.last = amount


@external
def long_text(amount: uint256):
    assert amount < self.limit, "a reason that takes more than one word of memory, and another one"  # fails: long_text
    self.last = amount


@external
def ternary(amount: uint256):
    self.last = self._refuse(amount) if amount > self.limit else amount  # calls: ternary 1


@internal
def _refuse(amount: uint256) -> uint256:
    assert amount == self.limit, "chosen branch"  # fails: ternary
    return amount


@external
def name_too_long(name: String[20]):
    assert len(name) <= 8, "name too long"  # fails: string_too_long
    self.last = len(name)


@external
def first_bare(amount: uint256):
    assert amount != 1  # fails: same_bare_first
    self.last = amount


@external
def second_bare(amount: uint256):
    assert amount != 2  # fails: same_bare_second
    self.last = amount


@external
def first_text(amount: uint256):
    if amount == 1:
        raise "same text"  # fails: same_text_first
    self.last = amount


@external
def second_text(amount: uint256):
    if amount == 2:
        raise "same text"  # fails: same_text_second
    self.last = amount


@external
def two_bare(a: uint256, b: uint256):
    assert a < 10  # fails: first_bare
    self.last = a
    assert b < 10  # fails: second_bare
    self.last += b


@external
def one_of_two(amount: uint256):
    if amount > 20:
        raise "either"  # fails: either_first
    if amount > 10:
        raise "either"  # fails: either_second
    self.last = amount


@external
def raw_revert_error(amount: uint256):
    self.last = amount
    if amount >= self.limit:
        raw_revert(method_id("TooMuch(uint256)"))  # fails: custom_error
