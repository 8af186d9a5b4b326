"""`devchain.testing.campaign_workers`"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase
from hypothesis.extra.redis import RedisExampleDatabase
from redis import Redis
from redis.exceptions import ConnectionError as NotConnected

from devchain.testing.campaign_workers import Copy, Done, summary

POOL = Path(__file__).parents[2] / "examples" / "property" / "contracts" / "Pool.json"
KEY = b"devchain corpus of PoolMachine"
SERVER = shutil.which("redis-server") or shutil.which("valkey-server")

SUITE = f"""
from pathlib import Path
import pytest
from devchain.fuzzing import ContractMachine

@pytest.mark.parametrize("turn", range(6))
def test_other(turn):
    pass

@pytest.mark.devchain_campaign
def test_pool(devchain):
    pool = devchain.deploy({str(POOL)!r})
    class PoolMachine(ContractMachine):
        targets = (pool,)
%s
"""

FAILING = """
        functions = ("deposit",)

        def after_call(self, call):
            assert call.value < 10_000

    PoolMachine.campaign(seconds=60)
"""

PLAIN = """
    PoolMachine.campaign(calls=100)
"""

ON_REDIS = """
        def after_call(self, call):
            assert name == "one" or call.value != 123_456_789

    from hypothesis.extra.redis import RedisExampleDatabase
    from redis import Redis
    name = Path.cwd().name
    database = RedisExampleDatabase(Redis(unix_socket_path={socket!r}))
    if name == "one":
        database.save({key!r}, {kept!r})
    PoolMachine.campaign(seconds=120, corpus=database)
"""


def deposit(value: int) -> bytes:
    """A sequence of a corpus: one deposit."""
    step = {
        "action": "Pool.deposit()",
        "arguments": "",
        "sender": 0,
        "value": str(value),
        "seconds": 0,
        "blocks": 0,
    }
    return orjson.dumps([step])


class TestDistribution:
    @pytest.mark.parametrize(
        ("options", "passed", "skipped"),
        [
            (("-n", "2"), 8, 0),
            (("-n", "2", "--dist", "loadfile"), 7, 1),
            (("--tx", "2*popen", "--dist", "each"), 14, 0),
            (("-p", "no:xdist"), 7, 0),
        ],
        ids=["load", "loadfile", "each", "no xdist"],
    )
    def test_options(
        self, pytester: pytest.Pytester, options: tuple[str, ...], passed: int, skipped: int
    ) -> None:
        """A worker runs a campaign once, in whatever way xdist spreads tests."""
        pytester.makepyfile(SUITE % PLAIN)
        is_alone = "no:xdist" in options
        start = pytester.runpytest_inprocess if is_alone else pytester.runpytest_subprocess
        result = start(*options, "-p", "no:cacheprovider")

        result.assert_outcomes(passed=passed, skipped=skipped)
        database = DirectoryBasedExampleDatabase(pytester.path / ".devchain" / "corpus")
        assert list(database.fetch(KEY))
        shared = "*test_pool PoolMachine: 2?? calls in * on 2 workers"
        if options == ("-n", "2"):
            result.stdout.fnmatch_lines(["*devchain: campaigns*", shared, "reached Pool: *"])
        else:
            result.stdout.no_fnmatch_line("*devchain: campaigns*")

    def test_failure(self, pytester: pytest.Pytester) -> None:
        """One worker reports a failure, reduced; the other one stops, and the corpus keeps it."""
        pytester.makepyfile(SUITE % FAILING)
        database = DirectoryBasedExampleDatabase(pytester.path / ".devchain" / "corpus")
        database.save(KEY, deposit(20_000))
        result = pytester.runpytest_subprocess("-n", "2", "-rs", "-p", "no:cacheprovider")

        result.assert_outcomes(passed=6, failed=1, skipped=1)
        result.stdout.fnmatch_lines(
            [
                "E *the shortest sequence found:",
                "E *pool.deposit(sender=accounts[[]0], value=10000)",
                "SKIPPED*: the worker gw? reports a failure of this campaign",
            ]
        )
        assert deposit(10_000) in database.fetch(KEY)


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    """A Redis or Valkey server on a socket of its own."""
    if SERVER is None:
        pytest.skip("neither redis-server nor valkey-server is installed (apt has both)")
    # The path of a socket has at most 107 bytes; one that is relative is short.
    command = [SERVER, "--port", "0", "--unixsocket", "socket", "--save", "", "--daemonize", "no"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        yield connected(tmp_path / "socket", process)
    finally:
        process.terminate()
        process.wait()


def connected(socket: Path, process: subprocess.Popen[bytes]) -> Redis:
    """A client of the server, which may not listen yet."""
    client = Redis(unix_socket_path=str(socket))
    while process.poll() is None:
        try:
            client.ping()
        except NotConnected:
            continue
        return client
    raise RuntimeError("the server has ended")


class TestRedis:
    def test_machines_that_share_no_disk(
        self, pytester: pytest.Pytester, redis: Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Workers in folders of their own share sequences and failures through the server."""
        socket = redis.connection_pool.connection_kwargs["path"]
        suite = ON_REDIS.format(socket=socket, key=KEY, kept=deposit(123_456_789))
        for name in ("controller", "one", "two"):
            folder = pytester.mkdir(name)
            (folder / "test_suite.py").write_text(SUITE % suite)
            (folder / "pytest.ini").touch()
        workers = ("--tx", "popen//chdir=../one", "--tx", "popen//chdir=../two")
        options = (*workers, "--dist", "load", "-rs", "-p", "no:cacheprovider")
        monkeypatch.chdir(pytester.path / "controller")
        pytester._path = pytester.path / "controller"  # where it starts
        result = pytester.runpytest_subprocess(*options)

        result.assert_outcomes(passed=6, failed=1, skipped=1)
        result.stdout.fnmatch_lines(
            [
                "E *pool.deposit(sender=accounts[[]0], value=123456789)",
                "SKIPPED*: the worker gw1 reports a failure of this campaign",
            ]
        )


