"""A little of `make fuzz` in every run of the tests: the same inputs each time."""

import random
import signal

import pytest

from fuzz.mutate import Mutator
from fuzz.run import MEMORY, Failure, Hang, batch, fault, keep, minimal, watched
from fuzz.targets import TARGETS, Target, kept
from outflank.errors import BadSpec
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
        assert minimal(target, "aaaa!bbbb") == "!"
    assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL and issubclass(Hang, BaseException)


def test_failures_are_kept(tmp_path_factory: pytest.TempPathFactory) -> None:
    [file] = keep([Failure("spec", "a(\ud800", "KeyError: x")], tmp_path_factory.mktemp("fuzz"))
    assert file.read_bytes() == "a(\ud800".encode("utf-8", "surrogatepass")
    assert file.with_suffix(".why").read_text() == "KeyError: x"
