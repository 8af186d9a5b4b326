#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

total: public(uint256)


@external
def difference(x: uint256) -> uint256:
    z: uint256 = 5
    y: uint256 = x
    t: uint256 = z - y  # fails: local_difference
    return t


@external
def second_of_two(a: uint256, b: uint256) -> uint256:
    s: uint256 = a + b
    d: uint256 = a - b  # fails: local_second
    return s + d


@external
def first_of_two(a: uint256, b: uint256) -> uint256:
    s: uint256 = 1
    d: uint256 = a - b  # fails: local_first
    p: uint256 = a * b
    return s + d + p


@external
def loop_sum(x: uint256) -> uint256:
    y: uint256 = x
    for $i in range(3):
        y += i  # fails: local_in_loop
    return y


@external
def loop_of_two(x: uint256) -> uint256:
    y: uint256 = x
    z: uint256 = 0
    for $i in range(3):
        z = 5
        y += z  # fails: local_second_in_loop
    return y


@external
def loop_before(x: uint256) -> uint256:
    y: uint256 = x
    z: uint256 = 1
    for $i in range(3):
        z += i
    y -= z  # fails: local_after_loop
    return y


@external
def loop_over_list(x: uint256) -> uint256:
    y: uint256 = x
    values: uint256[3] = [1, 2, 3]
    #? 0.3
    for each in values:
    #? 0.4
    for each: uint256 in values:
    #? all
        y -= each  # fails: local_over_list
    return y


@external
def after_if(amt: uint256) -> uint256:
    w: uint256 = 0
    z: uint256 = 2
    if amt > 3:
        w = 3
    z -= amt  # fails: local_after_if
    return z + w


@external
def in_branch(amt: uint256) -> uint256:
    w: uint256 = 1
    z: uint256 = 2
    if amt > 3:
        w = 3
        z -= amt  # fails: local_in_branch
    else:
        w -= amt  # fails: local_in_else
    return z + w


@external
def branch_of_one(amt: uint256) -> uint256:
    w: uint256 = 1
    if amt > 3:
        w -= amt  # fails: local_only_in_branch
    else:
        w *= amt
    return w


@external
def in_condition(a: uint256, b: uint256) -> uint256:
    w: uint256 = 1
    if a - b > 3:  # fails: local_in_condition
        w = 2
    return w


@external
def in_elif(a: uint256, b: uint256) -> uint256:
    w: uint256 = 1
    if a > 3:
        w = 2
    elif a - b > 3:  # fails: local_in_elif
        w = 3
    return w


@external
def cast(a: uint256) -> uint8:
    z: uint8 = 2
    z = convert(a, uint8)  # fails: local_cast
    return z


@external
def small_sum(a: uint8, b: uint8) -> uint8:
    z: uint8 = 2
    z = a + b  # fails: local_small_sum
    return z


@external
def product(a: int128, b: int128) -> int128:
    z: int128 = 2
    y: int128 = a * b  # fails: local_product
    return z + y


@external
def negative(a: int256) -> int256:
    z: int256 = 2
    z = -a  # fails: local_negative
    return z


@external
def returned(a: uint256, b: uint256) -> uint256:
    z: uint256 = a
    return z - b  # fails: local_returned


@external
def returned_early(a: uint256, b: uint256) -> uint256:
    z: uint256 = a
    if a < b:
        return z - b  # fails: local_returned_early
    return z


@external
def asserted(a: uint256, b: uint256):
    z: uint256 = a
    assert z - b > 1  # fails: local_asserted


@external
def stored(a: uint256, b: uint256):
    z: uint256 = a
    self.total = z - b  # fails: local_stored


@external
def three_lines(a: uint256, b: uint256) -> uint256:
    z: uint256 = a
    y: uint256 = (
        z  # fails: local_on_lines
        - b
    )
    return y


@internal
def _half(a: uint256, b: uint256) -> uint256:
    z: uint256 = 7
    y: uint256 = a - b  # fails: local_internal
    return y + z


@external
def passed(a: uint256, b: uint256) -> uint256:
    z: uint256 = a
    t: uint256 = self._half(z, b)  # calls: local_internal 1
    return t


@external
def argument(a: uint256, b: uint256) -> uint256:
    z: uint256 = a
    t: uint256 = self._half(z - b, 1)  # fails: local_argument
    return t


@external
def after_call(a: uint256, b: uint256) -> uint256:
    z: uint256 = self._half(a, 1)
    z -= b  # fails: local_after_call
    return z


@external
def two_operations(a: uint256, b: uint256, c: uint256) -> uint256:
    z: uint256 = 1
    z = a + b - c  # fails: local_two_operations
    return z


@external
def both_forms(a: uint256, b: uint256) -> uint256:
    z: uint256 = a
    z += b
    z -= 1
    z *= b  # fails: local_last_of_three
    return z


@external
def unmapped(a: uint256, b: uint256) -> uint256:
    z: uint256 = a
    y: uint256 = b
    w: uint8 = 1
    w = convert(y, uint8)  # fails: local_unmapped
    z += 1
    return z
