"""MachineConfigs, pools and nodes: what they are, what they name, and which config a pool serves. Pure."""
