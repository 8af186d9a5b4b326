// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

library SafeCast {
    function toUint8(uint256 value) internal pure returns (uint8) {
        require(value < 256, "does not fit in 8 bits"); // fails: cast
        return uint8(value);
    }
}

contract Panics {
    enum Color {
        Red,
        Green
    }

    uint256 public total = 5;
    uint8 public small = 250;
    int256 public lowest = -2 ** 255;
    uint256[] public values; // fails: getter_bounds
    uint256[3] fixedValues;
    bytes text;
    Color public color;
    function(uint256) internal returns (uint256) unset;

    constructor() public {
        values.push(1);
        values.push(2);
    }

    function add(uint256 amount) public {
        total = total + amount; // fails: checked_add
    }

    function addManyLines(uint256 amount) public {
        total =
            small +
            (total + // fails: checked_add_many_lines
                amount) +
            1;
    }

    function twoAdds(uint256 a, uint256 b) public {
        total = a + 1; // fails: first_add
        lowest = 7;
        total = total + b; // fails: second_add
    }

    function subtract(uint256 amount) public {
        total -= amount; // fails: checked_subtract
    }

    function multiply(uint256 amount) public {
        total = amount * total; // fails: checked_multiply
    }

    function increment() public {
        small = 255;
        small++; // fails: checked_increment
    }

    function negate() public {
        lowest = -lowest; // fails: checked_negate
    }

    function power(uint256 exponent) public {
        total = total ** exponent; // fails: checked_power
    }

    //? 0.8
    function nextToUnchecked(uint256 amount) public {
        unchecked {
            total += amount;
        }
        total += amount; // fails: next_to_unchecked
        unchecked {
            total -= amount;
        }
    }
    //? all

    function cast(uint256 value) public {
        small = SafeCast.toUint8(value); // calls: cast 1
    }

    function divide(uint256 by) public {
        total = total / by; // fails: divide_by_zero
    }

    function modulo(uint256 by) public {
        total = total % by; // fails: modulo_by_zero
    }

    function divideSigned(int256 by) public {
        lowest = lowest / by; // fails: divide_signed
    }

    function memoryBounds(uint256 index) public {
        uint256[] memory list = new uint256[](2);
        total = list[index]; // fails: memory_bounds
    }

    function storageBounds(uint256 index) public {
        total = values[index]; // fails: storage_bounds
    }

    function twoIndexes(uint256 a, uint256 b) public {
        total = values[a]; // fails: first_index
        lowest = 7;
        total = values[b] + 1; // fails: second_index
    }

    function fixedBounds(uint256 index) public {
        fixedValues[index] = total; // fails: fixed_bounds
    }

    function calldataBounds(uint256[] $calldata list, uint256 index) external {
        total = list[index]; // fails: calldata_bounds
    }

    function bytesBounds(uint256 index) public {
        text[index] = 0x01; // fails: bytes_bounds
    }

    //? 0.6 0.8
    function slice(bytes calldata data, uint256 end) external {
        total = abi.decode(data[1:end], (uint256)); // fails: calldata_slice
    }

    function popEmpty() public {
        values.pop();
        values.pop();
        values.pop(); // fails: pop_empty
    }
    //? all

    function convertEnum(uint256 value) public {
        color = Color(value); // fails: enum_conversion
    }

    function unsetFunction(uint256 value) public {
        total = unset(value); // fails: unset_function
    }

    function allocate(uint256 size) public {
        uint256[] memory list = new uint256[](size); // fails: allocate_too_much
        total = list.length;
    }

    function loop(uint256 limit) public {
        for (uint256 i = 0; i < 5; i++) {
            total += i;
            require(i < limit, "failed in a loop"); // fails: loop
        }
    }

    function loopBounds(uint256 count) public {
        for (uint256 i = 0; i < count; i++) total += values[i]; // fails: loop_bounds
    }
}
