"""Where objects and records are kept: one interface, several implementations. Nothing above knows which."""
