// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// All its code is that of Copper.
contract Bronze {
    uint256 public weight;

    function add(uint256 more) external {
        require(more > 0, "nothing");
        weight += more;
    }
}
