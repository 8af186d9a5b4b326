// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

import "./Imported.sol";

library SafeMath {
    function add(uint256 a, uint256 b) internal pure returns (uint256) {
        uint256 c = a + b;
        require(c < 100, "SafeMath: too large"); // fails: internal_library
        return c;
    }
}

library Ledger {
    struct Book {
        mapping(address => uint256) owed;
    }

    function spend(Book storage book, uint256 amount) public {
        require(book.owed[msg.sender] >= amount, "Ledger: too little"); // fails: external_library
        book.owed[msg.sender] -= amount;
    }
}

contract Base {
    uint256 public total;
    bool locked;

    modifier onlySmall(uint256 amount) {
        require(amount < 10, "not small"); // fails: modifier_before, second_modifier
        _;
    }

    modifier keepsTotal() {
        _;
        require(total < 10, "total is too high"); // fails: modifier_after
    }

    modifier withHelper(uint256 amount) {
        check(amount); // calls: modifier_internal 2
        _;
    }

    modifier nonReentrant() {
        require(!locked, "reentrant"); // fails: nonreentrant
        locked = true;
        _;
        locked = false;
    }

    function check(uint256 amount) internal view {
        require(amount > total, "not above the total"); // fails: modifier_internal
    }

    function hook(uint256 amount) public $virtual {
        require(amount != 3, "base refuses"); // fails: super_call
        total = amount;
    }

    function inherited(uint256 amount) public {
        total = amount;
        assert(total != 4); // fails: inherited
    }
}

contract Structure is Base {
    using SafeMath for uint256;
    using Ledger for Ledger.Book;

    Ledger.Book book;

    function hook(uint256 amount) public $override {
        super.hook(amount); // calls: super_call 1
        total += 1;
    }

    function before(uint256 amount) public onlySmall(amount) { // calls: modifier_before 1
        total = amount;
    }

    function afterwards(uint256 amount) public keepsTotal { // calls: modifier_after 1
        total = amount;
    }

    function insideModified(uint256 amount) public keepsTotal {
        total = amount;
        require(amount < 5, "in the modified body"); // fails: inside_modified
    }

    function helped(uint256 amount) public withHelper(amount) { // calls: modifier_internal 1
        total = amount;
    }

    function twoModifiers(uint256 amount)
        public
        keepsTotal
        onlySmall(amount) // calls: second_modifier 1
    {
        total = amount;
    }

    function modifierArgument(uint256 amount)
        public
        onlySmall(checked(amount)) // calls: modifier_argument 1
    {
        total = amount;
    }

    function locking(uint256 amount)
        public
        nonReentrant // calls: nonreentrant 2
    {
        total = amount;
        this.locking(amount); // calls: nonreentrant 1
    }

    function inImportedLibrary(uint256 amount) public {
        total = Checks.small(amount); // calls: imported_library 1
    }

    //? 0.8
    function inFreeFunction(uint256 amount) public {
        total = even(amount); // calls: free_function 1
    }

    function inOperator(uint256 amount) public {
        total = Amount.unwrap(
            Amount.wrap(amount) + Amount.wrap(amount) // calls: operator 1
        );
    }
    //? all

    function outer(uint256 amount) public {
        total = 1;
        middle(amount); // calls: nested_internal 1
        total = 2;
    }

    function twice(uint256 a, uint256 b) public {
        inner(a); // calls: first_call 1
        total = 1;
        inner(b); // calls: second_call 1
    }

    function middle(uint256 amount) internal {
        total += 1;
        inner(amount); // calls: nested_internal 2
        total += 1;
    }

    function inner(uint256 amount) private {
        require(amount < 10, "two levels down"); // fails: nested_internal, first_call, second_call
        total += amount;
    }

    function shared(uint256 amount) internal {
        require(amount < total, "shared helper"); // fails: shared_first, shared_second
        total -= 1;
    }

    function sharedFirst(uint256 amount) public {
        shared(amount); // calls: shared_first 1
    }

    function sharedSecond(uint256 amount) public {
        total = 2;
        shared(amount - 5); // calls: shared_second 1
    }


    function pointed(uint256 amount) public {
        function(uint256) internal target = amount > 5 ? refuse : inner;
        target(amount); // calls: function_pointer 1
    }

    function refuse(uint256 amount) internal {
        total = amount;
        revert("called by pointer"); // fails: function_pointer
    }

    function inLibrary(uint256 amount) public {
        total = total.add(amount); // calls: internal_library 1
    }

    function inExternalLibrary(uint256 amount) public {
        book.spend(amount); // calls: external_library 1
    }

    function inArguments(uint256 amount) public {
        total = pair(
            total,
            checked(amount) // calls: in_arguments 1
        );
    }

    function pair(uint256 a, uint256 b) internal pure returns (uint256) {
        return a + b;
    }

    function checked(uint256 amount) internal view returns (uint256) {
        require(amount <= total, "argument refused"); // fails: in_arguments, modifier_argument
        return amount;
    }

    function recursive(uint256 depth) public {
        require(depth != 0, "bottom"); // fails: recursion
        total += depth;
        recursive(depth - 1); // calls: recursion 1, recursion 2, recursion 3
    }
}
