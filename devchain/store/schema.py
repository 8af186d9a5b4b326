"""The tables of a chain on disk."""

from __future__ import annotations

APPLICATION_ID = 0x64657663
"""`devc`: says in the file's header whose it is."""
VERSION = 1

TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE blocks (number INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, body BLOB NOT NULL);
CREATE TABLE transactions (
    hash BLOB NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (hash, block)
) WITHOUT ROWID;
CREATE TABLE log_words (
    word BLOB NOT NULL, place INTEGER NOT NULL, block INTEGER NOT NULL,
    PRIMARY KEY (word, place, block)
) WITHOUT ROWID;
CREATE TABLE nodes (hash BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE edits (block INTEGER PRIMARY KEY, root BLOB NOT NULL);
CREATE TABLE pool (hash BLOB PRIMARY KEY, sender BLOB NOT NULL, raw BLOB NOT NULL);
CREATE TABLE snapshots (id INTEGER PRIMARY KEY, memory TEXT NOT NULL);
"""
"""`nodes` has code, and the nodes of every state's tries, by hash; `edits` the roots of states that
were edited after a block. `log_words` says which blocks have logs of an address (place 0), with a
word as their first to fourth topic (1 to 4), or any at all (the empty word). What `transactions`
and `log_words` say of a block is to be looked up in it: when it is taken back they stay."""
