# pragma version ^0.4.0
import owned

initializes: owned
exports: owned.owner


@deploy
def __init__():
    owned.__init__()
