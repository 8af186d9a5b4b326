// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// An ERC-20 token with no more than the benchmark needs.
contract Token {
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply;

    event Transfer(address indexed from, address indexed to, uint256 value);

    error InsufficientBalance(uint256 held, uint256 wanted);

    constructor(uint256 supply) {
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 held = balanceOf[msg.sender];
        if (value > held) revert InsufficientBalance(held, value);
        unchecked {
            balanceOf[msg.sender] = held - value;
            balanceOf[to] += value;
        }
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Ways to keep an EVM busy: arithmetic, hashing, memory, storage.
contract Kernels {
    uint256[] public data;

    /// Appends 1 to n to the array in storage.
    function fill(uint256 n) external {
        for (uint256 i = 0; i < n; i++) {
            data.push(i + 1);
        }
    }

    /// The sum of the squares below n, overflow checked at every step.
    function sumTo(uint256 n) external pure returns (uint256 sum) {
        for (uint256 i = 0; i < n; i++) {
            sum += i * i;
        }
    }

    /// A chain of n hashes, each of the one before and its place.
    function hashes(uint256 n) external pure returns (bytes32 last) {
        for (uint256 i = 0; i < n; i++) {
            last = keccak256(abi.encode(last, i));
        }
    }

    /// The median of n pseudo-random numbers, sorted in memory by insertion.
    function sortMem(uint256 n) external pure returns (uint256) {
        uint256[] memory numbers = new uint256[](n);
        for (uint256 i = 0; i < n; i++) {
            numbers[i] = uint256(keccak256(abi.encode(i))) % 100000;
        }
        for (uint256 i = 1; i < n; i++) {
            uint256 moving = numbers[i];
            uint256 place = i;
            while (place > 0 && numbers[place - 1] > moving) {
                numbers[place] = numbers[place - 1];
                place--;
            }
            numbers[place] = moving;
        }
        return numbers[n / 2];
    }
}