def copy_of(worker: str, run: str = "run") -> Copy:
    """The copy of a test on a worker."""
    return Copy("test_it", int(worker[-1]), worker, run, [])


class TestFailures:
    @pytest.fixture(params=["folder", "redis"])
    def database(self, request: pytest.FixtureRequest, tmp_path: Path) -> ExampleDatabase:
        """What workers share."""
        if request.param == "redis":
            return RedisExampleDatabase(request.getfixturevalue("redis"))
        return DirectoryBasedExampleDatabase(tmp_path / "corpus")

    def test_reported_once(self, database: ExampleDatabase) -> None:
        """Of two that find one failure the first reports it; another failure is another."""
        one, two, three = (copy_of(f"gw{number}") for number in range(3))
        one.report_failure(database, KEY, "AssertionError here")
        with pytest.raises(pytest.skip.Exception, match="gw0 reports a failure"):
            two.report_failure(database, KEY, "AssertionError here")
        three.report_failure(database, KEY, "AssertionError there")
        one.report_failure(database, KEY, "AssertionError here")  # as pytest-rerunfailures runs it

    def test_others_stop(self, database: ExampleDatabase) -> None:
        """A failure stops those that run the campaign, not those of another machine or run."""
        one, two = copy_of("gw0"), copy_of("gw1")
        one.report_failure(database, KEY, "AssertionError")

        one.skip_if_failed(database, KEY)
        two.skip_if_failed(database, b"devchain corpus of Other")
        with pytest.raises(pytest.skip.Exception, match="gw0 reports a failure"):
            two.skip_if_failed(database, KEY)
        copy_of("gw1", "next run").skip_if_failed(database, KEY)
        two.skip_if_failed(database, KEY)  # the next run has removed the mark


def test_summary() -> None:
    """Calls are added up, blocks reached are those that any worker reached."""
    totals = {"calls": 10, "sequences": 2}
    done = [
        Done("test_it Machine", totals, {"Pool": [0, 10 + number]}, {"Pool": 5})
        for number in range(2)
    ]

    assert summary(done) == "20 calls in 4 sequences on 2 workers\nreached Pool: 3 of 5 blocks"
