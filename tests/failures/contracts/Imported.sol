// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

library Checks {
    function small(uint256 amount) internal pure returns (uint256) {
        require(amount < 10, "Checks: not small"); // fails: imported_library
        return amount;
    }
}

//? 0.8
type Amount is uint256;

using {plus as +} for Amount global;

function plus(Amount a, Amount b) pure returns (Amount) {
    uint256 sum = Amount.unwrap(a) + Amount.unwrap(b);
    require(sum < 10, "sum is too high"); // fails: operator
    return Amount.wrap(sum);
}

function even(uint256 amount) pure returns (uint256) {
    require(amount % 2 == 0, "odd"); // fails: free_function
    return amount / 2;
}
//? all
