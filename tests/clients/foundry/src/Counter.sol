// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

contract Counter {
    error TooLow(uint256 wanted);

    uint256 public count;

    function set(uint256 to) external {
        if (to < 2) revert TooLow(to);
        count = to;
    }
}
