# Compiled with vyper 0.4.3 --enable-decimals as Rates; with 0.3.10 and @external in place of @deploy as OldRates.
struct Share:
    who: address
    part: decimal

event RateSet:
    rate: indexed(decimal)
    before: decimal

rate: public(decimal)
history: DynArray[decimal, 5]

@deploy
def __init__(rate: decimal):
    self.rate = rate

@external
def set(rate: decimal):
    log RateSet(rate, self.rate)
    self.rate = rate

@external
def set_all(history: DynArray[decimal, 5], pair: decimal[2], share: Share):
    self.history = history
    self.rate = pair[0] + pair[1] + share.part

@external
@view
def half(rate: decimal) -> decimal:
    return rate / 2.0

@external
@view
def echo(share: Share, pairs: DynArray[decimal[2], 2]) -> (Share, DynArray[decimal[2], 2]):
    return share, pairs

@external
@view
def below(limit: decimal) -> bool:
    assert self.rate < limit, "rate too high"
    return True
