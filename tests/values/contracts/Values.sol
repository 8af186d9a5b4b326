// SPDX-License-Identifier: MIT
pragma solidity >=0.4.22 <0.9.0;

interface Other {
    function take(uint256 amount) external returns (uint256);
}

library Book {
    struct Entry {
        uint256 left;
        mapping(address => uint256) shares;
    }

    function spend(Entry storage entry, uint256 amount) external {
        uint256 doubled = amount * 2;
        require(entry.left >= doubled, "left");
        entry.left -= doubled;
    }

    function take(Entry storage entry, uint256 amount) internal {
        uint256 share = entry.shares[msg.sender];
        require(share >= amount, "share");
        entry.left -= amount;
    }
}

contract Values {
    using Book for Book.Entry;

    enum Color { Red, Green, Blue }

    struct Item {
        uint128 price;
        uint64 left;
        bool open;
        uint256 whole;
    }

    uint256 public limit = 3;
    address public owner;
    uint64 small = 4;
    int32 below = -5;
    mapping(address => uint256) public balances;
    mapping(address => mapping(uint256 => uint256)) nested;
    uint256[] queue;
    Item item;
    mapping(uint256 => Item) items;
    Book.Entry entry;
    mapping(bytes32 => Book.Entry) books;
    Color color;
    Item[] list;
    mapping(address => Item[]) lists;
    mapping(address => mapping(uint256 => Item)) nestedItems;

    constructor() public {
        uint256 first = 5;
        owner = msg.sender;
        balances[msg.sender] = first;
        nested[msg.sender][2] = 7;
        queue.push(11);
        item.price = 8;
        item.left = 9;
        item.open = true;
        items[1].whole = 6;
        entry.left = 4;
        entry.shares[msg.sender] = 2;
        books["main"].left = 1;
        color = Color.Blue;
        items[1].price = 3;
        items[1].left = 2;
        list.push(Item(1, 4, false, 5));
        lists[msg.sender].push(Item(1, 6, false, 7));
        nestedItems[msg.sender][2].left = 8;
    }

    function words(uint256 amount) public returns (uint256 result) {
        uint256 total = amount * 2;
        bool large = total > 10;
        address who = msg.sender;
        int256 signed = -4;
        bytes4 tag = 0x01020304;
        Color picked = Color.Green;
        result = total;
        require(total <= limit, "too much");
        uint256 later = total + 1;
        limit = later + uint256(large ? 1 : 0) + uint256(signed) + uint256(uint32(tag));
        owner = who;
        color = picked;
    }

    function dynamic(uint256 amount) public {
        string memory note = "rent of a week";
        bytes memory raw = hex"010203";
        uint256[] memory some = new uint256[](2);
        some[0] = amount;
        some[1] = 2;
        uint256[2] memory fixedSize = [uint256(7), amount];
        Item memory thing = items[1];
        Item storage stored = items[1];
        require(bytes(note).length + raw.length + some[0] + fixedSize[1] + thing.whole + stored.whole < 1, "never");
    }

    function inner(uint256 first, string memory note, address last) internal returns (uint256 half) {
        half = first / 2;
        uint256 length = bytes(note).length;
        require(half + length < 4, "inner");
        owner = last;
    }

    function outer(uint256 amount) public {
        uint256 before = amount + 1;
        uint256 got = inner(before, "text", msg.sender);
        limit = got + before;
    }

    function blocks(uint256 amount) public {
        uint256 total = 0;
        if (amount > 1) {
            uint256 inside = amount + 5;
            total += inside;
        }
        if (amount > 2) {
            uint256 other = amount + 6;
            total += other;
            require(total < 1, "other");
        }
        total += 1;
        limit = total;
    }

    function loop(uint256 count) public {
        uint256 total = 0;
        for (uint256 i = 0; i < 10; i++) {
            uint256 square = i * i;
            total += square;
            require(total < count, "loop");
        }
        limit = total;
    }

    modifier capped(uint256 cap) {
        uint256 twice = cap * 2;
        require(twice <= limit, "capped");
        _;
        require(limit < 100, "after");
    }

    function guarded(uint256 amount) public capped(amount + 1) {
        uint256 local = amount;
        require(local < 1, "guarded");
        limit = 1000;
    }

    function pair(uint256 amount) internal pure returns (uint256, uint256, bool) {
        return (amount, amount + 1, true);
    }

    function tuples(uint256 amount) public {
        (uint256 one, , bool three) = pair(amount);
        uint256 four = 4;
        require(one < 2 && three && four > 5, "tuples");
        limit = one;
    }

    function spend(uint256 amount) public {
        require(balances[msg.sender] >= amount, "balance");
        balances[msg.sender] -= amount;
    }

    function deep(uint256 amount) public view {
        require(nested[msg.sender][2] + items[1].whole + queue[0] < amount, "deep");
    }

    function packed(uint256 amount) public view {
        require(item.left > amount && below > 0, "packed");
    }

    function lend(uint256 amount) public {
        books["main"].spend(amount);
    }

    function share(uint256 amount) public {
        uint256 mine = amount + 1;
        entry.take(mine);
    }

    function calls(address to, uint256 amount) public {
        uint256 doubled = amount * 2;
        uint256 got = Other(to).take(doubled);
        limit = doubled + got;
    }

    function early(uint256 amount) public returns (uint256) {
        uint256 total = amount + 1;
        if (total > 3) {
            uint256 extra = total;
            if (extra > 4) revert("early");
            return extra;
        }
        return total;
    }

    function straight(uint256 amount) public {
        limit = amount;
        uint256 one = limit + 1;
        uint256 two = one * 2;
        one = two + 3;
        revert("straight");
    }

    function add(uint256 amount, uint256 more) public returns (uint256) {
        uint256 before = limit;
        uint256 sum = amount - more;
        limit = sum;
        return before;
    }

    function element(uint256 amount) public {
        require(list[0].left > amount, "element");
        limit = amount;
    }

    function pointed(uint256 amount) public {
        Item storage chosen = items[1];
        require(chosen.left > amount, "pointed");
        limit = amount;
    }

    function pointedList(uint256 amount) public {
        Item[] storage mine = lists[msg.sender];
        Item storage first = mine[0];
        require(first.left > amount, "list");
        limit = amount;
    }

    //? 0.6 0.8
    function pointedMapping(uint256 amount) public {
        mapping(uint256 => Item) storage mine = nestedItems[msg.sender];
        require(mine[2].left > amount, "mapping");
        limit = amount;
    }
    //? all

    function leftOf(Item storage some, uint256 amount) internal {
        require(some.left > amount, "left of");
        limit = amount;
    }

    function passed(uint256 amount) public {
        leftOf(nestedItems[msg.sender][2], amount);
    }

    function condition(uint256 amount) public {
        Item storage chosen = items[1];
        if (chosen.left < amount) {
            revert("condition");
        }
        limit = amount;
    }
}
