"""Tracing: transactions replayed, and calls run, with a recorder attached (`replay.py`).

`recorder.py` instruments the computations of a state and builds call frames and the paths of those
that fail (`paths.py`); `tracers.py` records more. The JSON forms are in `rpc/trace_objects.py`.
"""
