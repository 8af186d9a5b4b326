// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token whose functions have the names that devchain has for contracts.
contract Odd {
    struct Pair {
        uint256 left;
        address right;
    }

    error NotOwner(address caller, uint256 code);
    error Paired(Pair pair, bytes2 mark);

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Named(string indexed name, bytes data);

    string public name = "Odd";
    address public owner = msg.sender;
    uint256 public block = 7;
    bool public balance = true;

    function at(uint256 index) external pure returns (uint256) {
        return index;
    }

    function events() external pure returns (string memory) {
        return "mine";
    }

    function sender() external view returns (address) {
        return msg.sender;
    }

    function chain() external {
        emit Named("chain", hex"01");
    }

    function f(uint256) external pure returns (string memory) {
        return "uint256";
    }

    function f(int256) external pure returns (string memory) {
        return "int256";
    }

    function f(address) external pure returns (string memory) {
        return "address";
    }

    function move(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }

    function fail(uint256 kind) external view {
        if (kind == 0) revert("not now");
        if (kind == 1) revert NotOwner(msg.sender, 5);
        if (kind == 2) revert Paired(Pair(1, msg.sender), "ab");
        if (kind == 3) kind = kind - 4;
        revert();
    }
}
