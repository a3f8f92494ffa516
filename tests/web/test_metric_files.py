"""The metrics of several workers, real processes that were forked: added up, kept beyond their end, and cleaned up."""

import pytest

from mcs.web import metric_files
from tests.web.metric_processes import run

REQUESTS = (
    'mcs_requests_total{pool="worker",reason="config-missing",spec_asked="3.4.0",spec_served="none",status="503"}'
)
AGE = 'mcs_hold_age_seconds{pool="worker"}'
LEFT = 'mcs_hold_sending_left_seconds{pool="worker"}'


def test_workers_are_added_up() -> None:
    shown, after = run("together")
    assert shown[REQUESTS] == 5
    assert shown['mcs_response_duration_seconds_count{pool="worker"}'] == 5
    assert shown['mcs_response_duration_seconds_sum{pool="worker"}'] == pytest.approx(3.75)
    assert shown['mcs_response_duration_seconds_bucket{le="0.5",pool="worker"}'] == 0
    assert shown['mcs_response_duration_seconds_bucket{le="1.0",pool="worker"}'] == 5
    assert shown['mcs_sent_bytes_total{pool="worker"}'] == 500
    assert shown["mcs_boot_leases_queued"] == 11
    assert shown["mcs_boot_leases_recorded_total"] == 11
    assert after == {"directory": 0}


def test_the_worst_of_several_holds_is_shown() -> None:
    shown, _ = run("together")
    assert (shown[AGE], shown[LEFT]) == (1000, 500)
    assert shown["mcs_certificate_expiry_timestamp_seconds"] == 9004


def test_counts_outlive_their_worker_and_gauges_do_not() -> None:
    before, one_ended, later, _ = run("ended")
    assert [shown[REQUESTS] for shown in (before, one_ended, later)] == [5, 5, 6]
    duration = 'mcs_response_duration_seconds_count{pool="worker"}'
    assert [shown[duration] for shown in (before, one_ended, later)] == [5, 5, 6]
    assert (before[AGE], before["mcs_boot_leases_queued"]) == (1000, 4)
    assert AGE not in one_ended
    assert "mcs_certificate_expiry_timestamp_seconds" not in one_ended
    assert one_ended["mcs_boot_leases_queued"] == 0
    assert one_ended["mcs_boot_leases_recorded_total"] == 4


def test_workers_that_come_and_go_leave_no_files_of_their_own() -> None:
    shown, names, _ = run("files")
    assert shown[REQUESTS] == 20
    assert set(names) == {"counter_ended.db", "histogram_ended.db"}


def test_a_worker_s_files_are_taken_in_later_if_they_are_being_read() -> None:
    kept, first, files, second, _ = run("read meanwhile")
    assert set(kept.values()) == {1}
    assert first[REQUESTS] == second[REQUESTS] == 5
    assert files == {"files": 1}


def test_a_pool_that_is_gone_is_shown_no_more() -> None:
    one_holds_it, none_does, _ = run("gone")
    assert (one_holds_it[AGE], one_holds_it[LEFT]) == (1000, 1000)
    assert not {AGE, LEFT} & none_does.keys()


def test_what_a_killed_server_left_is_removed_by_the_next() -> None:
    before, after, _ = run("leftover")
    assert before == {"left": 1}
    assert after == {"left": 0, "living": 1}


def test_without_room_each_worker_counts_for_itself() -> None:
    made, own, _ = run("no room")
    assert made == {"made": 0, "left": 0}
    assert own[REQUESTS] == 3


def test_a_file_with_nothing_in_it_yet_does_no_harm() -> None:
    shown, _ = run("half made")
    assert shown[REQUESTS] == 1


def test_a_process_that_shares_nothing_has_no_directory() -> None:
    assert metric_files.directory() is None
    metric_files.forget(1)
    metric_files.clean()
