// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A vault that keeps what is put in until a moment of its owner's choosing.
contract Vault {
    address public immutable owner;
    uint256 public immutable opensAt;
    mapping(address => uint256) public deposits;

    event Deposited(address indexed from, uint256 amount);
    event Withdrawn(address indexed to, uint256 amount);

    error NotOwner(address caller);

    constructor(uint256 secondsLocked) {
        owner = msg.sender;
        opensAt = block.timestamp + secondsLocked;
    }

    function deposit() external payable {
        require(msg.value > 0, "nothing to deposit");
        deposits[msg.sender] += msg.value;
        emit Deposited(msg.sender, msg.value);
    }

    function withdraw() external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        require(block.timestamp >= opensAt, "the vault is still closed");
        uint256 amount = address(this).balance;
        emit Withdrawn(owner, amount);
        payable(owner).transfer(amount);
    }
}
