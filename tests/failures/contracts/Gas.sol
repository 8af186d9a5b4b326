// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

contract Gas {
    uint256 public total;
    mapping(uint256 => uint256) public values;

    function loop() public {
        total = 1;
        while (true) total += 1; // fails: out_of_gas_loop
    }

    function write(uint256 value) public {
        total = value;
        values[value] = value; // fails: out_of_gas_write
    }

    function expand(uint256 offset) public {
        total = 1;
        assembly {
            mstore(offset, 1) // fails: out_of_gas_memory
        }
    }

    function endless(uint256 depth) public returns (uint256) {
        return endless(depth + total) + 1; // fails: endless_recursion
    }

    function deep(uint256 depth) public returns (uint256) {
        return this.deep(depth + 1) + 1; // fails: call_depth
    }
}
