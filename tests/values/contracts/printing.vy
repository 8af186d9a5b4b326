count: uint256


@internal
def inner(who: address):
    print(who)  # prints: 3


@external
def go(count: uint256):
    print("before")  # prints: 0
    for $i in range(2):
        print("round", i, hardhat_compat=True)  # prints: 1 1
    self.count = count
    pair: uint256[2] = [count, 1]
    print("quiet", count, pair)  # prints: 2
    self.inner(msg.sender)
    assert count < 3, "too many"
