"""Functions, events and errors of standards, by which calls are named where no artifact has them.

They are those of ERC-20, 165, 721, 1155, 1967, 2612, 4626 and 6093, of OpenZeppelin's `Ownable`,
`AccessControl` and `Initializable`, of Multicall3 and of wrapped coins such as WRBTC.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from devchain.contracts.abi import Entry, Param

DECLARATIONS = """
function transfer(address to, uint256 value)(bool)
function transferFrom(address from, address to, uint256 value)(bool)
function approve(address spender, uint256 value)(bool)
view allowance(address owner, address spender)(uint256)
view balanceOf(address account)(uint256)
view totalSupply()(uint256)
view name()(string)
view symbol()(string)
view decimals()(uint8)
view supportsInterface(bytes4 interfaceId)(bool)
view ownerOf(uint256 tokenId)(address)
view getApproved(uint256 tokenId)(address)
view isApprovedForAll(address owner, address operator)(bool)
function setApprovalForAll(address operator, bool approved)()
function safeTransferFrom(address from, address to, uint256 tokenId)()
function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)()
view tokenURI(uint256 tokenId)(string)
view balanceOf(address account, uint256 id)(uint256)
view balanceOfBatch(address[] accounts, uint256[] ids)(uint256[])
function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)()
function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)()
view uri(uint256 id)(string)
function mint(address to, uint256 value)()
function burn(uint256 value)()
function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)()
view nonces(address owner)(uint256)
view DOMAIN_SEPARATOR()(bytes32)
view asset()(address)
view totalAssets()(uint256)
function deposit(uint256 assets, address receiver)(uint256)
function mint(uint256 shares, address receiver)(uint256)
function withdraw(uint256 assets, address receiver, address owner)(uint256)
function redeem(uint256 shares, address receiver, address owner)(uint256)
view convertToShares(uint256 assets)(uint256)
view convertToAssets(uint256 shares)(uint256)
view owner()(address)
function transferOwnership(address newOwner)()
function renounceOwnership()()
view hasRole(bytes32 role, address account)(bool)
function grantRole(bytes32 role, address account)()
function revokeRole(bytes32 role, address account)()
function renounceRole(bytes32 role, address account)()
view getRoleAdmin(bytes32 role)(bytes32)
payable aggregate((address,bytes)[] calls)(uint256,bytes[])
payable aggregate3((address,bool,bytes)[] calls)((bool,bytes)[])
payable aggregate3Value((address,bool,uint256,bytes)[] calls)((bool,bytes)[])
payable tryAggregate(bool requireSuccess, (address,bytes)[] calls)((bool,bytes)[])
payable deposit()()
function withdraw(uint256 value)()
event Transfer(address indexed from, address indexed to, uint256 value)
event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)
event Approval(address indexed owner, address indexed spender, uint256 value)
event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)
event ApprovalForAll(address indexed owner, address indexed operator, bool approved)
event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)
event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)
event URI(string value, uint256 indexed id)
event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)
event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)
event Deposit(address indexed dst, uint256 wad)
event Withdrawal(address indexed src, uint256 wad)
event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)
event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)
event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)
event RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)
event Upgraded(address indexed implementation)
event AdminChanged(address previousAdmin, address newAdmin)
event Initialized(uint64 version)
error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
error ERC20InvalidSender(address sender)
error ERC20InvalidReceiver(address receiver)
error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
error ERC20InvalidApprover(address approver)
error ERC20InvalidSpender(address spender)
error ERC721InvalidOwner(address owner)
error ERC721NonexistentToken(uint256 tokenId)
error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)
error ERC721InvalidSender(address sender)
error ERC721InvalidReceiver(address receiver)
error ERC721InsufficientApproval(address operator, uint256 tokenId)
error ERC721InvalidApprover(address approver)
error ERC721InvalidOperator(address operator)
error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)
error ERC1155InvalidSender(address sender)
error ERC1155InvalidReceiver(address receiver)
error ERC1155MissingApprovalForAll(address operator, address owner)
error ERC1155InvalidApprover(address approver)
error ERC1155InvalidOperator(address operator)
error ERC1155InvalidArrayLength(uint256 idsLength, uint256 valuesLength)
error OwnableUnauthorizedAccount(address account)
error OwnableInvalidOwner(address owner)
error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)
error AccessControlBadConfirmation()
error ERC2612ExpiredSignature(uint256 deadline)
error ERC2612InvalidSigner(address signer, address owner)
error InvalidInitialization()
error NotInitializing()
error ReentrancyGuardReentrantCall()
error SafeERC20FailedOperation(address token)
"""  # noqa: E501  # a declaration a line

PARAMETER = re.compile(r"((?:\([^()]*\)|\w+)[\[\]]*)( indexed)?(?: (\w+))?(?:, ?|$)")


@cache
def standard_entries() -> Mapping[bytes, tuple[Entry, ...]]:
    """Entries by selector, events by topic; several that differ in what is indexed."""
    found: dict[bytes, tuple[Entry, ...]] = {}
    for kind, rest in (line.split(" ", 1) for line in DECLARATIONS.split("\n") if line):
        name, _, parameters = rest.partition("(")
        inputs, _, outputs = parameters.removesuffix(")").partition(")(")
        entry = Entry(kind, name, _parameters(inputs), _parameters(outputs))
        if kind in {"view", "payable"}:
            entry = replace(entry, kind="function", mutability=kind)
        key = entry.topic if kind == "event" else entry.selector
        found[key] = (*found.get(key, ()), entry)
    return found


def _parameters(text: str) -> tuple[Param, ...]:
    return tuple(
        replace(Param.from_text(kind), name=name, indexed=bool(indexed))
        for kind, indexed, name in PARAMETER.findall(text)
    )
