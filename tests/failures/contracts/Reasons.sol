// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

contract Reasons {
    uint256 public limit = 10;
    uint256 public last;
    //? 0.8
    error TooMuch(address who, uint256 wanted, uint256 have);
    error Empty();
    //? all

    function requireText(uint256 amount) public {
        last = amount;
        require(amount < limit, "amount too high"); // fails: require_text
    }

    function requireBare(uint256 amount) public {
        last = amount;
        require(amount < limit); // fails: require_bare
    }

    function requireManyLines(uint256 amount) public {
        last = amount;
        require( // fails: require_many_lines
            amount < limit &&
                amount != 7,
            "spread over lines"
        );
        last = amount + 1;
    }

    function revertBare(uint256 amount) public {
        if (amount >= limit) {
            revert(); // fails: revert_bare
        }
        last = amount;
    }

    function revertText(uint256 amount) public {
        if (amount >= limit) revert("no more"); // fails: revert_text
        last = amount;
    }

    function longText(uint256 amount) public {
        require( // fails: long_text
            amount < limit,
            "a reason that takes more than one word of memory, and another one"
        );
        last = amount;
    }

    function revertEmptyText(uint256 amount) public {
        if (amount >= limit) revert(""); // fails: revert_empty_text
        last = amount;
    }

    function assertion(uint256 amount) public {
        last = amount;
        assert(amount < limit); // fails: assert
    }

    function ternary(uint256 amount) public {
        last = amount > limit ? refuse(amount) : amount; // calls: ternary 1
    }

    function refuse(uint256 amount) internal view returns (uint256) {
        require(amount == limit, "chosen branch"); // fails: ternary
        return amount;
    }

    function nameTooLong(string memory name) public {
        require(bytes(name).length <= 8, "name too long"); // fails: string_too_long
        last = bytes(name).length;
    }

    // Two functions that fail in the same way: an optimizer keeps one copy of the code.

    function firstBare(uint256 amount) public {
        require(amount != 1); // fails: same_bare_first
        last = amount;
    }

    function secondBare(uint256 amount) public {
        require(amount != 2); // fails: same_bare_second
        last = amount;
    }

    function firstText(uint256 amount) public {
        if (amount == 1) revert("same text"); // fails: same_text_first
        last = amount;
    }

    function secondText(uint256 amount) public {
        if (amount == 2) revert("same text"); // fails: same_text_second
        last = amount;
    }

    function twoBare(uint256 a, uint256 b) public {
        require(a < 10); // fails: first_bare
        last = a;
        require(b < 10); // fails: second_bare
        last += b;
    }

    function oneOfTwo(uint256 amount) public {
        if (amount > 20) {
            revert("either"); // fails: either_first
        }
        if (amount > 10) {
            revert("either"); // fails: either_second
        }
        last = amount;
    }

    //? 0.8
    function customError(uint256 amount) public {
        if (amount >= limit) revert TooMuch(msg.sender, amount, limit); // fails: custom_error
        last = amount;
    }

    function twoErrors(uint256 a, uint256 b) public {
        if (a >= 10) revert TooMuch(msg.sender, 10, 1); // fails: first_error
        last = a;
        if (b >= 10) revert TooMuch(msg.sender, 10, 1); // fails: second_error
        last += b;
    }

    function customErrorEmpty(uint256 amount) public {
        if (amount >= limit) revert Empty(); // fails: custom_error_empty
        last = amount;
    }

    function customErrorManyLines(uint256 amount) public {
        if (amount >= limit)
            revert TooMuch( // fails: custom_error_many_lines
                msg.sender,
                amount,
                limit
            );
        last = amount;
    }

    function requireCustomError(uint256 amount) public {
        last = amount;
        require(amount < limit, TooMuch(msg.sender, amount, limit)); // fails: require_custom_error
    }
    //? all

    function assemblyRevert(uint256 amount) public {
        last = amount;
        assembly {
            if gt(amount, 9) {
                revert(0, 0) // fails: assembly_revert
            }
        }
    }

    function assemblyInvalid(uint256 amount) public {
        last = amount;
        assembly {
            if gt(amount, 9) {
                invalid() // fails: assembly_invalid
            }
        }
    }
}
