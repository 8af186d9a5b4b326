// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

contract Entry { // fails: unknown_function, value_without_receive, selector_too_short
    uint256 public total;
    bool public on;
    address public who;
    uint256[] list;

    function pay(uint256 amount) public { // fails: value_to_nonpayable
        total = amount;
    }

    function pair(uint256 a, uint256 b) public { // fails: calldata_too_short
        total = a + b;
    }

    function flag(bool value) public { // fails: dirty_bool
        on = value;
    }

    function owner(address value) public { // fails: dirty_address
        who = value;
    }

    function many(uint256[] memory values) public { // fails: wild_offset
        list = values;
    }
}

contract Receiver {
    uint256 public total;

    //? 0.4
    function() external payable {
        total += msg.value;
        require(msg.value > 5, "Receiver: too little"); // fails: receive_reverts
        revert("Receiver: no such function"); // fails: fallback_reverts
    }
    //? 0.6 0.8
    receive() external payable {
        total += msg.value;
        require(msg.value > 5, "Receiver: too little"); // fails: receive_reverts
    }

    fallback() external payable {
        revert("Receiver: no such function"); // fails: fallback_reverts
    }
    //? all
}

contract Unpaid {
    uint256 public calls;

    $fallback() external { // fails: value_to_nonpayable_fallback
        calls++;
    }
}
