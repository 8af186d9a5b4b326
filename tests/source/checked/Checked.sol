// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Checked {
    uint8 public small = 250;
    int8 public low = -100;
    uint128 public mid = 5;
    uint256 public whole = 5;

    function addSmall(uint8 by) external {
        small += by;
    }

    function multiplySmall(uint8 by) external {
        small *= by;
    }

    function subtractSmall(uint8 by) external {
        small -= by;
    }

    function addLow(int8 by) external {
        low += by;
    }

    function multiplyLow(int8 by) external {
        low *= by;
    }

    function negateLow(int8 to) external {
        low = -to;
    }

    function divideLow(int8 by) external {
        low = (low - 28) / by;
    }

    function addMid(uint128 by) external {
        mid = by + mid;
    }

    function incrementSmall(uint8 from) external {
        small = from;
        small++;
    }

    function decrementMid(uint128 from) external {
        mid = from;
        --mid;
    }

    function cast(uint256 one, int64 two) external pure returns (int64) {
        return int64(uint64(one)) + two;
    }

    function power(uint8 base, uint8 exponent) external {
        small = base ** exponent;
    }

    function powerOfTwo(uint8 exponent) external {
        small = uint8(2) ** exponent;
    }

    function square(uint256 by) external {
        whole = by * by;
    }

    function nested(uint256 one, uint256 two) external {
        whole = whole * two - one;
    }

    function wrapped(uint256 one, int24 two) external returns (int24) {
        int24 sum = 1;
        unchecked {
            whole = whole - one;
        }
        for (uint256 i = 0; i < 3; i++) {
            sum -= two;
        }
        return sum;
    }
    function item(uint8 index) external pure returns (uint256) {
        uint256[3] memory items = [uint256(1), 2, 3];
        return items[index + 1];
    }
}
