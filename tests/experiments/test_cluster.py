"""A cluster whose workers come, go, and declare how much memory they have."""

import socket
from itertools import count

import pytest

from holdfast.errors import InvalidInput, NotSupported, WorkerLost
from holdfast.experiments.cluster import dashboard
from holdfast.experiments.machines import Machines
from holdfast.experiments.pool import pool
from holdfast.experiments.same_version import needs_holdfast, packed, unpacked
from holdfast.experiments.scheduler import check_cluster

distributed = pytest.importorskip("distributed")


class FakeFuture:
    """A future that is done when a test says so."""

    def result(self):
        return None

    def release(self):
        pass


class FakeClient:
    """A client of a cluster that exists on paper."""

    def __init__(self, *hosts):
        self.workers, self.sent = {}, []
        self._ports = count(1)
        for host in hosts:
            self.join(host)

    def join(self, host, memory=100, threads=1, **resources):
        self.workers[f"tcp://{host}:{next(self._ports)}"] = {
            "host": host,
            "memory_limit": memory,
            "nthreads": threads,
            "resources": resources,
        }

    def scheduler_info(self, n_workers):
        return {"workers": dict(self.workers)}

    def submit(self, work, packed, workers, **_):
        self.sent.append(workers[0].rpartition(":")[0].removeprefix("tcp://"))
        return FakeFuture()


def test_machines_rehearse_one_after_the_other_and_get_tasks_when_they_have():
    client, completed = FakeClient("a", "a", "b", "c"), set()
    machines = Machines(client, [print])
    ready = machines.ready(completed)
    assert ready.threads == 2
    assert len(ready.restriction["workers"]) == 2
    machines.ready(completed)
    assert client.sent == ["a", "b"]  # c waits for b
    (of_b,) = completed
    assert machines.has_rehearsed(of_b)
    assert machines.ready(completed).threads == 3
    assert client.sent == ["a", "b", "c"]
    (of_c,) = completed - {of_b}
    assert machines.has_rehearsed(of_c)
    assert not machines.has_rehearsed(of_c)
    assert machines.ready(completed).restriction == {}


def test_workers_that_join_later_bring_threads_and_memory_and_rehearse_on_a_new_machine():
    client, completed = FakeClient("a"), set()
    machines = Machines(client, [print])
    assert machines.ready(completed)[:2] == (1, 100)
    client.join("a", memory=300, threads=2)
    assert machines.ready(completed)[:2] == (3, 400)
    client.join("b", memory=1000)
    assert machines.ready(completed)[:2] == (3, 400)
    (of_b,) = completed
    assert machines.has_rehearsed(of_b)
    assert machines.ready(completed)[:2] == (4, 1400)


def test_a_rehearsal_that_outlasts_one_use_of_a_map_is_waited_for_by_the_next():
    client = FakeClient("a", "b")
    machines = Machines(client, [print])
    first, second = set(), set()
    machines.ready(first)
    machines.ready(first)
    machines.ready(second)
    assert first == second
    assert client.sent == ["a", "b"]
    assert machines.has_rehearsed(second.pop())


def test_without_rehearsals_every_worker_gets_tasks_at_once():
    client = FakeClient("a", "b")
    ready = Machines(client, []).ready(set())
    assert (ready.threads, ready.restriction, client.sent) == (2, {}, [])


def test_declared_memory_counts_if_all_workers_declare_it():
    client = FakeClient()
    client.join("a", MEMORY=5e9)
    machines = Machines(client, [])
    assert machines.ready(set()).declared == 5e9
    client.join("a", MEMORY=8e9)
    assert machines.ready(set()).declared == 8e9
    client.join("b")
    assert machines.ready(set()).declared is None


@pytest.fixture(scope="module")
def small():
    """A cluster in this process, whose workers declare a megabyte."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        dashboard_address=None,
        resources={"MEMORY": 1e6},
    ) as local:
        yield local.scheduler_address


def own_size(_, task):
    return task


def test_a_task_that_needs_more_than_any_worker_declares_is_named_and_the_others_are_done(small):
    lost = []

    def on_lost(task, why):
        lost.append((task, str(why)))
        return 0

    tasks = [1, 6_400_000_000, 2, 3]
    with pool(own_size, None, processes=1, cluster=small, needs=lambda task: task) as sized:
        assert list(sized(tasks, on_lost=on_lost)) == [1, 0, 2, 3]
        with pytest.raises(NotSupported, match=r"it needs about 6\.4 GB"):
            list(sized(tasks))
    ((task, why),) = lost
    assert task == tasks[1]
    assert why == ("it needs about 6.4 GB, and no worker declares MEMORY of more than 0.001 GB.")


def test_a_scheduler_that_goes_away_is_told_in_one_line(monkeypatch):
    monkeypatch.setattr("holdfast.experiments.cluster.SECONDS_TO_CONNECT", 1)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as local,
        pool(own_size, None, processes=1, cluster=local.scheduler_address) as sized,
        pytest.raises(WorkerLost, match="the Dask scheduler is gone"),
    ):
        list(sized(range(100), lambda task, _: local.close() if task == 3 else None))


def test_tasks_that_the_last_result_brings_are_done_too(small):
    waiting = [3]

    class Tasks:
        def __iter__(self):
            return self

        def __next__(self):
            if not waiting:
                raise StopIteration
            return waiting.pop()

    def bring(task, _):
        if task:
            waiting.append(task - 1)

    with pool(own_size, None, processes=1, cluster=small) as sized:
        assert list(sized(Tasks(), bring)) == [3, 2, 1, 0]


@pytest.mark.parametrize(
    "address", ["nonsense", "tcp://nowhere", "tcp://:8786", "127.0.0.1:0", "tcp://host:99999", ""]
)
def test_what_is_no_address_is_told_so(address):
    with pytest.raises(InvalidInput, match="cluster must be local or the address of a Dask"):
        check_cluster(address)


def test_a_port_where_nobody_listens_is_told_so_at_once():
    for address in ("tcp://127.0.0.1:9", "127.0.0.1:9"):
        with pytest.raises(NotSupported, match=f"answers at {address}: .*refused"):
            dashboard(address)


@pytest.fixture
def silence():
    """The address of something that listens, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"


def test_a_port_where_something_else_listens_is_told_so_in_time(silence, monkeypatch):
    monkeypatch.setattr("holdfast.experiments.scheduler.SECONDS_TO_CONNECT", 0.2)
    with pytest.raises(NotSupported, match=f"answers at {silence}: something else listens there"):
        check_cluster(silence)


def test_an_address_of_another_kind_is_told_which_there_are():
    with pytest.raises(InvalidInput, match=r"address must be one of tcp, tls, .* got 'http'"):
        check_cluster("http://127.0.0.1:8786")


def test_a_cluster_on_this_machine_needs_no_address():
    check_cluster("local")


def test_a_worker_of_another_version_says_so_in_one_line(small, monkeypatch):
    assert unpacked(packed([1])) == [1]
    with pool(own_size, "read for the first time", processes=1, cluster=small) as sized:
        monkeypatch.setattr("holdfast.experiments.same_version.__version__", "9.9")
        with pytest.raises(
            NotSupported, match=r"have Holdfast 9\.9, and the client has .*version\."
        ):
            list(sized([1]))


def test_a_worker_without_holdfast_is_told_what_it_needs():
    with (
        pytest.raises(NotSupported, match="No module named 'holdfast'; each needs Holdfast"),
        needs_holdfast(),
    ):
        raise ImportError("No module named 'holdfast'")
