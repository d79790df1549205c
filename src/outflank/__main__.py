"""`python -m outflank` is the command `outflank`."""

import sys

from outflank.interfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
