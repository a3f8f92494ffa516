from mcs.machineconfig.nodes import node_view


def test_what_is_read_of_a_node() -> None:
    node = node_view(
        {
            "metadata": {
                "name": "node-1",
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "labels": {"mcs.internal/boot": "a" * 26},
                "annotations": {
                    "mcs.internal/boot": "b" * 26,
                    "machineconfiguration.openshift.io/currentConfig": "one",
                    "machineconfiguration.openshift.io/desiredConfig": "two",
                },
            },
            "status": {"addresses": [{"type": "InternalIP", "address": "192.0.2.1"}, {"type": "Hostname"}, "odd"]},
        }
    )
    assert node.name == "node-1"
    assert node.boot_ids == {"a" * 26, "b" * 26}
    assert (node.current_config, node.desired_config, node.first_config) == ("one", "two", None)
    assert node.addresses == {"192.0.2.1"}
    assert node.created == 1767225600.0


def test_a_time_that_cannot_be_read_is_unknown() -> None:
    for stamp in ("yesterday", "", "2026-01-01T00:00:00", None, 7):
        assert node_view({"metadata": {"creationTimestamp": stamp}}).created is None
