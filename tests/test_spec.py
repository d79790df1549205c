"""Text to calls and back, and the errors on the way."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.errors import BadSpec
from outflank.spec import Call, Option, Quoted, Signature, Value, choice, flag, number, numbers, parse, show, whole
from support import EFFORT

names = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True).filter(
    lambda name: name not in {"yes", "no", "true", "false"}
)
texts = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8).map(Quoted)
floats = (
    st.floats(-1e6, 1e6, allow_nan=False).filter(lambda x: not float(x).is_integer()).map(lambda x: float(f"{x:.6g}"))
)
plain: st.SearchStrategy[Value] = st.one_of(st.integers(-(10**6), 10**6), st.booleans(), names, texts, floats)


def calls(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    options = st.lists(st.tuples(names, values), max_size=3, unique_by=lambda pair: pair[0]).map(tuple)
    return st.builds(Call, names, st.lists(values, max_size=2).map(tuple), options).filter(
        lambda call: bool(call.values or call.options)
    )


values: st.SearchStrategy[Value] = st.recursive(
    plain, lambda inner: st.one_of(calls(inner), st.lists(inner, max_size=3).map(tuple)), max_leaves=8
)


@settings(max_examples=int(500 * EFFORT), deadline=None)
@given(calls(values))
def test_calls_come_back(call: Call) -> None:
    assert parse(str(call)) == call


@settings(max_examples=int(1000 * EFFORT), deadline=None)
@given(st.text(max_size=40) | st.text(alphabet='ab(),=[]"1.-s ', max_size=30))
def test_any_text_is_a_call_or_a_clear_error(text: str) -> None:
    try:
        call = parse(text)
    except BadSpec as error:
        assert "expected" in str(error) or "twice" in str(error)
    else:
        assert parse(str(call)) == call


def test_numbers_units_and_words() -> None:
    call = parse('a(1, -2, 2.5, .5, 1e3, 2s, 300ms, yes, no, word, "two words", [1, [2]], b(c=d))')
    assert call.values[:9] == (1, -2, 2.5, 0.5, 1000.0, 2, 0.3, True, False)
    assert call.values[9:] == ("word", Quoted("two words"), (1, (2,)), Call("b", (), (("c", "d"),)))
    assert parse("  he-lin-uct ( 2s ) ") == Call("he-lin-uct", (2,))


KINDS = Signature(
    "thing",
    "a thing",
    (
        Option("size", whole(1, 9), 3, "how large"),
        Option("share", number(0, 1), 0.5, "how much"),
        Option("way", choice("left", "right"), "left", "where to"),
        Option("fast", flag(), False, "how fast"),
        Option("list", numbers(1, 3), (1,), "several"),
        Option("open", whole(0), None, "no default"),
    ),
)


def test_defaults_are_filled_in_and_sorted() -> None:
    filled = KINDS.fill(parse("thing(5, fast=yes)"))
    assert filled["size"] == 5 and filled["fast"] is True and filled["open"] is None
    assert str(filled) == "thing(fast=yes, list=[1], share=0.5, size=5, way=left)"
    assert str(KINDS.fill(parse(str(filled)))) == str(filled)
    assert str(KINDS.fill(parse("thing(way=left)"))) == str(KINDS.fill(Call("thing")))
    assert "open=7" in str(KINDS.fill(parse("thing(open=7)")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thing(size=0)", "option size=0: expected a whole number from 1 to 9"),
        ("thing(size=2.5)", "expected a whole number"),
        ("thing(size=yes)", "expected a whole number"),
        ("thing(share=2)", "option share=2: expected a number from 0 to 1"),
        ("thing(share=much)", "expected a number"),
        ("thing(way=up)", r"option way=up: expected left \| right"),
        ("thing(fast=1)", "expected yes or no"),
        ("thing(list=[])", "expected a whole number or a list"),
        ("thing(list=[a])", "expected a whole number or a list"),
        ("thing(siz=1)", "did you mean size"),
        ("thing(1, size=2)", "given twice"),
        ("thing(1, 2, 3, 4, 5, 6, 7)", "takes at most 6 values"),
        ("thing(other=1)", r"(?s)no option 'other'.*size: a whole number from 1 to 9, default 3. how large"),
    ],
)
def test_bad_options_are_told_with_the_good_ones(text: str, message: str) -> None:
    with pytest.raises(BadSpec, match=message):
        KINDS.fill(parse(text))


def test_deep_and_long_texts_are_refused() -> None:
    with pytest.raises(BadSpec, match="too long"):
        parse("a" * 20_000)
    with pytest.raises(BadSpec):
        parse("a(" * 4_000)
    assert show(True) == "yes"
