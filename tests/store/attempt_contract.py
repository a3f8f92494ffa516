"""What every store does with attempts, as tests. See tests/store/contract.py."""

import pytest

from mcs.store.interface import MAX_ATTEMPTS, Store
from tests.store.samples import attempt

__all__ = ["AttemptContract"]


class AttemptContract:
    """Attempts: coalesced, and only the latest are kept."""

    def test_an_empty_store_has_no_attempts(self, store: Store) -> None:
        assert store.attempts() == []
        store.put_attempts([])
        assert store.attempts() == []

    def test_attempts_come_back_the_latest_first(self, store: Store) -> None:
        early = attempt(address="192.0.2.1", last=1001.5, client="curl/\xfc \u2028", pool="")
        late = attempt(address="2001:db8::1", last=1002.5)
        store.put_attempts([early, late])
        assert store.attempts() == [late, early]

    @pytest.mark.parametrize(
        "other", [{"address": "192.0.2.9"}, {"client": "curl/8"}, {"pool": "infra"}, {"reason": "too-slow"}], ids=str
    )
    def test_what_differs_in_its_key_is_another_attempt(self, store: Store, other: dict[str, str]) -> None:
        store.put_attempts([attempt(), attempt(**other)])
        assert {one.key for one in store.attempts()} == {attempt().key, attempt(**other).key}

    @pytest.mark.parametrize(
        "batches",
        [
            pytest.param([[(1000.0, 1010.0, 3), (1005.0, 1020.0, 4)]], id="in one batch"),
            pytest.param([[(1000.0, 1010.0, 3)], [(1005.0, 1020.0, 4)]], id="in two"),
            pytest.param([[(1005.0, 1020.0, 4)], [(1000.0, 1010.0, 3)]], id="of another worker, written late"),
        ],
    )
    def test_attempts_of_one_key_become_one(self, store: Store, batches: list[list[tuple[float, float, int]]]) -> None:
        for batch in batches:
            store.put_attempts([attempt(first=first, last=last, count=count) for first, last, count in batch])
        assert store.attempts() == [attempt(first=1000.0, last=1020.0, count=7)]

    def test_only_the_latest_are_kept(self, store: Store) -> None:
        numbers = range(MAX_ATTEMPTS)
        store.put_attempts([attempt(address=f"a{number}", last=2000.0 + number) for number in numbers])
        store.put_attempts([attempt(address="newest", last=9000.0), attempt(address="a1", last=8000.0)])
        kept = [one.address for one in store.attempts()]
        assert kept == ["newest", "a1", *(f"a{number}" for number in reversed(numbers) if number > 1)]

    def test_no_more_are_kept_when_all_are_of_one_moment(self, store: Store) -> None:
        store.put_attempts([attempt(address=f"a{number}") for number in range(MAX_ATTEMPTS + 5)])
        assert len(store.attempts()) == MAX_ATTEMPTS

    def test_attempts_change_no_record_and_no_version(self, store: Store) -> None:
        before = store.pools().version
        store.put_attempts([attempt()])
        assert store.pools().version == before
        assert store.holds() == []
