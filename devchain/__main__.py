"""`python -m devchain` and the console scripts `devchain` and `devchain-evm`."""

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
    main.run()


def run_evm() -> None:
    """Run `devchain-evm` with the arguments in `sys.argv`."""
    from devchain.cli import evm

    sys.exit(evm.main(sys.argv[1:]))


if __name__ == "__main__":
    run()
