"""Hypothesis strategies for arguments of contracts; they need `pip install "devchain[fuzz]"`."""

try:
    from devchain.testing.strategies import accounts, arguments, ether, value
except ModuleNotFoundError as error:
    if error.name != "hypothesis":
        raise
    raise ModuleNotFoundError(
        'devchain.strategies needs Hypothesis: pip install "devchain[fuzz]" '
        '(from a clone ".[fuzz]")',
        name="hypothesis",
    ) from None

__all__ = ["accounts", "arguments", "ether", "value"]
