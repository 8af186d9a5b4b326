// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// Keeps deposits for a time and rewards them; the rate is per day, in parts of 10,000.
library Interest {
    uint256 internal constant PARTS = 10_000;

    function earned(uint256 amount, uint256 rate, uint256 time) internal pure returns (uint256) {
        return amount * rate * time / (1 days * PARTS);
    }
}

contract Savings is ERC20, Ownable {
    struct Deposit {
        uint128 amount;
        uint64 since;
        uint64 until;
    }

    uint256 public rate;
    mapping(address owner => Deposit[]) private _deposits;

    event Deposited(address indexed owner, uint256 indexed index, Deposit deposit);
    event Withdrawn(address indexed owner, uint256 amount, uint256 interest);

    error Locked(uint64 until, uint256 time);
    error Unknown(address owner, uint256 index);

    constructor(uint256 rate_) payable ERC20("Savings", "SAV") Ownable(msg.sender) {
        rate = rate_;
    }

    receive() external payable {}

    function setRate(uint256 next) external onlyOwner {
        require(next <= 100, "at most 1 % a day");
        rate = next;
    }

    function deposit(uint64 time) external payable returns (uint256 index) {
        require(msg.value > 0, "nothing to deposit");
        Deposit memory made =
            Deposit(uint128(msg.value), uint64(block.timestamp), uint64(block.timestamp) + time);
        _deposits[msg.sender].push(made);
        index = _deposits[msg.sender].length - 1;
        _mint(msg.sender, msg.value);
        emit Deposited(msg.sender, index, made);
    }

    function deposits(address owner) external view returns (Deposit[] memory) {
        return _deposits[owner];
    }

    function interest(address owner, uint256 index) public view returns (uint256) {
        if (index >= _deposits[owner].length) revert Unknown(owner, index);
        Deposit memory made = _deposits[owner][index];
        return Interest.earned(made.amount, rate, block.timestamp - made.since);
    }

    function withdraw(uint256 index) external {
        uint256 reward = interest(msg.sender, index);
        Deposit memory made = _deposits[msg.sender][index];
        if (block.timestamp < made.until) revert Locked(made.until, block.timestamp);
        delete _deposits[msg.sender][index];
        _burn(msg.sender, made.amount);
        emit Withdrawn(msg.sender, made.amount, reward);
        (bool paid,) = msg.sender.call{value: made.amount + reward}("");
        require(paid, "not paid");
    }
}
