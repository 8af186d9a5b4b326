#? 0.3
# @version ^0.3.10

enum Color:
    Red
    Green

#? 0.4
# pragma version ^0.4.0
# pragma enable-decimals

flag Color:
    Red
    Green

#? all
total: public(uint256)
small: public(uint8)
lowest: public(int256)
values: public(DynArray[uint256, 3])  # fails: getter_bounds
fixedValues: uint256[3]
price: decimal
color: public(Color)


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__():
    self.total = 5
    self.small = 250
    self.lowest = min_value(int256)
    self.values.append(1)
    self.values.append(2)


@external
def add(amount: uint256):
    self.total = self.total + amount  # fails: checked_add


@external
def add_many_lines(amount: uint256):
    self.total = (
        7
        + (self.total +  # fails: checked_add_many_lines
           amount)
        + 1
    )


@external
def two_adds(a: uint256, b: uint256):
    self.total = a + 1  # fails: first_add
    self.lowest = 7
    self.total = self.total + b  # fails: second_add


@external
def subtract(amount: uint256):
    self.total -= amount  # fails: checked_subtract


@external
def multiply(amount: uint256):
    self.total = amount * self.total  # fails: checked_multiply


@external
def increment():
    self.small = 255
    self.small += 1  # fails: checked_increment


@external
def negate():
    self.lowest = -self.lowest  # fails: checked_negate


@external
def power(exponent: uint256):
    self.total = 5 ** exponent  # fails: checked_power


@external
def next_to_unchecked(amount: uint256):
    self.total = unsafe_add(self.total, amount)
    self.total += amount  # fails: next_to_unchecked
    self.total = unsafe_sub(self.total, amount)


@external
def cast(number: uint256):
    self.small = convert(number, uint8)  # fails: cast


@external
def cast_negative(number: int256):
    self.total = convert(number, uint256)  # fails: cast_negative


@external
def divide(by: uint256):
    #? 0.3
    self.total = self.total / by  # fails: divide_by_zero
    #? 0.4
    self.total = self.total // by  # fails: divide_by_zero
    #? all


@external
def modulo(by: uint256):
    self.total = self.total % by  # fails: modulo_by_zero


@external
def divide_signed(by: int256):
    #? 0.3
    self.lowest = self.lowest / by  # fails: divide_signed
    #? 0.4
    self.lowest = self.lowest // by  # fails: divide_signed
    #? all


@external
def decimal_product(by: int128):
    self.price = max_value(decimal)
    self.price *= convert(by, decimal)  # fails: checked_decimal


@external
def memory_bounds(index: uint256):
    entries: uint256[2] = [1, 2]
    self.total = entries[index]  # fails: memory_bounds


@external
def storage_bounds(index: uint256):
    self.total = self.values[index]  # fails: storage_bounds


@external
def two_indexes(a: uint256, b: uint256):
    self.total = self.values[a]  # fails: first_index
    self.lowest = 7
    self.total = self.values[b] + 1  # fails: second_index


@external
def fixed_bounds(index: uint256):
    self.fixedValues[index] = self.total  # fails: fixed_bounds


@external
def calldata_bounds(entries: DynArray[uint256, 4], index: uint256):
    self.total = entries[index]  # fails: calldata_bounds


@external
def slice_bounds(data: Bytes[32], size: uint256):
    self.total = len(slice(data, 1, size))  # fails: calldata_slice


@external
def pop_empty():
    self.values.pop()
    self.values.pop()
    self.values.pop()  # fails: pop_empty


@external
def append_full():
    self.values.append(3)
    self.values.append(4)  # fails: append_full


@external
def convert_enum(number: uint256):
    self.color = convert(number, Color)  # fails: enum_conversion


@external
def loop(limit: uint256):
    #? 0.3
    for i in range(5):
    #? 0.4
    for i: uint256 in range(5):
    #? all
        self.total += i
        assert i < limit, "failed in a loop"  # fails: loop


@external
def loop_bounds(count: uint256):
    #? 0.3
    for i in range(count, bound=9):
    #? 0.4
    for i: uint256 in range(count, bound=9):
    #? all
        self.total += self.values[i]  # fails: loop_bounds


@external
def range_bound(count: uint256):
    #? 0.3
    for i in range(count, bound=4):  # fails: range_bound
    #? 0.4
    for i: uint256 in range(count, bound=4):  # fails: range_bound
    #? all
        self.total += 1


@external
def several(a: uint256, b: uint256, c: uint256):
    #? 0.3
    self.total = a / b + a % c + self.values[a]  # fails: divide_beside_modulo, modulo_beside_divide, index_beside_divide
    #? 0.4
    self.total = a // b + a % c + self.values[a]  # fails: divide_beside_modulo, modulo_beside_divide, index_beside_divide
    #? all


@external
def small_product(a: uint8, b: uint8):
    self.small = convert(self.values[0], uint8) + a * b  # fails: small_product
