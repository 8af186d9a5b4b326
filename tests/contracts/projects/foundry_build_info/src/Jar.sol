// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Lid} from "./Lid.sol";

contract Jar is Lid {
    uint256 public immutable cap;
    uint256 public kept;

    constructor(uint256 cap_) {
        cap = cap_;
    }

    function keep(uint256 amount) external opened {
        kept = amount;
    }
}

contract Twin {}
