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

/// Loops in loops over memory.
contract Matrices {
    /// The sum of the elements of the product of two n by n matrices in memory.
    function product(uint256 n) external pure returns (uint256 sum) {
        uint256[] memory left = new uint256[](n * n);
        uint256[] memory right = new uint256[](n * n);
        for (uint256 i = 0; i < n * n; i++) {
            left[i] = i % 7;
            right[i] = i % 11;
        }
        for (uint256 row = 0; row < n; row++) {
            for (uint256 column = 0; column < n; column++) {
                uint256 element = 0;
                for (uint256 i = 0; i < n; i++) {
                    element += left[row * n + i] * right[i * n + column];
                }
                sum += element;
            }
        }
    }
}

/// A pool of two tokens whose product is constant, as in Uniswap 2, without fees and shares.
contract Pair {
    Token public immutable first;
    Token public immutable second;
    uint256 public firstReserve;
    uint256 public secondReserve;

    constructor(uint256 supply) {
        first = new Token(supply);
        second = new Token(supply);
        first.transfer(msg.sender, supply / 2);
        firstReserve = supply - supply / 2;
        secondReserve = supply;
    }

    /// Pays for what was sent to this contract before, from the other token.
    function swap(address to) external returns (uint256 paid) {
        bool isFirst = first.balanceOf(address(this)) > firstReserve;
        Token bought = isFirst ? second : first;
        Token sold = isFirst ? first : second;
        uint256 had = isFirst ? firstReserve : secondReserve;
        uint256 other = isFirst ? secondReserve : firstReserve;
        uint256 held = sold.balanceOf(address(this));
        paid = other - had * other / held;
        bought.transfer(to, paid);
        (firstReserve, secondReserve) = isFirst ? (held, other - paid) : (other - paid, held);
    }
}

/// Swaps back and forth: router to pair to token.
contract Router {
    Pair public immutable pair;

    constructor(uint256 supply) {
        pair = new Pair(supply);
    }

    /// Swaps n times, each time all that the router got; what it has in the end.
    function trade(uint256 n) external returns (uint256 amount) {
        Token held = pair.first();
        amount = 10000;
        for (uint256 i = 0; i < n; i++) {
            held.transfer(address(pair), amount);
            amount = pair.swap(address(this));
            held = held == pair.first() ? pair.second() : pair.first();
        }
    }
}
