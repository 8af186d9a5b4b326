"""A Vyper contract: structs, maps, dynamic arrays, strings, events, immutables, locks."""

import pytest

NAME = b"devchain".ljust(32, b"\0")
OTHER = b"other".ljust(32, b"\0")


def test_constructor(chain, registry):
    """Immutables and storage are set."""
    assert chain.address(registry.treasurer()) == chain.address(chain.users[0])
    assert registry.period() == 3600


def test_register(chain, registry):
    """An entry is a struct with an address, numbers and text."""
    registry.register(NAME, "a chain", value=150, sender=chain.users[1])
    owner, price, _, text = registry.entries(NAME)
    assert chain.address(owner) == chain.address(chain.users[1])
    assert (price, text) == (150, "a chain")
    assert registry.remaining(NAME) == 3600


def test_event(chain, registry):
    """A registration is logged."""
    sent = registry.register(NAME, "", value=100, sender=chain.users[1])
    assert chain.events(registry, sent) == ["Registered"]


def test_names(chain, registry):
    """A dynamic array is returned whole."""
    for each in (NAME, OTHER):
        registry.register(each, "", value=100, sender=chain.users[1])
    assert list(registry.all_names()) == [NAME, OTHER]


def test_price(chain, registry):
    """Less than the fee is refused with a reason."""
    with chain.reverts("costs 100 wei"):
        registry.register(NAME, "", value=99, sender=chain.users[1])


def test_taken(chain, registry):
    """A name is taken until its end."""
    registry.register(NAME, "", value=100, sender=chain.users[1])
    with chain.reverts("taken"):
        registry.register(NAME, "", value=100, sender=chain.users[2])
    chain.sleep(3601)
    registry.register(NAME, "", value=100, sender=chain.users[2])


def test_full(chain, registry):
    """The array has a bound."""
    for number in range(8):
        registry.register(number.to_bytes(32, "big"), "", value=100, sender=chain.users[1])
    with chain.reverts("full"):
        registry.register(NAME, "", value=100, sender=chain.users[1])


def test_move(chain, registry):
    """Only the owner moves a name."""
    registry.register(NAME, "", value=100, sender=chain.users[1])
    with chain.reverts("not the owner"):
        registry.move(NAME, chain.users[2], sender=chain.users[2])
    registry.move(NAME, chain.users[2], sender=chain.users[1])
    assert chain.address(registry.entries(NAME)[0]) == chain.address(chain.users[2])


def test_collect(chain, registry):
    """The treasurer gets the fees."""
    registry.register(NAME, "", value=10**15, sender=chain.users[1])
    assert chain.balance(registry) == 10**15
    with chain.reverts("not the treasurer"):
        registry.collect(sender=chain.users[1])
    registry.collect(sender=chain.users[0])
    assert chain.balance(registry) == 0


def test_payable(chain, registry):
    """A function that is not payable refuses a value."""
    with chain.reverts():
        registry.move(NAME, chain.users[1], value=1, sender=chain.users[1])


@pytest.mark.parametrize(
    ("a", "b", "expected"), [(1, 2, 5 * 10**17), (0, 7, 0), (3, 1, 3 * 10**18)]
)
def test_ratio(registry, a, b, expected):
    """Arithmetic of whole numbers."""
    assert registry.ratio(a, b) == expected


@pytest.mark.parametrize(("a", "b"), [(1, 0), (2**255, 1)])
def test_checked(chain, registry, a, b):
    """A division by zero and an overflow fail."""
    with chain.reverts():
        registry.ratio(a, b)


def test_several_values(chain, registry):
    """A fixed array, a flag and an address come back as one tuple."""
    numbers, flag, where = registry.echo([1, 2, 2**256 - 1], True)
    assert list(numbers) == [1, 2, 2**256 - 1]
    assert flag is True
    assert chain.address(where) == chain.address(registry)
