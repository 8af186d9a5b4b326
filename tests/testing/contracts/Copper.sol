// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Copper {
    uint256 public weight;

    function add(uint256 more) external {
        require(more > 0, "nothing");
        weight += more;
    }
}
