// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

contract Parent {
    uint256 public size;

    constructor(uint256 wanted) public {
        require(wanted != 11, "Parent: eleven"); // fails: base_constructor
        size = wanted;
    }
}

contract Child is Parent {
    uint256 public half;

    constructor(uint256 wanted) public Parent(wanted + 1) { // fails: constructor_arguments
        require(wanted < 20, "Child: too large"); // fails: constructor, new_fails
        half = halve(wanted); // calls: constructor_internal 1
    }

    function halve(uint256 wanted) internal pure returns (uint256) {
        require(wanted % 2 == 0, "Child: odd"); // fails: constructor_internal
        return wanted / 2;
    }
}

contract Initialised {
    uint256 public ten = 10;
    uint256 public quotient = ten / zero(); // calls: state_initialiser 1

    function zero() internal view returns (uint256) {
        require(ten == 11, "not eleven"); // fails: state_initialiser
        return 0;
    }
}

contract Plain {
    uint256 public one;

    constructor() public { // fails: nonpayable_constructor
        one = 1;
    }
}

contract Large {
    constructor(uint256 size) public {
        assembly {
            return(0, size) // fails: code_too_large, new_code_too_large
        }
    }
}

contract Reserved {
    constructor() public {
        assembly {
            mstore8(0, 0xef)
            return(0, 1) // fails: reserved_code_prefix
        }
    }
}

contract Rich {
    constructor() public payable {}
}

contract Factory {
    Child public child;
    Plain public plain;
    Rich public rich;
    uint256 public count;

    function make(uint256 wanted) public {
        count++;
        child = new Child(wanted); // calls: new_fails 1
    }

    //? 0.6 0.8
    function makeTwice() public {
        plain = new Plain{salt: 0}();
        plain = new Plain{salt: 0}(); // fails: create_collision
    }
    //? all

    function makeLarge(uint256 size) public {
        count++;
        new Large(size); // calls: new_code_too_large 1
    }

    function makeRich() public {
        count++;
        //? 0.4
        rich = (new Rich).value(5)(); // fails: new_balance
        //? 0.6 0.8
        rich = new Rich{value: 5}(); // fails: new_balance
        //? all
    }
}
