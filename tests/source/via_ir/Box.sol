// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Box {
    enum State { Open, Closed }

    State public state;
    address public seller = msg.sender;
    uint8 public level = 250;
    uint256[] public list;
    uint256[4] fixedList;
    mapping(address => uint256) balances;

    modifier onlySeller() {
        require(msg.sender == seller, "not the seller");
        _;
    }

    modifier limited() {
        require(list.length < 9, "too long");
        _;
    }

    function grow(uint8 by) external onlySeller {
        level += by; // fails: grow
    }

    function divide(uint256 by) external onlySeller returns (uint256) {
        level = 2;
        return 10 / by; // fails: divide
    }

    function pop() external onlySeller {
        list.pop(); // fails: pop
    }

    function allocate(uint256 size) external onlySeller returns (uint256[] memory) {
        return new uint256[](size); // fails: allocate
    }

    function setState(uint8 to) external onlySeller {
        state = State(to); // fails: setState
    }

    function check(uint8 number) external onlySeller {
        require(number != 9, "nine"); // fails: checkNine
        assert(number < 3); // fails: check
    }

    function read(uint256 index) external returns (uint256) {
        assert(index != 9);
        level = uint8(fixedList[index]); // fails: read
        return level;
    }

    function slice(uint256 start, bytes calldata data) external pure returns (bytes calldata) {
        assert(start != 0); // fails: sliceAssert
        return data[start:]; // fails: slice
    }

    function either(uint256 amount) external onlySeller limited {
        balances[msg.sender] = amount;
        require(amount < 99, "too much"); // fails: eitherReason
        list.push(amount / (amount - 4)); // fails: either
        fixedList[amount] -= helper(amount);
    }

    function helper(uint256 amount) private view returns (uint256) {
        require(amount != 3, "three"); // fails: helperReason
        return amount / (balances[seller] - 2) - 9;
    }
}
