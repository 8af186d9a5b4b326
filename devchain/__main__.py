"""`python -m devchain` and the console script `devchain`."""

from __future__ import annotations

import gc
import signal
import sys


def run() -> None:
    """Run the command in `sys.argv`; Ctrl-C while it is loading ends it without a traceback."""
    previous = signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()  # importing leaves no garbage, and the collector takes a tenth of its time
    from devchain.cli import main

    gc.enable()
    signal.signal(signal.SIGINT, previous)
    sys.exit(main.main(sys.argv[1:]))


if __name__ == "__main__":
    run()
