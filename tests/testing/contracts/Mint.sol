// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Gold.sol";
import "./Silver.sol";

contract Mint {
    address public newest;

    /// Creates Gold or Silver, and puts an amount into it.
    function create(bool isGold, uint256 amount) external {
        newest = isGold ? address(new Gold()) : address(new Silver());
        Gold(newest).put(amount);
    }
}
