"""Transactions in the making: gaps filled with what a node would choose, then signed."""

from __future__ import annotations

from dataclasses import replace

from devchain.chain.chain import Chain
from devchain.chain.signing import fill_fees, sign, transaction_type
from devchain.chain.transaction import Transaction, decode, with_sender
from devchain.config import Config
from devchain.errors import InvalidInput
from devchain.node.accounts import Accounts, stand_in
from devchain.node.mempool import Mempool
from devchain.types import Address, TransactionRequest

DEFAULT_SEND_GAS = 90_000


class Signer:
    """Makes transactions of requests, with the keys that accounts here have."""

    def __init__(self, config: Config, chain: Chain, mempool: Mempool, accounts: Accounts) -> None:
        """Sign for that chain, with the next nonces that the mempool tells."""
        self._config = config
        self._chain = chain
        self._mempool = mempool
        self._accounts = accounts

    def transaction(self, given: TransactionRequest | bytes) -> Transaction:
        """The transaction that signed bytes are, or that an account here signs.

        An impersonated account has no key: a key that nobody holds stands in for it.
        """
        if isinstance(given, bytes):
            return decode(given, self._config.effective_chain_id, self._chain.rules)
        sender = sender_of(given)
        if self._accounts.impersonates(sender):
            return self.sign_for(given, sender)
        return self.sign(given, self._accounts.key(sender))

    def sign(
        self, request: TransactionRequest, private_key: bytes, sender: Address | None = None
    ) -> Transaction:
        """The signed transaction a request becomes, its gaps filled with the defaults.

        With `sender` it is that account's, whoever the key belongs to.
        """
        chain_id = self._config.effective_chain_id
        if request.chain_id not in (None, chain_id):
            msg = f"Invalid chainId: {request.chain_id}, this chain is {chain_id}"
            raise InvalidInput(msg)
        tx = sign(self._fill_in(request), private_key, chain_id, self._chain.rules)
        return tx if sender is None else with_sender(tx, sender)

    def sign_for(self, request: TransactionRequest, sender: Address) -> Transaction:
        """The transaction a request becomes as that account's, signed with no key of its own."""
        return self.sign(request, stand_in(sender), sender)

    def _fill_in(self, request: TransactionRequest) -> TransactionRequest:
        """The request with the defaults of the spec: 90000 gas, lowest gas price, next nonce."""
        sender, nonce = sender_of(request), request.nonce
        filled = replace(
            request,
            gas=DEFAULT_SEND_GAS if request.gas is None else request.gas,
            value=request.value or 0,
            nonce=self._mempool.pending_nonce(sender) if nonce is None else nonce,
            type=transaction_type(request, self._chain.rules),
        )
        rules = self._chain.rules
        return fill_fees(filled, self._chain.lowest_gas_price(), rules.default_priority_fee)

    def gas_price(self) -> int:
        """A gas price that will be accepted, in wei.

        On Rootstock the minimum gas price and a tenth, rounded up; on Ethereum the next block's
        base fee and a gwei for the miner.
        """
        return self._chain.rules.suggested_gas_price(self._chain.lowest_gas_price())


def sender_of(request: TransactionRequest) -> Address:
    """Whose transaction it is to be; raises `InvalidInput` if the request does not say."""
    if request.sender is None:
        msg = "from is missing: name the account that sends"
        raise InvalidInput(msg)
    return request.sender
