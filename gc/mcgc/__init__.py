"""The collector of rendered configs that no machine needs. In this version a command that collects nothing."""

__all__: list[str] = []
