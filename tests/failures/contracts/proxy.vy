#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

implementation: address


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__(to: address):
    self.implementation = to


@external
@payable
def __default__():
    raw_call(self.implementation, slice(msg.data, 0, 36), is_delegate_call=True)  # calls: proxy 1, proxy_unknown_function 1
