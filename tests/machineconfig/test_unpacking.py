import base64
import copy
import gzip
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition import InvalidConfig, SpecVersion, dataurl
from mcs.jsondata import JSONObject
from mcs.machineconfig.appended import AppendedSet, compose
from mcs.machineconfig.unpacking import MAX_UNPACKED, unpacked


def packed(data: bytes, **more: Any) -> JSONObject:
    source = "data:;base64," + base64.b64encode(gzip.compress(data)).decode()
    return {"source": source, "compression": "gzip", **more}


def config(*files: JSONObject) -> JSONObject:
    return {"ignition": {"version": "3.0.0"}, "storage": {"files": [*files]}}


def first(document: JSONObject) -> Any:
    storage: Any = document["storage"]
    return storage["files"][0]


@given(st.binary(max_size=300))
def test_contents_come_out_as_they_went_in(data: bytes) -> None:
    before = config({"path": "/a", "contents": packed(data), "append": [packed(data), {"source": "data:,x"}]})
    kept = copy.deepcopy(before)
    after = first(unpacked(before))
    assert dataurl.decode(after["contents"]["source"]) == data
    assert "compression" not in after["contents"]
    assert dataurl.decode(after["append"][0]["source"]) == data
    assert after["append"][1] == {"source": "data:,x"}
    assert before == kept


def test_a_hash_stays_since_it_is_of_the_unpacked_bytes() -> None:
    verification = {"hash": "sha512-" + "0" * 128}
    after = first(unpacked(config({"path": "/a", "contents": packed(b"x", verification=verification)})))
    assert after["contents"] == {"source": "data:;base64,eA==", "verification": verification}


def test_several_members_of_gzip_data_are_one_content() -> None:
    both = base64.b64encode(gzip.compress(b"one") + gzip.compress(b"two")).decode()
    document = config({"path": "/a", "contents": {"source": f"data:;base64,{both}", "compression": "gzip"}})
    assert dataurl.decode(first(unpacked(document))["contents"]["source"]) == b"onetwo"


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param({"source": "data:,plain"}, id="not compressed"),
        pytest.param({"source": "data:,plain", "compression": ""}, id="expressly not compressed"),
        pytest.param(
            {"source": "http://192.0.2.1/a.gz", "compression": "gzip"}, id="fetched, which those clients unpack"
        ),
        pytest.param({"compression": "gzip"}, id="no source"),
        pytest.param(None, id="none"),
    ],
)
def test_everything_else_stays_the_same_object(contents: Any) -> None:
    document = config({"path": "/a", "contents": contents})
    assert unpacked(document) is document


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param("data:,plain", "not whole gzip data", id="no gzip data"),
        pytest.param("data:;base64,H4sIAAAAAAAA", "not whole gzip data", id="cut short"),
        pytest.param("data:x/y", "no media type", id="no data URL"),
        pytest.param("data:,", "not whole gzip data", id="empty"),
    ],
)
def test_what_cannot_be_unpacked_is_named(source: str, message: str) -> None:
    document = config({"path": "/a"}, {"path": "/b", "append": [{"source": source, "compression": "gzip"}]})
    with pytest.raises(InvalidConfig, match=message) as caught:
        unpacked(document)
    assert caught.value.path == "$.storage.files.1.append.0.source"


def test_a_bomb_is_refused() -> None:
    with pytest.raises(InvalidConfig, match=f"larger than {MAX_UNPACKED} bytes together"):
        unpacked(config({"path": "/a", "contents": packed(bytes(MAX_UNPACKED + 1))}))
    half = packed(bytes(MAX_UNPACKED // 2 + 1))
    with pytest.raises(InvalidConfig) as caught:
        unpacked(config({"path": "/a", "contents": half}, {"path": "/b", "contents": half}))
    assert caught.value.path == "$.storage.files.1.contents.source"


@pytest.mark.parametrize(("minor", "compressed"), [(0, False), (1, True), (6, True)])
def test_only_clients_of_spec_3_0_get_contents_unpacked(minor: int, compressed: bool) -> None:
    stored: JSONObject = {
        "metadata": {"name": "a"},
        "spec": {"config": {**config({"path": "/a", "contents": packed(b"x")}), "ignition": {"version": "3.2.0"}}},
    }
    served = compose(stored, SpecVersion(3, minor), AppendedSet(), "a" * 26)
    assert ("compression" in first(served)["contents"]) == compressed
