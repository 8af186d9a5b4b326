"""Run Ethereum's tests on both engines: `python -m tests.vectors [OPTIONS] PATH...`."""

import sys

from tests.vectors.runner import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
