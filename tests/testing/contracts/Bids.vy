struct Bid:
    bidder: address
    amount: uint256

bids: DynArray[Bid, 8]
credit: HashMap[address, uint256]
fee: uint256


@deploy
def __init__(fee: uint256):
    self.fee = fee


@external
@nonreentrant
def bid(amount: uint256):
    assert amount > 0, "no bid"
    self.bids.append(Bid(bidder=msg.sender, amount=amount))


@external
@nonreentrant
def close(index: uint256) -> DynArray[uint256, 8]:
    best: Bid = self.bids[index]
    amounts: DynArray[uint256, 8] = []
    for each: Bid in self.bids:
        amounts.append(each.amount)
    if best.bidder == empty(address):
        self.fee = 0
    else:
        fee: uint256 = best.amount * self.fee // 10000
        self._pay(best.bidder, best.amount - fee)
        self._pay(self, fee)
    return amounts


@internal
def _pay(to: address, amount: uint256):
    self.credit[to] += amount
