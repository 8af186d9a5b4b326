// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Branches {
    error Odd(uint256 count);

    uint256 public total;

    modifier small(uint256 count) {
        require(count < 100, "large");
        _;
    }

    function chosen(uint256 count) external pure returns (uint256) {
        if (count > 10) return 1;
        if (count > 5) {
            return 2;
        } else if (count == 0) {
            return 3;
        } else {
            return 4;
        }
    }

    function checked(uint256 count) external small(count) {
        require(count != 7);
        assert(count != 8);
        total = count;
    }

    function checkedTwice(uint256 count) external small(count) {
        total += count;
    }

    function ternary(uint256 count) external pure returns (uint256) {
        return count > 3 ? count : (count == 0 ? 9 : 3);
    }

    function both(uint256 count) external pure returns (bool) {
        bool result = count > 3 && (count < 9 || count == 20);
        return result;
    }

    function turns(uint256 count) external pure returns (uint256 sum) {
        for (uint256 i = 0; i < count; i++) {
            if (i == 3) break;
            sum += i;
        }
        while (sum > 2) sum -= 2;
        do {
            sum++;
        } while (sum < count && sum != 4);
    }

    function assembled(uint256 count) external pure returns (uint256 sum) {
        assembly {
            if gt(count, 5) { sum := 1 }
            for { let i := 0 } lt(i, count) { i := add(i, 1) } { sum := add(sum, i) }
            switch count
            case 1 { sum := 10 }
            case 2 { sum := 20 }
            default { sum := 30 }
        }
    }

    function tried(uint256 count) external returns (bool) {
        try this.checkedTwice(count) {
            return true;
        } catch {
            return false;
        }
    }

    function odd(uint256 count) external pure {
        if (count % 2 == 1) revert Odd(count);
    }
}
