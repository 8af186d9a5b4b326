# pragma version ^0.4.0
from ethereum.ercs import IERC20
from interfaces import IPriceFeed
import owned
from lib import fees as charges
from . import limits

initializes: owned
exports: owned.owner

total: public(uint256)
feed: IPriceFeed


@deploy
def __init__(feed: address):
    owned.__init__()
    self.feed = IPriceFeed(feed)


@external
def put(amount: uint256):
    limits.check(amount)
    self.total += charges.net(amount)


@external
def clear():
    owned.check()
    self.total = 0
