"""The server: drives the boot protocol against a real store and answers machines. Opens nothing before the fork."""
