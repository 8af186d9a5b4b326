"""Powpeg parameters of each network: federation, first Bitcoin block, amounts, authorizers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey

from devchain.evm.rootstock.precompiles.bitcoin import double_sha256
from devchain.networks import DEFAULT_FEDERATORS, MOST_FEDERATORS
from devchain.types import ZERO_ADDRESS, Address

MAIN_KEY_VERSION, MAIN_SCRIPT_VERSION = 0, 5
TEST_KEY_VERSION, TEST_SCRIPT_VERSION = 111, 196

BITCOIN = 10**8  # satoshis in a bitcoin
CREATION_BLOCK = 1  # number of the Rootstock block that created the genesis federation


def _accounts(*addresses: str) -> frozenset[Address]:
    return frozenset(Address(bytes.fromhex(address)) for address in addresses)


@dataclass(frozen=True, slots=True)
class Authorizers:
    """The accounts that may change a network's peg.

    A majority of the voters on the federation and on the fee has to agree; one of the others
    decides. An account of the union bridge is its contract's, or the address that may set it.
    """

    federation: frozenset[Address]
    fee_per_kilobyte: frozenset[Address]
    locking_cap: frozenset[Address]
    whitelist: frozenset[Address]
    union_address: frozenset[Address]
    union_locking_cap: frozenset[Address]
    union_permissions: frozenset[Address]


@dataclass(frozen=True)
class Powpeg:
    """The genesis federation of a network, the rules and the initial values of its bridge.

    `created` is in milliseconds, amounts are in satoshis. `block` is the header of the first
    Bitcoin block that the bridge has, its height is `height`; `easiest_target` is the largest hash
    that the network accepts as a proof of work. A peg-in needs `confirmations`. A peg-out has to be
    as large as `minimum_pegout`, and exceed its fee by `pegout_margin` percent of the fee. Its
    transaction is built at least `pegout_interval` blocks after the last one, and is ready to be
    signed after `pegout_confirmations` blocks.

    A new federation becomes active at one of the `activation_ages` in blocks, by the upgrade from
    which on it holds. The funds of the one before migrate between the two `migration_ages` after
    that, up to `most_migrated` outputs at once. Since Lovell it has `validation_blocks` to show
    that it can sign. The emergency keys can spend an output with `emergency_delay` confirmations.

    `work` is that of the chain up to `block`. Heights from `indexed_from` on are searched, and
    before the chain is that long the newest `searched_depth`. From `first_known_by_hash` on the
    federation's own transactions are known by their hash: Arrowhead, and time for earlier ones.
    """

    federators: tuple[str, ...]
    created: int
    fee_per_kilobyte: int
    locking_cap: int
    height: int
    block: bytes
    work: int
    indexed_from: int
    first_known_by_hash: int
    confirmations_needed: int
    minimum_pegout: int
    pegout_confirmations: int
    authorizers: Authorizers
    activation_ages: tuple[tuple[str, int], ...]
    migration_ages: tuple[int, int]
    validation_blocks: int
    emergency_keys: tuple[str, ...]
    # As on mainnet and testnet.
    searched_depth: int = 4_320
    easiest_target: int = 0xFFFF << 208
    pegout_margin: int = 80
    pegout_interval: int = 360
    most_migrated: int = 50
    emergency_delay: int = 52_560
    # As on testnet and regtest.
    key_version: int = TEST_KEY_VERSION
    script_version: int = TEST_SCRIPT_VERSION
    is_main: bool = False

    @property
    def is_regtest(self) -> bool:
        """Whether the target of Bitcoin blocks never changes."""
        return self.easiest_target >> 208 > 0xFFFF

    @property
    def is_test(self) -> bool:
        return not self.is_main and not self.is_regtest

    @property
    def keys(self) -> list[bytes]:
        return sorted(bytes.fromhex(key) for key in self.federators)

    @property
    def block_hash(self) -> bytes:
        """Hash of the Bitcoin block, in the byte order that Bitcoin displays."""
        return double_sha256(self.block)[::-1]

    def accepts_version(self, version: int) -> bool:
        return version in {self.key_version, self.script_version}


@cache
def powpeg_of(chain_id: int, federators: int = DEFAULT_FEDERATORS) -> Powpeg:
    """The powpeg of that network: mainnet (30), testnet (31); regtest's for any other chain id.

    Regtest's has that many federators.
    """
    if chain_id in _POWPEGS or federators == DEFAULT_FEDERATORS:
        return _POWPEGS.get(chain_id, _REGTEST)
    private = map(PrivateKey, federator_keys(federators))
    keys = (key.public_key.to_compressed_bytes().hex() for key in private)
    return replace(_REGTEST, federators=tuple(keys))


@cache
def free_senders(chain_id: int) -> frozenset[Address]:
    """Accounts whose transactions to the Bridge cost no gas, on chains with regtest's powpeg.

    They are the genesis federators and those who vote on the federation, fee and whitelist.
    """
    peg = powpeg_of(chain_id, MOST_FEDERATORS)
    if not peg.is_regtest:
        return frozenset()
    keys = (PrivateKey(key).public_key for key in federator_keys(MOST_FEDERATORS))
    federators = (Address(key.to_canonical_address()) for key in keys)
    voters = peg.authorizers
    return voters.federation | voters.fee_per_kilobyte | voters.whitelist | frozenset(federators)


def federator_keys(count: int = DEFAULT_FEDERATORS) -> tuple[bytes, ...]:
    """The private keys of regtest's genesis federation, of 32 bytes, for development only.

    They are the keccak-256 of `federator1`, `federator2` and so on, as in the real node's regtest.
    """
    return tuple(keccak(f"federator{number}".encode()) for number in range(1, count + 1))


_NOBODY_YET = frozenset({ZERO_ADDRESS})  # mainnet's union bridge: not named by the real node

_MAIN_CAP = _accounts(
    "a02db0ed94a5894bc6f9079bb9a2d93ada1917f3",
    "180a7edda4e640ea5a3e495e17a1efad260c39e9",
    "8418edc8fea47183116b4c8cd6a12e51a7e169c1",
)
_TEST_CAP = _accounts(
    "4502d34c8e889b2be7e1bfe1a645df8fa3f9204b",
    "f7d8befef29878e5c35fee23e6889ed88afb56b8",
    "9e472a8b3f3c95736b0b255db2b7ba38c687c751",
)

# The private keys of regtest's voters are the keccak-256 of `auth-a` to `auth-e` for the
# federation, `auth-fee-per-kb` for the fee, `auth-lock-whitelist` for the whitelist and
# `changeUnionBridgeContractAddressAuthorizer` for the union bridge's address.
_REGTEST = Powpeg(
    federators=(
        "0362634ab57dae9cb373a5d536e66a8c4f67468bbcfb063809bab643072d78a124",
        "03c5946b3fbae03a654237da863c9ed534e0878657175b132b8ca630f245df04db",
        "02cd53fc53a07f211641a677d250f6de99caf620e8e77071e811a28b3bcddf0be1",
    ),
    created=1_451_606_400_000,
    fee_per_kilobyte=100_000,
    locking_cap=1000 * BITCOIN,
    height=0,
    block=bytes.fromhex(
        "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b2"
        "7ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000"
    ),
    work=2,
    indexed_from=10,
    first_known_by_hash=250 + 100,
    searched_depth=5,
    easiest_target=0x7FFFFF << 232,
    confirmations_needed=3,
    minimum_pegout=250_000,
    pegout_margin=20,
    pegout_confirmations=3,
    pegout_interval=50,
    authorizers=Authorizers(
        federation=_accounts(
            "5252403bca6ac3c104abdd320a736fa38282045d",
            "0d8c44bd578a4e7148d1758b3332b529e93e48c1",
            "566bca18df14ed75efcc1a8a4f3947e81132dbbc",
            "2e7c9159614ddc0185e335d3343e92700c3e5a2d",
            "f0652637df184eca87e6bde29893825721dfb79f",
        ),
        fee_per_kilobyte=_accounts("53f8f6dabd612b6137215ddd7758bb5cdd638922"),
        locking_cap=_accounts("6913bd4715eff3b25501f3212f15df38296d1f21"),
        whitelist=_accounts("87d2a0f33744929da08b65fd62b627ea52b25f8e"),
        union_address=_accounts("6c9dfd950bf748bb26f893f7e5f693c7f60a8f85"),
        union_locking_cap=_accounts("ff6f4ff09c54561e1476203e56fcfc834911aa64"),
        union_permissions=_accounts("ff6f4ff09c54561e1476203e56fcfc834911aa64"),
    ),
    activation_ages=(("orchid", 10), ("fingerroot", 150)),
    migration_ages=(15, 150),
    most_migrated=10,
    validation_blocks=125,
    emergency_keys=(
        "03b9fc46657cf72a1afa007ecf431de1cd27ff5cc8829fa625b66ca47b967e6b24",
        "029cecea902067992d52c38b28bf0bb2345bda9b21eca76b16a17c477a64e43301",
        "03284178e5fbcc63c54c3b38e3ef88adf2da6c526313650041b0ef955763634ebd",
        "03ab0e2cd7ed158687fc13b88019990860cdb72b1f5777b58513312550ea1584bc",
    ),
    emergency_delay=500,
)

_POWPEGS = {
    30: Powpeg(
        key_version=MAIN_KEY_VERSION,
        script_version=MAIN_SCRIPT_VERSION,
        federators=(
            "03b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2",
            "027319afb15481dbeb3c426bcc37f9a30e7f51ceff586936d85548d9395bcc2344",
            "0355a2e9bf100c00fc0a214afd1bf272647c7824eb9cb055480962f0c382596a70",
            "02566d5ded7c7db1aa7ee4ef6f76989fb42527fcfdcddcd447d6793b7d869e46f7",
            "0294c817150f78607566e961b3c71df53a22022a80acbb982f83c0c8baac040adc",
            "0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6",
            "0340df69f28d69eef60845da7d81ff60a9060d4da35c767f017b0dd4e20448fb44",
            "02ac1901b6fba2c1dbd47d894d2bd76c8ba1d296d65f6ab47f1c6b22afb53e73eb",
            "031aabbeb9b27258f98c2bf21f36677ae7bae09eb2d8c958ef41a20a6e88626d26",
            "0245ef34f5ee218005c9c21227133e8568a4f3f11aeab919c66ff7b816ae1ffeea",
            "02550cc87fa9061162b1dd395a16662529c9d8094c0feca17905a3244713d65fe8",
            "02481f02b7140acbf3fcdd9f72cf9a7d9484d8125e6df7c9451cfa55ba3b077265",
            "03f909ae15558c70cc751aff9b1f495199c325b13a9e5b934fd6299cd30ec50be8",
            "02c6018fcbd3e89f3cf9c7f48b3232ea3638eb8bf217e59ee290f5f0cfb2fb9259",
            "03b65694ccccda83cbb1e56b31308acd08e993114c33f66a456b627c2c1c68bed6",
        ),
        created=1_514_948_400,
        fee_per_kilobyte=500_000,
        locking_cap=300 * BITCOIN,
        height=499_968,
        block=bytes.fromhex(
            "00000020e37c80a7a8b850e3e89add09090b6b89b874496513ef89000000000000000000285ddc7985e7c34e"
            "b205d2c3129727f7bc10873e11e054b48d1a92786a42d7d2c8c8375a459600189b3aa792"
        ),
        work=0xCD6EAE36C0CEE5640896D3,
        indexed_from=696_022,
        first_known_by_hash=837_589 + 4_320,
        confirmations_needed=100,
        minimum_pegout=400_000,
        pegout_confirmations=4_000,
        authorizers=Authorizers(
            federation=_accounts(
                "56bc5087ac97bc85a877bd20dfef910b78b1dc5a",
                "6fe1cd06a80fa52eb34d7e4d1845881c2b5de89a",
                "d41f4d4c7fc8d5fa9468d0c466c9a726397f91b6",
            ),
            fee_per_kilobyte=_MAIN_CAP,
            locking_cap=_MAIN_CAP,
            whitelist=_accounts("6ba9d41b07da470fe340cbd439a42538795eb75b"),
            union_address=_NOBODY_YET,
            union_locking_cap=_NOBODY_YET,
            union_permissions=_NOBODY_YET,
        ),
        activation_ages=(("orchid", 18_500), ("fingerroot", 40_320)),
        migration_ages=(0, 10_585),
        validation_blocks=20_000,
        emergency_keys=(
            "0257c293086c4d4fe8943deda5f890a37d11bebd140e220faa76258a41d077b4d4",
            "03c2660a46aa73078ee6016dee953488566426cf55fc8011edd0085634d75395f9",
            "03cd3e383ec6e12719a6c69515e5559bcbe037d0aa24c187e1e26ce932e22ad7b3",
            "02370a9838e4d15708ad14a104ee5606b36caaaaf739d833e67770ce9fd9b3ec80",
        ),
        is_main=True,
    ),
    31: Powpeg(
        federators=(
            "039a060badbeb24bee49eb2063f616c0f0f0765d4ca646b20a88ce828f259fcdb9",
            "02afc230c2d355b1a577682b07bc2646041b5d0177af0f98395a46018da699b6da",
            "0344a3c38cd59afcba3edcebe143e025574594b001700dec41e59409bdbd0f2a09",
            "034844a99cd7028aa319476674cc381df006628be71bc5593b8b5fdb32bb42ef85",
        ),
        created=1_538_967_600,
        fee_per_kilobyte=100_000,
        locking_cap=200 * BITCOIN,
        height=1_413_216,
        block=bytes.fromhex(
            "00000020c4891929bff550199ebac0f3c8691f19d84633de53da8af346000000000000000c109cfe5b24faa1"
            "e0174b788c7e3e8f2fb340bcee07a544914b167ad4c27b82b9a9995bf05f4c1908698a4b"
        ),
        work=0xC1A1942223F6072A8D,
        indexed_from=2_039_594,
        first_known_by_hash=2_589_553 + 1_440,
        confirmations_needed=10,
        minimum_pegout=250_000,
        pegout_confirmations=10,
        authorizers=Authorizers(
            federation=_accounts(
                "5990aaedfccc88e2f7321a5b8d8db1f6e64abf03",
                "112140a53537b49788456daffda2e20efd1865cd",
                "5526529f386c4c77044f1c29bb965b37a7767c3d",
            ),
            fee_per_kilobyte=_TEST_CAP,
            locking_cap=_TEST_CAP,
            whitelist=_accounts("54fdb399cf235c9b0d464ab4055af9251883bbfe"),
            union_address=_accounts("54fdb399cf235c9b0d464ab4055af9251883bbfe"),
            union_locking_cap=_accounts("1a8109af0f019ed3045fbcdf45e5e90d6b6aafaf"),
            union_permissions=_accounts("8db1f83e8119e4dce5bc708ec2f4390ffd910b19"),
        ),
        activation_ages=(("orchid", 60), ("fingerroot", 120), ("lovell", 2_400)),
        migration_ages=(60, 900),
        validation_blocks=2_000,
        emergency_keys=(
            "0216c23b2ea8e4f11c3f9e22711addb1d16a93964796913830856b568cc3ea21d3",
            "034db69f2112f4fb1bb6141bf6e2bd6631f0484d0bd95b16767902c9fe219d4a6f",
            "0275562901dd8faae20de0a4166362a4f82188db77dbed4ca887422ea1ec185f14",
        ),
    ),
}
