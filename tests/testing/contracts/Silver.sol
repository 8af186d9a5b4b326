// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Its runtime code is that of Gold, its init code is not.
contract Silver {
    uint256 public total;
    string public name = "silver";

    function put(uint256 amount) external {
        require(amount > 0, "nothing");
        total += amount;
    }
}
