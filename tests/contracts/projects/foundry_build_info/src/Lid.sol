// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Lid {
    bool public open = true;

    modifier opened() {
        require(open);
        _;
    }
}
