"""The boot protocol request by request. What the rules are good for together is the model checker's matter."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.boot.protocol import (
    Acked,
    Acquisition,
    Build,
    Built,
    Claim,
    GetMeta,
    Grant,
    NotAcked,
    Now,
    Obtain,
    PutHold,
    Resolve,
    Resolved,
    Unreadable,
    acquire,
    answer,
    covers,
    obtain,
    renewal_due,
)
from mcs.boot.reasons import Reason, Refusal
from tests.boot.runs import LIMITS, MARKED, META, N, at, claim, play


def reason(outcome: object) -> Reason | None:
    assert isinstance(outcome, Acquisition)
    return outcome.refusal.reason if outcome.refusal is not None else None


def test_the_hold_is_written_before_the_config_is_looked_at() -> None:
    asked, outcome = play(acquire(N, None, LIMITS), at(3), Acked(), META)
    assert asked == [Now(), PutHold(N, at(3), 100), GetMeta(N)]
    assert outcome == Acquisition(Claim(N, "u1", 3, at(3), 100), None)


@pytest.mark.parametrize(
    ("held", "written", "look", "why", "stands"),
    [
        pytest.param(None, NotAcked("full"), None, Reason.HOLD_NOT_ACKED, False, id="not acked"),
        pytest.param(claim(), NotAcked("full"), None, Reason.HOLD_NOT_ACKED, True, id="renewal not acked"),
        pytest.param(None, Acked(), Unreadable("gone"), Reason.STORE_UNREACHABLE, False, id="look failed"),
        pytest.param(claim(), Acked(), Unreadable("gone"), Reason.STORE_UNREACHABLE, True, id="look at renewal failed"),
        pytest.param(claim(), Acked(), "missing", Reason.CONFIG_MISSING, False, id="it does not exist"),
        pytest.param(claim(), Acked(), MARKED, Reason.CONFIG_MARKED, False, id="it is marked, be the mark empty"),
        pytest.param(
            claim(), Acked(), replace(META, deleting=True), Reason.CONFIG_DELETING, False, id="it is being deleted"
        ),
        pytest.param(None, Acked(store_clock=1009.1), None, Reason.CLOCK_OFF, False, id="the store's clock is ahead"),
        pytest.param(None, Acked(store_clock=997.9), None, Reason.CLOCK_OFF, False, id="the store's clock is behind"),
    ],
)
def test_what_stands_after_a_failed_attempt(
    held: Claim | None, written: object, look: object, why: Reason, stands: bool
) -> None:
    answers = [at(3), written] if look is None else [at(3), written, None if look == "missing" else look]
    _, outcome = play(acquire(N, held, LIMITS), *answers)
    assert reason(outcome) is why
    assert isinstance(outcome, Acquisition)
    assert outcome.claim == (held if stands else None)


def test_a_renewal_passes_on_that_a_hold_was_lost() -> None:
    asked, outcome = play(acquire(N, claim(0), LIMITS), at(20), Acked(lost=True), META)
    assert asked[1] == PutHold(N, at(20), 100)
    assert outcome == Acquisition(claim(20, lost=True), None)


def test_a_renewal_learns_of_an_object_that_was_replaced() -> None:
    _, outcome = play(acquire(N, claim(0), LIMITS), at(20), Acked(), replace(META, uid="u2", generation=1))
    assert outcome == Acquisition(claim(20, uid="u2", generation=1), None)


def test_a_claim_that_covers_is_used_without_asking_the_store() -> None:
    asked, outcome = play(obtain(N, claim(0), LIMITS), at(39))
    assert asked == [Now()]
    assert outcome == Acquisition(claim(0), None)


def test_a_claim_that_no_longer_covers_is_verified_anew() -> None:
    asked, outcome = play(obtain(N, claim(0), LIMITS), at(40), at(41), Acked(), META)
    assert asked[-1] == GetMeta(N)
    assert outcome == Acquisition(claim(41), None)


@given(st.floats(0, 200), st.floats(0, 100))
def test_the_last_byte_leaves_a_boot_bound_before_the_hold_ends(since: float, spent: float) -> None:
    if covers(claim(since), at(since + spent), LIMITS):
        assert since + spent + LIMITS.body + LIMITS.boot <= since + LIMITS.hold + 1e-6
    elif spent < LIMITS.hold - LIMITS.boot - LIMITS.body - 1e-6:
        raise AssertionError("it gives up sooner than it must")


def test_a_hold_lasts_as_long_as_it_was_written_to_whatever_durations_have_become() -> None:
    longer = replace(LIMITS, hold=1000)
    assert not covers(claim(0), at(40), longer)
    shorter = replace(LIMITS, boot=10, lease=10, hold=60)
    assert covers(claim(0), at(70), shorter)


def test_holds_are_renewed_once_a_period() -> None:
    assert not renewal_due(claim(0), at(9.9), LIMITS)
    assert renewal_due(claim(0), at(10), LIMITS)


def test_an_answer_is_granted_under_a_claim_that_covers_at_that_moment() -> None:
    asked, outcome = play(answer("worker", LIMITS), Resolved(N, "spec"), Acquisition(claim(0), None), Built(), at(5))
    assert asked == [Resolve("worker"), Obtain(N), Build(claim(0)), Now()]
    assert outcome == Grant(claim(0), at(5))


def test_an_answer_whose_bytes_took_too_long_starts_again_once() -> None:
    late = [Acquisition(claim(0), None), Built(), at(60)]
    asked, outcome = play(
        answer("worker", LIMITS), Resolved(N, "spec"), *late, Acquisition(claim(61), None), Built(), at(62)
    )
    assert asked.count(Obtain(N)) == 2
    assert outcome == Grant(claim(61), at(62))
    asked, outcome = play(answer("worker", LIMITS), Resolved(N, "spec"), *late, *late)
    assert isinstance(outcome, Refusal)
    assert outcome.reason is Reason.HOLD_LAPSED


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([Refusal(Reason.POOL_UNKNOWN)], id="at the pool"),
        pytest.param([Resolved(N, ""), Acquisition(None, Refusal(Reason.POOL_UNKNOWN))], id="at the hold"),
        pytest.param(
            [Resolved(N, ""), Acquisition(claim(0), Refusal(Reason.POOL_UNKNOWN))], id="at a renewal too late"
        ),
        pytest.param([Resolved(N, ""), Acquisition(claim(0), None), Refusal(Reason.POOL_UNKNOWN)], id="at the bytes"),
    ],
)
def test_a_refusal_ends_the_attempt(answers: list[object]) -> None:
    _, outcome = play(answer("worker", LIMITS), *answers)
    assert outcome == Refusal(Reason.POOL_UNKNOWN)


def test_no_reason_for_a_state_that_may_pass_is_final_for_a_client() -> None:
    final = {reason for reason in Reason if reason.status < 500}
    assert final == {
        Reason.NO_SUCH_PATH,
        Reason.POOL_NAME_IMPOSSIBLE,
        Reason.METHOD_NOT_ALLOWED,
        Reason.ACCEPT_MALFORMED,
        Reason.REQUEST_MALFORMED,
        Reason.BODY_REFUSED,
        Reason.REQUEST_TOO_LARGE,
    }
    assert len({reason.code for reason in Reason}) == len(Reason)
