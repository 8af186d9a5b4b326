# pragma version ^0.4.0
from lib.deep import errors

owner: public(address)


@deploy
def __init__():
    self.owner = msg.sender


@internal
@view
def check():
    # ünïcode …
    if msg.sender != self.owner:
        errors.refuse()
