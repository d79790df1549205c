"""A little of `make fuzz` in every run of the tests: the same inputs each time."""

import random
import signal
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from fuzz.mutate import MOST_LENGTH, Mutator
from fuzz.run import MEMORY, Failure, Hang, _Worker, batch, fault, keep, minimal, run, watched
from fuzz.targets import TARGETS, Target, kept
from outflank.errors import BadSpec
from outflank.execute.tasks import Job, Lost, Results, Task
from support import EFFORT

_INPUTS = 12_000
_SHARES = sum(target.share for target in TARGETS.values())


@pytest.mark.compiled
@pytest.mark.parametrize("name", TARGETS)
def test_no_text_breaks_a_reader(name: str) -> None:
    """Nothing but our own errors, all that is accepted comes back, and neither time nor memory runs away."""
    inputs = 200 + int(_INPUTS * TARGETS[name].share * EFFORT) // _SHARES
    count = batch(name, "tests", inputs)
    assert not count.failures, [(failure.what, failure.text[:200]) for failure in count.failures]
    assert count.inputs == inputs
    assert count.accepted > 0.05 * inputs, "texts that nobody accepts find nothing"
    assert count.refused > 0.1 * inputs


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_is_read(name: str) -> None:
    target = TARGETS[name]
    for text in kept(name):
        assert not fault(target.read, text), text[:200]


def test_texts_are_the_same_for_the_same_seed() -> None:
    one, other = (Mutator(["uct(c=1)", "f5d6"], ["c"], random.Random(5)) for _ in range(2))
    assert [one.text() for _ in range(500)] == [other.text() for _ in range(500)]


def test_faults_are_found_and_made_small() -> None:
    """The watch itself: a traceback, a hang and a flood of memory are told apart."""

    def read(text: str) -> None:
        if "spin" in text:
            while True:
                pass
        if "flood" in text:
            bytearray(4 * MEMORY)
        if "!" in text:
            raise KeyError(text)
        raise BadSpec("expected something else")

    target = Target("strange", read, lambda: ["abc"])
    with watched():
        assert fault(read, "abc") == ""
        assert fault(read, "a!bc").startswith("KeyError")
        assert fault(read, "flood").startswith("MemoryError")
        assert fault(read, "spin").startswith("Hang")
        assert minimal(target, "aaaa!bbbb", "KeyError") == "!"
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL and issubclass(Hang, BaseException)


def test_failures_are_kept(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = keep(Failure("spec", "a(\ud800", "KeyError: x"), tmp_path_factory.mktemp("fuzz"))
    assert file.read_bytes() == "a(\ud800".encode("utf-8", "surrogatepass")
    assert file.with_suffix(".why").read_text() == "KeyError: x"


class Longest(random.Random):
    """Always the last of what there is: the greatest change, as often as it goes."""

    def random(self) -> float:
        """More than any probability in use."""
        return 0.9999

    def choice(self, seq: Any) -> Any:
        """The last."""
        return seq[-1]


def test_no_text_is_longer_than_is_said_while_it_is_made() -> None:
    for example in ("9" * 500, "", "a b c"):
        maker = Mutator([example, example], [], Longest(1))
        made = [example]
        for _ in range(6):
            maker._repeat(made)
            assert len("".join(made)) <= MOST_LENGTH and len(made) <= 200_000
        assert len(maker.text()) <= MOST_LENGTH


def test_an_error_of_the_maker_is_told_and_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    good = Mutator.text

    def text(maker: Mutator) -> str:
        if maker.rng.random() < 0.5:
            raise MemoryError
        return good(maker)

    monkeypatch.setattr(Mutator, "text", text)
    count = batch("rules", "tests", 50)
    assert len(count.errors) + count.inputs == 50 and count.inputs
    assert "MemoryError" in count.errors[0] and not count.failures


class Mortal:
    """An executor whose worker dies of SystemExit."""

    def run(self, job: Job, tasks: Iterable[Task]) -> Results:
        """The results of the batches that are survived, carefully."""
        job.take_care()
        function = job.begin()
        for key, payload in tasks:
            try:
                yield key, function(payload)
            except SystemExit:
                yield key, Lost("its worker died")


def test_a_text_that_kills_its_process_is_found_told_and_kept(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target, directory = TARGETS["rules"], tmp_path_factory.mktemp("fuzz")

    def read(text: str) -> None:
        if "99" in text:
            raise SystemExit
        target.read(text)

    monkeypatch.setitem(TARGETS, "rules", replace(target, read=read))
    monkeypatch.setattr(_Worker, "careful", False)
    counts = run(["rules", "clocks"], 3000, 0, Mortal(), 600, directory)
    assert counts["clocks"].inputs == 2000 and not counts["clocks"].failures
    [failure] = counts["rules"].failures
    [kept_file] = directory.glob("*.txt")
    assert "99" in failure.text and kept_file.read_text() == failure.text
    assert f"{kept_file}: Death: its worker died" in capsys.readouterr().err
    assert not list(directory.glob("*.note"))
