"""Programs on a terminal, with Textual: `devchain debug` and `devchain watch`.

The pytest plugin runs the debugger too (`--devchain-debug`).
"""
