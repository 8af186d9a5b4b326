// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// `mint` and `_mint` end like `transfer` and `_move`: the optimizer merges what is equal.
contract Coin {
    address public immutable owner = msg.sender;
    uint256 public supply;
    mapping(address => uint256) public balanceOf;

    error NotOwner(address caller);

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(uint256 first) {
        _mint(msg.sender, first);
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function mint(address to, uint256 value) external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        _mint(to, value);
    }

    function burn(address from, uint256 value) external {
        _move(from, address(0), value);
    }

    function _mint(address to, uint256 value) internal {
        supply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function _move(address from, address to, uint256 value) internal {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
