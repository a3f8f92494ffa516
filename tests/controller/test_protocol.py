"""The protocol of rendering request by request. What its rules are good for together is the model checker's matter."""

import re
from dataclasses import replace
from typing import Any

import pytest

from mcs.boot.clock import Reading
from mcs.boot.protocol import Acked, Ask, Claim, GetMeta, NotAcked, Now, PutHold, Unreadable
from mcs.controller.protocol import (
    Create,
    Exists,
    Found,
    IsNamed,
    Look,
    Outcome,
    Point,
    Publication,
    Reason,
    Refused,
    Stale,
    TakeMarkOff,
    Written,
    publish,
    spec_digest,
    unmark,
)
from mcs.machineconfig.hash_input import UnhashableSpec
from mcs.machineconfig.render_error import Reason as WhyNot
from tests.boot.runs import LIMITS, META, N, at, claim, play
from tests.boot.runs import MARKED as MARKED_META

FOUND, MARKED = Found(META, "digest"), Found(MARKED_META, "digest")
OTHER_SPEC, NO_SPEC = Found(META, "another"), Found(META, None)
DELETING = Found(replace(META, deleting=True), "digest")
PUBLICATION = Publication(
    pool="worker", pool_uid="p1", pool_version=40, config=N, digest="digest", source=("00-worker", "99-ssh")
)
STANDING = replace(PUBLICATION, standing=True)
POINT = Point("worker", "p1", 40, N, ("00-worker", "99-ssh"))
UNMARK = TakeMarkOff(N, "u1", 7)


# ---- the ways to the end


def test_a_config_that_is_there_is_held_then_looked_at_then_pointed_at() -> None:
    asked, outcome = play(publish(PUBLICATION, None, LIMITS), at(3), Acked(), FOUND, at(4), Written())
    assert asked == [Now(), PutHold(N, at(3), 100), Look(N), Now(), POINT]
    assert outcome == Outcome(Reason.POINTED, claim=claim(3))
    assert outcome.published


@pytest.mark.parametrize(
    ("created", "says"),
    [pytest.param(Written(), True, id="created"), pytest.param(Exists(), False, id="somebody-was-quicker")],
)
def test_a_config_that_is_absent_is_created_and_looked_at_again(created: object, says: bool) -> None:
    asked, outcome = play(publish(PUBLICATION, None, LIMITS), at(3), Acked(), None, created, FOUND, at(4), Written())
    assert asked == [Now(), PutHold(N, at(3), 100), Look(N), Create(N), Look(N), Now(), POINT]
    assert outcome == Outcome(Reason.POINTED, claim=claim(3), created=says)


@pytest.mark.parametrize(
    "looks",
    [
        pytest.param((MARKED,), id="at-first-sight"),
        pytest.param((None, Exists(), MARKED), id="restored-and-marked-meanwhile"),
        pytest.param((None, Written(), MARKED), id="marked-as-soon-as-it-was-created"),
    ],
)
def test_a_mark_is_taken_off_as_it_was_seen_before_the_pool_is_pointed(looks: tuple[object, ...]) -> None:
    asked, outcome = play(publish(PUBLICATION, None, LIMITS), at(3), Acked(), *looks, Written(), at(4), Written())
    assert asked[-3:] == [UNMARK, Now(), POINT]
    assert (outcome.reason, outcome.unmarked) == (Reason.POINTED, True)


@pytest.mark.parametrize(
    ("looks", "asks"),
    [
        pytest.param((FOUND,), [Look(N)], id="as-it-was-left"),
        pytest.param((None, Written(), FOUND), [Look(N), Create(N), Look(N)], id="deleted-from-under-the-pool"),
        pytest.param((MARKED, Written()), [Look(N), UNMARK], id="marked"),
    ],
)
def test_a_pool_that_names_it_already_is_not_written(looks: tuple[object, ...], asks: list[Ask[Any]]) -> None:
    asked, outcome = play(publish(STANDING, None, LIMITS), at(3), Acked(), *looks, at(4))
    assert asked == [Now(), PutHold(N, at(3), 100), *asks, Now()]
    assert (outcome.reason, outcome.claim, outcome.published) == (Reason.STANDING, claim(3), True)


# ---- the hold


