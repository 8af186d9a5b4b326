// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Other {
    function no() external pure returns (bool) {
        revert("no");
    }
}

contract Lines {
    uint256[] items;
    uint256 kept = 1;
    Other other = new Other();

    function required(uint256 a, uint256 b) external pure {
        require(
            a > 1
                && a - b > 1, // required
            "too much"
        );
    }

    function refused(uint256 a) external pure {
        require( // refused
            a > 1,
            "too much"
        );
    }

    function asserted(uint256 at) external view {
        assert(
            kept == 1
                && items[at] == 1 // asserted
        );
    }

    function called() external view {
        require(
            kept == 1 &&
                other.no(), // called
            "not called"
        );
    }

    function words() external {
        kept = 2;
        assembly {
            revert(0, 32) // words
        }
    }

    function opcode() external {
        kept = 2;
        assembly {
            invalid() // opcode
        }
    }
}
