"""web3.py providers for a node in this process, without socket or JSON text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from web3.middleware import (
    BufferedGasEstimateMiddleware,
    ENSNameToAddressMiddleware,
    FormattingMiddlewareBuilder,
    GasPriceStrategyMiddleware,
    ValidationMiddleware,
    combine_middleware,
)
from web3.middleware.gas_price_strategy import validate_transaction_params
from web3.middleware.validation import METHODS_TO_VALIDATE, build_method_validators
from web3.providers.async_base import AsyncJSONBaseProvider
from web3.providers.base import JSONBaseProvider

from devchain.node import Node
from devchain.rpc.block_parameter import TAGS
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.scalar_decoders import HEX

__all__ = ["AsyncNodeProvider", "NodeProvider", "async_provider", "provider"]

REVERT_CODE = 3  # geth's error code of a revert, the only one from which web3.py reads the reason
SEND = "eth_sendTransaction"
GAS_BUFFER = 100_000  # what web3.py adds to the estimate of a transaction without gas limit


def provider(node: Node) -> NodeProvider:
    """A web3.py provider over a node: `Web3(devchain.web3.provider(node))`.

    Answers are the same as over HTTP, but for the code of a revert: it is 3 unless `revert_code` is
    configured, because web3.py reads the reason from no other.
    """
    return NodeProvider(node)


def async_provider(node: Node) -> AsyncNodeProvider:
    """As `provider`, for `AsyncWeb3`; calls run at once, in the event loop's thread."""
    return AsyncNodeProvider(node)


class _NodeRequests:
    def __init__(self, node: Node, **options: Any) -> None:
        super().__init__(**options)
        self.node = node
        revert_code = node.config.revert_code or REVERT_CODE
        self._dispatcher = Dispatcher(node, revert_code=revert_code)
        self._ids = count(1)

    def _answer(self, method: str, params: object) -> Any:
        params = _plain(params)
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        return self._dispatcher.answer(request)


class NodeProvider(_NodeRequests, JSONBaseProvider):
    """A provider for `Web3`."""

    _combined: tuple[Any, Any] = None, None

    def request_func(self, w3: Any, middleware_onion: Any) -> Callable[..., Any]:
        """What sends a request through the middleware: as web3.py's own, with less work."""
        middleware = middleware_onion.as_tuple_of_middleware()
        if self._combined[0] != middleware:
            lean = lean_middleware(self.node)
            # Builders with arguments may have no hash.
            used = [next((new for old, new in lean if layer is old), layer) for layer in middleware]
            self._combined = middleware, combine_middleware(used, w3, self.make_request)
        combined: Callable[..., Any] = self._combined[1]
        return combined

    def make_request(self, method: Any, params: Any) -> Any:
        return self._answer(method, params)

    def make_batch_request(self, requests: Sequence[tuple[Any, Any]]) -> Any:
        return [self._answer(method, params) for method, params in requests]

    def is_connected(self, show_traceback: bool = False) -> bool:  # noqa: FBT001, FBT002  # web3.py's
        """Always: no connection is needed."""
        del show_traceback
        return True


# Middleware


def lean_middleware(node: Node) -> list[tuple[Any, Any]]:
    """web3.py's own middleware, each with one that does the same for a node in this process.

    Half of the time of a test went to what they leave out: validators that are made anew for each
    request and response, and the latest block, read and formatted twice for each transaction.
    """
    validators: dict[int | None, Any] = {}

    def validators_of(w3: Any, method: Any) -> Any:
        chain_id = node.config.effective_chain_id if method in METHODS_TO_VALIDATE else None
        if chain_id not in validators:
            validators[chain_id] = build_method_validators(w3, method)
        return validators[chain_id]

    async def unused(*_: object) -> Any:
        """The builder asks for an asynchronous function, too."""

    class GasEstimate(BufferedGasEstimateMiddleware):
        """Reads the block's gas limit from the node."""

        def request_processor(self, method: Any, params: Any) -> Any:
            if method != SEND or "gas" in params[0]:
                return method, params
            w3: Any = self._w3
            estimate = w3.eth.estimate_gas(dict(params[0]))
            limit = node.chain.head.gas_limit
            if estimate > limit:
                return super().request_processor(method, params)  # which raises
            return method, ({**params[0], "gas": hex(min(limit, estimate + GAS_BUFFER))},)

    validation = FormattingMiddlewareBuilder.build(
        sync_formatters_builder=validators_of, async_formatters_builder=unused
    )
    return [
        (ValidationMiddleware, validation),
        (GasPriceStrategyMiddleware, _GasPriceStrategy),
        (ENSNameToAddressMiddleware, _Names),
        (BufferedGasEstimateMiddleware, GasEstimate),
    ]


class _GasPriceStrategy(GasPriceStrategyMiddleware):
    """Reads the latest block only for a transaction that needs its base fee."""

    def request_processor(self, method: Any, params: Any) -> Any:
        if method != SEND:
            return method, params
        w3: Any = self._w3
        transaction = params[0]
        price = w3.eth.generate_gas_price(transaction)
        needs_base_fee = "maxPriorityFeePerGas" in transaction and "maxFeePerGas" not in transaction
        latest: Any = w3.eth.get_block("latest") if needs_base_fee else {}
        return method, (validate_transaction_params(transaction, latest, price),)


class _Names(ENSNameToAddressMiddleware):
    """Looks names up only where a parameter may be one."""

    def request_processor(self, method: Any, params: Any) -> Any:
        if _may_have_name(params):
            return super().request_processor(method, params)
        return method, params


def _may_have_name(value: object) -> bool:
    if isinstance(value, str):
        return value not in TAGS and not HEX.match(value)
    if isinstance(value, Mapping):
        value = list(value.values())
    return isinstance(value, list | tuple) and any(map(_may_have_name, value))


class AsyncNodeProvider(_NodeRequests, AsyncJSONBaseProvider):
    """A provider for `AsyncWeb3`."""

    async def make_request(self, method: Any, params: Any) -> Any:
        return self._answer(method, params)

    async def make_batch_request(self, requests: Sequence[tuple[Any, Any]]) -> Any:
        return [self._answer(method, params) for method, params in requests]

    async def is_connected(self, show_traceback: bool = False) -> bool:  # noqa: FBT001, FBT002  # web3.py's
        """Always: no connection is needed."""
        del show_traceback
        return True

    async def disconnect(self) -> None:
        """Nothing to do: no connection is open."""


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, bytes | bytearray):
        return "0x" + value.hex()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
