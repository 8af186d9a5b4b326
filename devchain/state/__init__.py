"""Accounts and tries: what a state root commits to, under either engine.

A `Database` opens the accounts under a root. The fast engine's is made of persistent tries (`trie`,
`trie_database`) and an account database over them (`account_database`), the reference engine's is
py-evm's. `state_view` reads a state, proves parts of it and sets fields of accounts, `rlp`
encodes. Blocks belong to `chain`, execution to `evm`.
"""