@pytest.mark.parametrize(
    ("held", "now", "writes"),
    [
        pytest.param(None, 5, True, id="none"),
        pytest.param(claim(0), 9.9, False, id="fresh"),
        pytest.param(claim(0), 10, True, id="renewal-due"),
        pytest.param(claim(0), 41, True, id="lapsed-for-sending"),
        pytest.param(claim(0, hold=65), 5, True, id="written-to-last-for-less"),
    ],
)
def test_hold_is_written_unless_a_fresh_one_covers(held: Claim | None, now: float, writes: bool) -> None:
    written = [Acked()] if writes else []
    asked, outcome = play(publish(STANDING, held, LIMITS), at(now), *written, FOUND, at(now))
    assert (PutHold(N, at(now), 100) in asked) is writes
    assert outcome.claim == (claim(now) if writes else held)


@pytest.mark.parametrize(
    ("checked", "why"),
    [
        pytest.param(at(42.9), Reason.POINTED, id="covers"),
        pytest.param(at(43), Reason.HOLD_LAPSED, id="ends-too-soon"),
        pytest.param(Reading(wall=1004, boot=43), Reason.HOLD_LAPSED, id="wall-clock-set-back"),
        pytest.param(Reading(wall=1043, boot=4), Reason.HOLD_LAPSED, id="boot-clock-behind"),
    ],
)
def test_pool_is_pointed_only_while_the_hold_outlasts_it_by_both_clocks(checked: Reading, why: Reason) -> None:
    written = [Written()] if why is Reason.POINTED else []
    asked, outcome = play(publish(PUBLICATION, None, LIMITS), at(3), Acked(), FOUND, checked, *written)
    assert outcome.reason is why
    assert (asked[-1] == POINT) is (why is Reason.POINTED)


def test_a_lost_hold_is_passed_on() -> None:
    _, outcome = play(publish(STANDING, claim(0), LIMITS), at(20), Acked(lost=True), FOUND, at(20))
    assert outcome.claim == claim(20, lost=True)


# ---- the ways to fail


@pytest.mark.parametrize(
    ("answers", "why", "detail"),
    [
        pytest.param((NotAcked("full"),), Reason.HOLD_NOT_ACKED, "full", id="hold-not-acked"),
        pytest.param((Acked(store_clock=1010.0),), Reason.CLOCK_OFF, "-7 s from the store's", id="clock-behind"),
        pytest.param((Acked(store_clock=990.0),), Reason.CLOCK_OFF, "+13 s from the store's", id="clock-ahead"),
        pytest.param((Acked(), Unreadable("gone")), Reason.STORE_UNREACHABLE, "gone", id="look-fails"),
        pytest.param((Acked(), OTHER_SPEC), Reason.NAME_TAKEN, f"{N} with another spec", id="another-spec"),
        pytest.param((Acked(), NO_SPEC), Reason.NAME_TAKEN, f"{N} with another spec", id="spec-that-has-no-name"),
        pytest.param((Acked(), DELETING), Reason.CONFIG_DELETING, "is being deleted", id="being-deleted"),
        pytest.param((Acked(), None, Refused("no")), Reason.CREATE_REFUSED, "no", id="creation-refused"),
        pytest.param((Acked(), None, NotAcked("lost")), Reason.WRITE_UNKNOWN, "lost", id="creation-unknown"),
        pytest.param((Acked(), None, Written(), None), Reason.CONFIG_MISSING, "deleted as soon", id="created-in-vain"),
        pytest.param((Acked(), None, Exists(), OTHER_SPEC), Reason.NAME_TAKEN, "another spec", id="taken-meanwhile"),
        pytest.param((Acked(), None, Written(), Unreadable("x")), Reason.STORE_UNREACHABLE, "x", id="unseen-creation"),
        pytest.param((Acked(), MARKED, Stale("v8")), Reason.CONFIG_CHANGED, "v8", id="mark-changed"),
        pytest.param((Acked(), MARKED, NotAcked("lost")), Reason.WRITE_UNKNOWN, "lost", id="unmark-unknown"),
        pytest.param((Acked(), FOUND, at(4), Stale("v41")), Reason.POOL_CHANGED, "v41", id="pool-changed"),
        pytest.param((Acked(), FOUND, at(4), NotAcked("lost")), Reason.WRITE_UNKNOWN, "lost", id="pointing-unknown"),
    ],
)
def test_attempt_ends(answers: tuple[object, ...], why: Reason, detail: str) -> None:
    asked, outcome = play(publish(PUBLICATION, None, LIMITS), at(3), *answers)
    assert outcome.reason is why
    assert detail in outcome.detail
    assert not outcome.published
    assert (POINT in asked) is (why is Reason.POOL_CHANGED or answers[-2:-1] == (at(4),))


