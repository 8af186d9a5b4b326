// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Twin {
    uint256 public constant two = 2;
}
