"""`python -m mcs` is the `mcs` command."""

from mcs.cli import main

if __name__ == "__main__":
    main()