@pytest.mark.parametrize(
    ("answers", "stands"),
    [
        pytest.param((NotAcked(),), claim(0), id="a-refused-renewal-leaves-the-older-claim"),
        pytest.param((Acked(store_clock=0.0),), None, id="clock-off"),
        pytest.param((Acked(), OTHER_SPEC), None, id="another-spec"),
        pytest.param((Acked(), FOUND, at(20), Stale()), claim(20), id="verified-but-the-pool-was-changed"),
        pytest.param((Acked(), FOUND, at(20), NotAcked()), claim(20), id="verified-but-the-write-is-unknown"),
        pytest.param((Acked(), FOUND, at(60)), None, id="lapsed"),
    ],
)
def test_claim_that_is_left_when_an_attempt_ends(answers: tuple[object, ...], stands: Claim | None) -> None:
    _, outcome = play(publish(PUBLICATION, claim(0), LIMITS), at(20), *answers)
    assert outcome.claim == stands


def test_only_what_nobody_else_changes_does_not_pass() -> None:
    lasting = {reason for reason in Reason if not reason.may_pass}
    done = {Reason.POINTED, Reason.STANDING, Reason.UNMARKED, Reason.NOT_MARKED, Reason.NOT_NAMED}
    assert lasting - done == {Reason.NAME_TAKEN, Reason.CREATE_REFUSED}


def test_codes_are_spelt_as_those_of_rendering_beside_which_they_stand() -> None:
    spelt = re.compile(r"[a-z]+(?:_[a-z0-9]+)*")
    assert [reason.code for reason in Reason if not spelt.fullmatch(reason.code)] == []
    assert [reason.value for reason in WhyNot if not spelt.fullmatch(reason.value)] == []
    assert Reason.NAME_TAKEN.code == WhyNot.NAME_TAKEN.value


def test_what_is_other_at_each_attempt_has_words_that_are_not() -> None:
    lasting = {reason for reason in Reason if reason.lasting is not None}
    assert lasting == {Reason.CONFIG_CHANGED, Reason.POOL_CHANGED, Reason.CLOCK_OFF}
    assert [reason for reason in lasting if not reason.may_pass] == []


# ---- unmarking


def test_pools_are_read_after_the_config_and_the_mark_goes_as_it_was_seen() -> None:
    asked, outcome = play(unmark(N), MARKED_META, True, Written())
    assert asked == [GetMeta(N), IsNamed(N), UNMARK]
    assert outcome == Outcome(Reason.UNMARKED, unmarked=True)


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        pytest.param((None,), Reason.CONFIG_MISSING, id="gone"),
        pytest.param((META,), Reason.NOT_MARKED, id="not-marked"),
        pytest.param((replace(MARKED_META, deleting=True),), Reason.CONFIG_DELETING, id="being-deleted"),
        pytest.param((Unreadable("x"),), Reason.STORE_UNREACHABLE, id="look-fails"),
        pytest.param((MARKED_META, False), Reason.NOT_NAMED, id="not-named"),
        pytest.param((MARKED_META, Unreadable("x")), Reason.STORE_UNREACHABLE, id="pools-unreadable"),
        pytest.param((MARKED_META, True, Stale("v8")), Reason.CONFIG_CHANGED, id="changed-meanwhile"),
        pytest.param((MARKED_META, True, NotAcked("x")), Reason.WRITE_UNKNOWN, id="unknown"),
    ],
)
def test_mark_stays(answers: tuple[object, ...], why: Reason) -> None:
    _, outcome = play(unmark(N), *answers)
    assert (outcome.reason, outcome.unmarked) == (why, False)


# ---- specs


@pytest.mark.parametrize(
    ("other", "same"),
    [
        pytest.param({"fips": False, "kernelArguments": ["a", "b"]}, True, id="order-of-members"),
        pytest.param({"kernelArguments": ["b", "a"], "fips": False}, False, id="order-of-items"),
        pytest.param({"kernelArguments": ["a", "b"], "fips": 0}, False, id="number-for-truth"),
        pytest.param({"kernelArguments": ["a", "b"], "fips": "false"}, False, id="text-for-truth"),
    ],
)
def test_digests_are_equal_for_the_same_spec_only(other: dict[str, Any], same: bool) -> None:
    assert (spec_digest({"kernelArguments": ["a", "b"], "fips": False}) == spec_digest(other)) is same


def test_spec_without_a_name_has_no_digest() -> None:
    with pytest.raises(UnhashableSpec):
        spec_digest({"kernelArguments": ["\x85"]})
