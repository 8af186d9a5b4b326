// SPDX-License-Identifier: MIT
pragma solidity >=0.4.22 <0.9.0;

import "./console.sol";

contract Quiet {
    function speak(uint256 count) public view returns (uint256) {
        console.log("quiet", count); // prints: 2
        return count + 1;
    }
}

contract Printing {
    Quiet quiet;
    uint256 public total;

    constructor() public {
        quiet = new Quiet();
        console.log("created"); // prints: created
    }

    modifier noted() {
        console.log("before"); // prints: 0
        _;
    }

    function go(uint256 count) public noted {
        for (uint256 at = 0; at < count; at++) {
            console.log("round %d", at); // prints: 1 1
        }
        total = quiet.speak(count);
        inner(msg.sender);
        require(count < 3, "too many");
    }

    function inner(address who) internal view {
        console.log(who); // prints: 3
    }
}
