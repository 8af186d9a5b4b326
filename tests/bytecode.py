"""Small contracts in assembly, and the assembler.

In the source a number is a PUSH of its bytes, `name:` a JUMPDEST, `@name` a PUSH of its offset.
"""

from __future__ import annotations

from eth.vm import opcode_values

OPCODES: dict[str, int] = {
    **{name: code for name, code in vars(opcode_values).items() if name.isupper()},
    "KECCAK256": opcode_values.SHA3,
    "CLZ": 0x1E,
    "DUPN": 0xA8,
    "SWAPN": 0xA9,
    "TXINDEX": 0xAA,
    "HEADER": 0xFC,
    "INVALID": 0xFE,
}
PUSH1, PUSH2 = 0x60, 0x61


def assemble(source: str) -> bytes:
    """The bytecode of a source text."""
    code, labels, references = bytearray(), {}, {}
    for token in source.split():
        if token.endswith(":"):
            labels[token[:-1]] = len(code)
            code.append(OPCODES["JUMPDEST"])
        elif token.startswith("@"):
            references[len(code) + 1] = token[1:]
            code += bytes([PUSH2, 0, 0])
        elif token in OPCODES:
            code.append(OPCODES[token])
        else:
            number = int(token, 0)
            size = max(1, (number.bit_length() + 7) // 8)
            code += bytes([PUSH1 + size - 1]) + number.to_bytes(size, "big")
    for offset, name in references.items():
        code[offset : offset + 2] = labels[name].to_bytes(2, "big")
    return bytes(code)


def init_code(runtime: bytes) -> bytes:
    """Init code that deploys that runtime code."""
    # PUSH2 size, DUP1, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 0, RETURN: 12 bytes with the pushes
    return bytes.fromhex(f"61{len(runtime):04x}80600c6000396000f3") + runtime


def word(number: int) -> bytes:
    """A number as the 32 bytes of a calldata word."""
    return number.to_bytes(32, "big")


def address_word(address: bytes) -> bytes:
    """An address as the 32 bytes of a calldata word."""
    return address.rjust(32, b"\0")


def error_payload(text: str) -> bytes:
    """Revert payload of `revert(text)` and `require(false, text)`."""
    encoded = text.encode()
    padded = encoded + bytes(-len(encoded) % 32)
    return bytes.fromhex("08c379a0") + word(32) + word(len(encoded)) + padded


def panic_payload(code: int) -> bytes:
    """Revert payload of a failed Solidity check."""
    return bytes.fromhex("4e487b71") + word(code)


STORE = assemble("0 CALLDATALOAD 0 SSTORE STOP")
"""slot[0] = first word of calldata"""

STORE_AT = assemble("32 CALLDATALOAD 0 CALLDATALOAD SSTORE STOP")
"""slot[first word] = second word"""

LOAD = assemble("0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN")
"""returns slot[first word]"""

COUNTER = assemble("0 SLOAD 1 ADD DUP1 0 SSTORE 0 MSTORE 32 0 RETURN")
"""slot[0] += 1, for any calldata; returns it; payable"""

ECHO = assemble("CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 RETURN")
"""returns its calldata"""

REVERT = assemble("CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 REVERT")
"""reverts with its calldata as payload"""

INVALID = assemble("INVALID")
"""the designated invalid opcode"""

BAD_JUMP = assemble("0 JUMP")
"""jumps to an offset without JUMPDEST"""

NOT_PAYABLE = assemble("CALLVALUE @revert JUMPI STOP revert: 0 0 REVERT")
"""reverts without payload if the call has value"""

EMIT = assemble(
    "64 CALLDATASIZE SUB 64 0 CALLDATACOPY 32 CALLDATALOAD 0 CALLDATALOAD"
    " 64 CALLDATASIZE SUB 0 LOG2 STOP"
)
"""emits a log: the first two words are topics, the rest is data"""

EMIT_MANY = assemble(
    "0 CALLDATALOAD loop: DUP1 ISZERO @end JUMPI DUP1 0 0 LOG1 1 SWAP1 SUB @loop JUMP end: STOP"
)
"""emits first-word many logs without data; topics count down to 1"""

ENVIRONMENT = assemble(
    "NUMBER DUP1 0 SSTORE 0 MSTORE"
    " TIMESTAMP DUP1 1 SSTORE 32 MSTORE"
    " COINBASE DUP1 2 SSTORE 64 MSTORE"
    " GASPRICE DUP1 3 SSTORE 96 MSTORE"
    " CHAINID DUP1 4 SSTORE 128 MSTORE"
    " BASEFEE DUP1 5 SSTORE 160 MSTORE"
    " GASLIMIT DUP1 6 SSTORE 192 MSTORE"
    " ORIGIN DUP1 7 SSTORE 224 MSTORE"
    " CALLER DUP1 8 SSTORE 256 MSTORE"
    " 0 CALLDATALOAD NUMBER SUB BLOCKHASH DUP1 9 SSTORE 288 MSTORE"
    " 320 0 RETURN"
)
"""stores in slots and returns: number, timestamp, coinbase, gas price, chain id, base fee, gas
limit, origin, caller, hash of the block first-word many blocks ago"""

LOOP = assemble("0 CALLDATALOAD loop: DUP1 ISZERO @end JUMPI 1 SWAP1 SUB @loop JUMP end: STOP")
"""counts down from the first word"""

FILL = assemble(
    "0 CALLDATALOAD loop: DUP1 ISZERO @end JUMPI"
    " 32 CALLDATALOAD DUP2 SSTORE 1 SWAP1 SUB @loop JUMP end: STOP"
)
"""slot[1 … first word] = second word; 0 clears the slots, which gives a gas refund"""

FORWARD = assemble(
    "32 CALLDATASIZE SUB 32 0 CALLDATACOPY"
    " 0 0 32 CALLDATASIZE SUB 0 CALLVALUE 0 CALLDATALOAD GAS CALL"
    " RETURNDATASIZE 0 0 RETURNDATACOPY @done JUMPI"
    " RETURNDATASIZE 0 REVERT done: RETURNDATASIZE 0 RETURN"
)
"""calls the address in the first word with the other words, all gas and value; returns or
reverts with the callee's output"""

STATIC_FORWARD = assemble(
    "32 CALLDATASIZE SUB 32 0 CALLDATACOPY"
    " 0 0 32 CALLDATASIZE SUB 0 0 CALLDATALOAD GAS STATICCALL"
    " RETURNDATASIZE 0 0 RETURNDATACOPY @done JUMPI"
    " RETURNDATASIZE 0 REVERT done: RETURNDATASIZE 0 RETURN"
)
"""like FORWARD, by STATICCALL"""

ERC1967_SLOT = 0x360894A13BA1A3210667C828492DB98DCA3E2076CC3735A920A3CA505D382BBC

PROXY = assemble(
    "CALLDATASIZE 0 0 CALLDATACOPY"
    f" 0 0 CALLDATASIZE 0 0x{ERC1967_SLOT:x} SLOAD GAS DELEGATECALL"
    " RETURNDATASIZE 0 0 RETURNDATACOPY @done JUMPI"
    " RETURNDATASIZE 0 REVERT done: RETURNDATASIZE 0 RETURN"
)
"""delegates every call to the contract in the slot of ERC-1967"""

RECURSE = assemble("0 SLOAD 1 ADD 0 SSTORE 0 0 0 0 0 ADDRESS GAS CALL 0 MSTORE 32 0 RETURN")
"""increments slot 0 and calls itself, until the depth limit or the gas is reached"""

CREATOR = assemble(
    "CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 CALLVALUE CREATE 0 MSTORE 32 0 RETURN"
)
"""creates a contract from init code in calldata; returns its address, 0 if that failed"""

DESTROY = assemble("0 CALLDATALOAD SELFDESTRUCT")
"""SELFDESTRUCT with the address in the first word as beneficiary"""

GROW_MEMORY = assemble("0 CALLDATALOAD MLOAD STOP")
"""reads memory at the address in the first word"""

UNDERFLOW = assemble("ADD")
"""pops two words from an empty stack"""
