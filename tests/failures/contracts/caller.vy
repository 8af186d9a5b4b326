#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

interface Target:
    def take(amount: uint256) -> uint256: nonpayable
    def takeBare(amount: uint256): nonpayable
    def poke() -> uint256: view
    def flag() -> bool: view
    def spin(): nonpayable
    def missing(amount: uint256): nonpayable

interface Middle:
    def pass_on(amount: uint256) -> uint256: nonpayable

interface Itself:
    def through_this(amount: uint256): nonpayable

interface Bridge:
    def addSignature(a: Bytes[32], b: Bytes[32], c: Bytes[32]): nonpayable

total: public(uint256)
target: Target
middle: Middle
liar: Target
nowhere: Target


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__(to: address, through: address, lies: address):
    self.target = Target(to)
    self.middle = Middle(through)
    self.liar = Target(lies)
    self.nowhere = Target(0x0000000000000000000000000000000000001234)


@external
def through_interface(amount: uint256):
    self.total = $extcall self.target.take(amount)  # calls: interface_call 1


@external
def bare(amount: uint256):
    self.total = amount
    $extcall self.target.takeBare(amount)  # calls: bare_in_callee 1


@external
def two_contracts(amount: uint256):
    self.total = $extcall self.middle.pass_on(amount)  # calls: two_contracts 1


@external
def sibling(amount: uint256):
    self.total = $extcall self.target.take(1)
    self.total += $extcall self.target.take(amount)  # calls: sibling 1
    self.total += $extcall self.target.take(1)


@external
def self_call(amount: uint256):
    $extcall Itself(self).through_this(amount)  # calls: self_call 1


@external
def through_this(amount: uint256):
    self.total = $extcall self.target.take(amount)  # calls: self_call 2


@external
def swallowed(amount: uint256):
    ok: bool = raw_call(
        self.target.address,
        concat(method_id("take(uint256)"), convert(amount, bytes32)),
        revert_on_failure=False
    )
    self.total = 1 if ok else 2
    assert self.total == 1, "the call failed"  # fails: swallowed


@external
def swallowed_then_bare(amount: uint256):
    ok: bool = raw_call(
        self.target.address,
        concat(method_id("takeBare(uint256)"), convert(amount, bytes32)),
        revert_on_failure=False
    )
    self.total = 1 if ok else 2
    assert self.total == amount  # fails: swallowed_then_bare


@external
def bubble(amount: uint256):
    raw_call(  # calls: assembly_bubbles 1
        self.target.address,
        concat(method_id("take(uint256)"), convert(amount, bytes32))
    )


@external
def no_code(amount: uint256):
    self.total = $extcall self.nowhere.take(amount)  # fails: no_code


@external
def destroyed(amount: uint256):
    self.total = $extcall self.target.take(amount)  # fails: destroyed_callee


@external
def short_return(amount: uint256):
    self.total = $extcall self.liar.take(amount)  # fails: short_return


@external
def wrong_return():
    self.total = 1 if $staticcall self.liar.flag() else 2  # fails: wrong_return


@external
def unknown_function(amount: uint256):
    self.total = amount
    $extcall self.target.missing(amount)  # calls: unknown_function_of_callee 1


@external
def poke():
    self.total = $staticcall self.target.poke()  # calls: static_violation 1


@external
def spin():
    $extcall self.target.spin(gas=30000)  # calls: out_of_gas_in_callee 1


@external
@payable
def transfer_too_much(to: address):
    send(to, 10 ** 18)  # fails: transfer_balance


@external
@payable
def transfer_to(to: address):
    send(to, msg.value)  # calls: transfer_stipend 1, transfer_refused 1


@external
def decode(data: Bytes[96]):
    a: uint256 = 0
    b: uint256 = 0
    #? 0.3
    a, b = _abi_decode(data, (uint256, uint256))  # fails: abi_decode
    #? 0.4
    a, b = abi_decode(data, (uint256, uint256))  # fails: abi_decode
    #? all
    self.total = a


@external
def recover(digest: bytes32) -> address:
    signer: address = ecrecover(digest, 99, 1, 1)
    assert signer != empty(address), "bad signature"  # fails: bad_signature
    return signer


@external
def add_points(x: uint256):
    sum: Bytes[64] = raw_call(  # fails: precompile_refuses
        0x0000000000000000000000000000000000000006,
        _abi_encode(x, x, x, x),
        max_outsize=64
    )


@external
def register_header(header: Bytes[32]):
    $extcall Bridge(0x0000000000000000000000000000000001000006).addSignature(header, header, header)  # fails: bridge_refuses


@external
def spend_through_clone(amount: uint256):
    clone: address = create_minimal_proxy_to(self.target.address)
    self.total = $extcall Target(clone).take(amount)  # calls: minimal_proxy 1
