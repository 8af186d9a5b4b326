small: public(uint8)
low: public(int8)
mid: public(uint128)
whole: public(uint256)
items: uint256[3]


#? 0.4
@deploy
#? 0.3
@external
#? all
def __init__():
    self.small = 250
    self.low = -100
    self.mid = 5
    self.whole = 5


@external
def addSmall(by: uint8):
    self.small += by


@external
def multiplySmall(by: uint8):
    self.small *= by


@external
def subtractSmall(by: uint8):
    self.small -= by


@external
def addLow(by: int8):
    self.low += by


@external
def multiplyLow(by: int8):
    self.low *= by


@external
def addMid(by: uint128):
    self.mid = by + self.mid


@external
def powerOfTwo(exponent: uint8):
    self.small = 2 ** exponent


@external
def square(by: uint256):
    self.whole = by * by


@external
def product(one: uint160, two: uint160) -> uint160:
    return one * two


@external
def item(index: uint256) -> uint256:
    return self.items[index + 1]
