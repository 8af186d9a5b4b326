"""Tracing: transactions replayed, and calls run, with a recorder attached (`replay.py`).

`recorder.py` instruments the computations of a state and builds call frames; `tracers.py` and
`path_recorder.py` record more. The JSON forms are in `rpc/trace_objects.py`.
"""
