"""`python -m devchain` and the console script `devchain`."""

from __future__ import annotations

import gc
import signal


def run() -> None:
    """Run the command in `sys.argv`; Ctrl-C while it is loading ends it without a traceback."""
    python = signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()  # modules are no garbage: looking for some takes a tenth of loading them
    from devchain.cli import main

    gc.enable()
    signal.signal(signal.SIGINT, python)
    main.run()


if __name__ == "__main__":
    run()
