"""`devchain watch`: a chain followed over JSON-RPC, shown live on a terminal or as lines.

`chain_follower` finds out what was mined and taken back, `watcher` reads what there is to show of
it, `feed` and `screen` lay that out for a terminal of any size, `program` runs there with keys
from `keyboard`, and `event_lines` writes the same where there is no terminal.
"""
