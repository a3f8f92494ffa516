"""The machine config server: serves rendered Ignition configs and records what it handed out."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("mcs")
