// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Gold {
    uint256 public total;
    string public name = "gold";

    function put(uint256 amount) external {
        require(amount > 0, "nothing");
        total += amount;
    }
}
