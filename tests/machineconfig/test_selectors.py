"""Label selectors: which labels they select, and which of them no API server would read."""

import pytest

from mcs.jsondata import JSON
from mcs.machineconfig.selectors import InvalidSelector, is_empty, matches, selecting

LABELS = {"role": "worker", "example.net/zone": "a", "bare": ""}


def needs(key: str, operator: str, *values: JSON) -> JSON:
    members: dict[str, JSON] = {"key": key, "operator": operator}
    return {"matchExpressions": [members | {"values": [*values]} if values else members]}


@pytest.mark.parametrize(
    ("selector", "selects"),
    [
        pytest.param(None, False, id="none"),
        pytest.param({}, True, id="empty"),
        pytest.param({"matchLabels": {}, "matchExpressions": []}, True, id="empty-lists"),
        pytest.param({"matchLabels": {"role": "worker"}}, True, id="equal"),
        pytest.param({"matchLabels": {"role": "infra"}}, False, id="another-value"),
        pytest.param({"matchLabels": {"rack": ""}}, False, id="absent-is-not-empty"),
        pytest.param({"matchLabels": {"bare": ""}}, True, id="empty-value"),
        pytest.param({"matchLabels": {"role": "worker", "rack": "1"}}, False, id="all-labels-have-to-match"),
        pytest.param(needs("role", "In", "infra", "worker"), True, id="in"),
        pytest.param(needs("rack", "In", "1"), False, id="in-absent"),
        pytest.param(needs("role", "NotIn", "infra"), True, id="not-in"),
        pytest.param(needs("role", "NotIn", "worker"), False, id="not-in-present"),
        pytest.param(needs("rack", "NotIn", "1"), True, id="not-in-absent"),
        pytest.param(needs("example.net/zone", "Exists"), True, id="exists"),
        pytest.param(needs("rack", "Exists"), False, id="exists-not"),
        pytest.param(needs("rack", "DoesNotExist"), True, id="does-not-exist"),
        pytest.param(needs("bare", "DoesNotExist"), False, id="empty-exists"),
        pytest.param(
            {"matchLabels": {"role": "worker"}, "matchExpressions": [{"key": "bare", "operator": "DoesNotExist"}]},
            False,
            id="both-have-to-match",
        ),
    ],
)
def test_what_is_selected(selector: JSON, selects: bool) -> None:
    assert matches(selector, LABELS) is selects


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        pytest.param([], "a selector is an object", id="list"),
        pytest.param("role=worker", "a selector is an object", id="text"),
        pytest.param(needs("role", "Like", "a"), "'Like' is no operator", id="operator"),
        pytest.param(needs("role", "in", "a"), "'in' is no operator", id="case-of-an-operator"),
        pytest.param(needs("role", "In"), "In takes at least one value", id="in-nothing"),
        pytest.param(needs("role", "Exists", "a"), "Exists takes no values", id="exists-with-values"),
        pytest.param(needs("", "Exists"), "'' is no label name", id="no-key"),
        pytest.param(needs("a b", "Exists"), "'a b' is no label name", id="blank-in-a-key"),
        pytest.param(needs("/a", "Exists"), "'/a' is no label name", id="empty-prefix"),
        pytest.param(needs("A.net/a", "Exists"), "'A.net/a' is no label name", id="capital-in-a-prefix"),
        pytest.param(needs("a" * 64, "Exists"), "is no label name", id="long-name"),
        pytest.param(needs("a" * 254 + "/a", "Exists"), "is no label name", id="long-prefix"),
        pytest.param(needs("role", "In", "a b"), "a value is no label value", id="value"),
        pytest.param(needs("role", "In", 1), "a value is no label value", id="number"),
        pytest.param({"matchLabels": {"role": "-a"}}, "a value is no label value", id="label"),
        pytest.param({"matchExpressions": [None]}, "None is no label name", id="no-requirement"),
    ],
)
@pytest.mark.parametrize("labels", [pytest.param(LABELS, id="labels"), pytest.param({}, id="no-labels")])
def test_what_cannot_be_read_is_refused_whatever_the_labels_are(
    selector: JSON, said: str, labels: dict[str, str]
) -> None:
    with pytest.raises(InvalidSelector, match=said):
        matches(selector, labels)


def test_a_wrong_requirement_is_told_even_behind_one_that_fails_and_with_nothing_to_select_from() -> None:
    selector: JSON = {"matchLabels": {"role": "infra"}, "matchExpressions": [{"key": "a", "operator": "Like"}]}

    with pytest.raises(InvalidSelector):
        selecting(selector)


def test_a_selector_that_was_read_once_serves_for_many() -> None:
    selects = selecting(needs("role", "In", "infra", "worker"))

    assert [selects(labels) for labels in (LABELS, {"role": "infra"}, {"role": "edge"}, {})] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("selector", "empty"),
    [
        pytest.param(None, True, id="none"),
        pytest.param({}, True, id="empty"),
        pytest.param({"matchLabels": {}, "matchExpressions": []}, True, id="empty-lists"),
        pytest.param({"matchLabels": None}, True, id="null"),
        pytest.param({"matchLabels": {"role": "worker"}}, False, id="labels"),
        pytest.param(needs("role", "Exists"), False, id="expressions"),
    ],
)
def test_which_selectors_require_nothing(selector: JSON, empty: bool) -> None:
    assert is_empty(selector) is empty
