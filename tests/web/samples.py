"""Reads Prometheus' text format with the library's own parser, so that what is not valid fails."""

from prometheus_client.parser import text_string_to_metric_families

__all__ = ["samples"]


def samples(text: bytes) -> dict[str, float]:
    """Return the values by name and labels, such as `mcs_build_info{version="1"}`; without times of creation."""
    found = {}
    for family in text_string_to_metric_families(text.decode()):
        for sample in family.samples:
            labels = ",".join(f'{name}="{label}"' for name, label in sorted(sample.labels.items()))
            if not sample.name.endswith("_created"):
                found[sample.name + (f"{{{labels}}}" if labels else "")] = sample.value
    return found
