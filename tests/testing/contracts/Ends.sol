// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Two functions that end alike: the optimizer leads the jumps to the end of one to that of the other.
contract Ends {
    function both(uint256 value) external pure returns (uint256, uint256) {
        return (twos(value), tens(value));
    }

    function twos(uint256 value) internal pure returns (uint256) {
        uint256 result = 0;
        unchecked {
            if (value >= 4) {
                value /= 4;
                result += 2;
            }
            if (value >= 2) {
                result += 1;
            }
        }
        return result;
    }

    function tens(uint256 value) internal pure returns (uint256) {
        uint256 result = 0;
        unchecked {
            if (value >= 100) {
                value /= 100;
                result += 2;
            }
            if (value >= 10) {
                result += 1;
            }
        }
        return result;
    }
}
