// SPDX-License-Identifier: MIT
pragma solidity >=0.4.22 <0.9.0;

/// Internal functions whose arguments are easily mistaken: those that an optimizer has inlined or
/// merged, with parameters of two words, and with arrays in memory that they change.
contract Arguments {
    uint256 limit = 3;

    function inlined(address who, bytes32 tag) external returns (address) {
        return create(who, tag);
    }

    function create(address who, bytes32 tag) internal returns (address made) {
        return create(who, tag, 0);
    }

    function create(address who, bytes32 tag, uint256 value) internal returns (address) {
        assembly {
            invalid()
        }
    }

    function twoWords(uint256 amount) external {
        with(this.ping, amount);
    }

    function with(function (uint256) external returns (uint256) called, uint256 amount) internal {
        require(amount < limit, "limit");
        called(amount);
    }

    function ping(uint256 amount) external returns (uint256) {
        limit = amount;
        return amount;
    }

    function changed(uint256 amount) external {
        uint256[] memory list = new uint256[](2);
        list[0] = amount;
        change(list, "rent");
    }

    function change(uint256[] memory amounts, string memory note) internal {
        amounts[0] = 1;
        require(amounts[1] > limit, note);
    }

    function merged(uint256 amount) external {
        limit += spend(amount + 1) + spend(amount);
        limit += burn(amount + 2) + burn(amount);
    }

    function spend(uint256 amount) internal returns (uint256) {
        if (amount == 5) {
            limit = 7;
        }
        require(amount != 11, "amount");
        return limit * amount;
    }

    function burn(uint256 total) internal returns (uint256) {
        if (total == 5) {
            limit = 7;
        }
        require(total != 11, "amount");
        return limit * total;
    }

    function left(uint256 amount) external {
        limit = find(amount);
    }

    function find(uint256 amount) internal view returns (uint256) {
        for (uint256 i = 0; i < amount; i++) {
            uint256 square = i * i;
            if (square > limit) {
                return square;
            }
        }
        return 0;
    }
}
