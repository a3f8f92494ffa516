"""Documents as JSON or YAML text for files, programs and terminals: the same values, and nothing a terminal obeys."""

import json
import re
from collections.abc import Callable

import yaml

from mcs.jsondata import JSON
from mcs.machineconfig.manifests import write_yaml

__all__ = ["json_text", "yaml_text"]

_UNUSUAL = re.compile(r"[^\n -~]")  # all that can be unprintable; the line ends are those of the layout


def json_text(document: JSON) -> str:
    r"""Write JSON, indented, with escapes for what is not printable, lone surrogates among it.

    >>> print(json_text("\x9b2J ü"), end="")
    "\u009b2J ü"
    """
    return _UNUSUAL.sub(_escaped, json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    if char.isprintable():
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def yaml_text(document: JSON) -> str:
    r"""Write YAML; if anything in it is not printable, with escapes for all that is not ASCII.

    >>> print(yaml_text({"a": "ü\u202e"}), end="")
    "a": "\xFC\u202E"
    """
    try:
        text = write_yaml(document)
    except UnicodeEncodeError:  # a lone surrogate, which libyaml cannot take at all
        return _ascii_yaml(document, _Escaping)
    if all(match[0].isprintable() for match in _UNUSUAL.finditer(text)):
        return text
    return _ascii_yaml(document, _FastEscaping)


def _ascii_yaml(document: JSON, dumper: type[yaml.SafeDumper]) -> str:
    text: str = yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=False, width=1_000_000)
    return text


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


def _no_alias(_dumper: yaml.SafeDumper, _data: object) -> bool:
    return True


class _Escaping(yaml.SafeDumper):
    """Quotes every text, and never uses an alias."""

    ignore_aliases: Callable[..., bool] = _no_alias


class _FastEscaping(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # libyaml's, if there is one
    """The same by libyaml."""

    ignore_aliases: Callable[..., bool] = _no_alias


for _dumper in (_Escaping, _FastEscaping):
    _dumper.add_representer(str, _quoted)
