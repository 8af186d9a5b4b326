"""Tracing: transactions replayed, and calls run, with a recorder attached.

`replay.py` applies the transactions of a mined block again, through `Chain.new_replay_builder`, and
runs calls. `recorder.py` instruments the computations of a state and builds call frames; tracers
(`tracers.py`) record more. `path_recorder.py` records the jumps of messages that fail, from which
`source.explain` finds where in the source and why. The JSON forms are in `rpc/trace_objects.py`.

Public entry: `replay.trace_transaction`, `trace_block`, `trace_call`, `search`.
"""
