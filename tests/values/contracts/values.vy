# Local variables, arguments of internal functions and storage, read when something fails.

struct Item:
    price: uint256
    left: uint256

interface Other:
    def take(amount: uint256): nonpayable

limit: public(uint256)
owner: public(address)
balances: public(HashMap[address, uint256])
nested: HashMap[address, HashMap[uint256, uint256]]
items: HashMap[uint256, Item]
queue: DynArray[uint256, 4]


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__():
    self.limit = 3
    self.owner = msg.sender
    self.balances[msg.sender] = 5
    self.nested[msg.sender][2] = 7
    #? 0.3
    self.items[1] = Item({price: 8, left: 9})
    #? 0.4
    self.items[1] = Item(price=8, left=9)
    #? all
    self.queue.append(11)


@external
def words(amount: uint256):
    total: uint256 = amount * 2
    large: bool = total > 10
    who: address = msg.sender
    signed: int128 = -4
    tag: bytes4 = 0x01020304
    assert total <= self.limit, "too much"
    later: uint256 = total + 1
    self.limit = later + convert(large, uint256) + convert(signed, uint256)
    self.owner = who
    self.limit = convert(tag, uint256)


@external
def dynamic(amount: uint256):
    note: String[40] = "rent of a week"
    raw: Bytes[40] = b"\x01\x02\x03"
    some: DynArray[uint256, 3] = [amount, 2]
    fixed: uint256[2] = [7, amount]
    #? 0.3
    thing: Item = Item({price: amount, left: 1})
    #? 0.4
    thing: Item = Item(price=amount, left=1)
    #? all
    assert len(note) + len(raw) + some[0] + fixed[1] + thing.price < 1, "never"


@internal
def inner(first: uint256, note: String[40], last: address) -> uint256:
    half: uint256 = $half
    assert half + len(note) < 4, "inner"
    self.owner = last
    return half


@external
def outer(amount: uint256):
    before: uint256 = amount + 1
    self.limit = self.inner(before, "text", msg.sender) + before


@external
def blocks(amount: uint256):
    total: uint256 = 0
    if amount > 1:
        inside: uint256 = amount + 5
        total += inside
    if amount > 2:
        other: uint256 = amount + 6
        total += other
        assert total < 1, "other"
    total += 1


@external
def loop(count: uint256):
    total: uint256 = 0
    for $i in range(10):
        square: uint256 = i * i
        total += square
        assert total < count, "loop"


@external
def checked(amount: uint256):
    small: uint256 = 2
    result: uint256 = small - amount
    self.limit = result


@external
def straight(amount: uint256):
    one: uint256 = amount + 1
    two: uint256 = one * 2
    one = two + 3
    raise "straight"


@external
def spend(amount: uint256):
    assert self.balances[msg.sender] >= amount, "balance"
    self.balances[msg.sender] -= amount


@external
def deep(amount: uint256):
    assert self.nested[msg.sender][2] + self.items[1].left + self.queue[0] < amount, "deep"


@external
def calls(to: address, amount: uint256):
    doubled: uint256 = amount * 2
    $extcall Other(to).take(doubled)
    self.limit = doubled


@external
def element(amount: uint256):
    assert self.queue[0] < amount, "element"


@external
def condition(amount: uint256):
    if self.items[1].left < amount:
        raise "condition"


@external
def handed(amount: uint256):
    amounts: DynArray[uint256, 4] = [amount, 2]
    self._handed(amounts, amount + 1, True)


@internal
def _handed(amounts: DynArray[uint256, 4], total: uint256, kept: bool):
    assert total == 0, "handed"
