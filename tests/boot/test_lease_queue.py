from hypothesis import given
from hypothesis import strategies as st

from mcs.boot.lease_queue import LeaseLimits, LeaseQueue
from mcs.boot.records import BootLease
from tests.boot.examples import lease


def numbered(number: int, **changed: object) -> BootLease:
    name = f"{number:026d}"
    return lease(name, **changed)


def names(leases: list[BootLease]) -> list[str]:
    return [record.name for record in leases]


def test_leases_come_out_in_the_order_they_went_in() -> None:
    queue = LeaseQueue(LeaseLimits())
    for number in range(5):
        queue.put(numbered(number), now=0.0)
    assert names(queue.take(3)) == names([numbered(0), numbered(1), numbered(2)])
    assert names(queue.take(9)) == names([numbered(3), numbered(4)])


def test_a_full_queue_drops_the_oldest_and_counts_it() -> None:
    queue = LeaseQueue(LeaseLimits(queued=3))
    for number in range(5):
        queue.put(numbered(number), now=0.0)
    assert queue.dropped == 2
    assert names(queue.take(9)) == names([numbered(2), numbered(3), numbered(4)])


def test_what_could_not_be_written_goes_in_front_again() -> None:
    queue = LeaseQueue(LeaseLimits())
    for number in range(4):
        queue.put(numbered(number), now=0.0)
    queue.give_back(queue.take(2))
    assert names(queue.take(9)) == names([numbered(number) for number in range(4)])


def test_beyond_the_rate_one_lease_stands_for_a_network() -> None:
    queue = LeaseQueue(LeaseLimits(per_second=2))
    for number in range(6):
        queue.put(
            numbered(number, address=f"192.0.2.{number}", fetched=100.0 + number, renewed=100.0 + number), now=0.0
        )
    single = [record for record in queue.take(9) if record.network is None]
    assert names(single) == names([numbered(0), numbered(1)])
    assert queue.aggregated == 4


def test_an_aggregate_counts_and_is_renewed_at_each_fetch() -> None:
    queue = LeaseQueue(LeaseLimits(per_second=0))
    for number in range(3):
        queue.put(
            numbered(number, address="192.0.2.9", fetched=100.0 + number, renewed=100.0 + number), now=float(number)
        )
    [first] = queue.take(9)
    queue.put(numbered(7, address="192.0.2.10", fetched=200.0, renewed=200.0), now=9.0)
    [later] = queue.take(9)
    assert (first.network, first.count, first.fetched, first.renewed) == ("192.0.2.0/24", 3, 100.0, 102.0)
    assert (later.name, later.count, later.fetched, later.renewed) == (first.name, 4, 100.0, 200.0)
    assert later.boot_id is None


def test_aggregates_are_apart_by_config_network_and_worker() -> None:
    queue = LeaseQueue(LeaseLimits(per_second=0))
    for record in (
        numbered(1),
        numbered(2, config="rendered-worker-" + "2" * 32),
        numbered(3, address="198.51.100.1"),
        numbered(4, worker="w2"),
    ):
        queue.put(record, now=0.0)
    assert len({record.name for record in queue.take(9)}) == 4


def test_the_rate_fills_up_again() -> None:
    queue = LeaseQueue(LeaseLimits(per_second=2))
    for number, now in enumerate((0.0, 0.0, 0.0, 1.0, 1.0, 1.0)):
        queue.put(numbered(number), now=now)
    assert names([record for record in queue.take(9) if record.network is None]) == names(
        [numbered(number) for number in (0, 1, 3, 4)]
    )


def test_a_pool_has_so_many_single_leases_and_no_more() -> None:
    queue = LeaseQueue(LeaseLimits(per_pool=5))
    queue.know_counts({"worker": 4})
    for number in range(3):
        queue.put(numbered(number), now=0.0)
    queue.put(numbered(3, pool="infra"), now=0.0)
    records = queue.take(9)
    assert [(record.pool, record.network is None) for record in records] == [
        ("worker", True),
        ("worker", False),
        ("infra", True),
    ]


def test_counts_that_are_learnt_include_what_waits() -> None:
    queue = LeaseQueue(LeaseLimits(per_pool=3))
    queue.put(numbered(0), now=0.0)
    queue.know_counts({"worker": 1})
    queue.put(numbered(1), now=0.0)
    queue.put(numbered(2), now=0.0)
    assert [record.network is None for record in queue.take(9)] == [True, True, False]


@given(
    st.lists(
        st.one_of(
            st.integers(0, 30).map(lambda number: ("put", number)),
            st.integers(0, 5).map(lambda most: ("take", most)),
            st.just(("fail", 3)),
        )
    )
)
def test_no_lease_is_lost_without_being_counted(steps: list[tuple[str, int]]) -> None:
    queue = LeaseQueue(LeaseLimits(queued=4, per_second=1e9))
    put: set[str] = set()
    out: set[str] = set()
    for step, number in steps:
        if step == "put":
            record = numbered(len(put) * 100 + number)
            put.add(record.name)
            queue.put(record, now=0.0)
        elif step == "take":
            out.update(names(queue.take(number)))
        else:
            queue.give_back(queue.take(number))
    waiting = set(names(queue.take(99)))
    assert out | waiting <= put
    assert len(put) == len(out | waiting) + queue.dropped


def test_an_aggregate_lasts_as_long_as_the_longest_of_its_leases() -> None:
    queue = LeaseQueue(LeaseLimits(per_second=0))
    queue.put(numbered(1, duration=3000.0), now=0.0)
    queue.put(numbered(2, duration=600.0, fetched=1100.0, renewed=1100.0), now=1.0)
    [aggregate] = queue.take(9)
    assert aggregate.expires == 4000.0
    assert aggregate.renewed == 1100.0
