"""The boot protocol: how a server hands out a config so that nobody collects it while the machine boots. Pure."""
