"""Text to calls and back, and the errors on the way."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.errors import BadSpec
from outflank.schema import Option, Signature, choice, flag, list_of, number, numbers, table, text, whole
from outflank.spec import Call, Quoted, Value, parse, show
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
def test_any_text_is_a_call_or_a_clear_error(written: str) -> None:
    try:
        call = parse(written)
    except BadSpec as error:
        assert "expected" in str(error) or "twice" in str(error)
    else:
        assert parse(str(call)) == call


def test_numbers_units_and_words() -> None:
    call = parse('a(1, -2, 2.5, .5, 1e3, 2s, 300ms, yes, no, word, "two words", [1, [2]], b(c=d))')
    assert call.values[:9] == (1, -2, 2.5, 0.5, 1000.0, 2, 0.3, True, False)
    assert call.values[9:] == ("word", Quoted("two words"), (1, (2,)), Call("b", (), (("c", "d"),)))
    assert parse("  he-lin-uct ( 2s ) ") == Call("he-lin-uct", (2,))


@pytest.mark.parametrize("written", ["a(1e", "a(1e)", "a(1e+)", "a(1e-, 2)", "a(.)", "a(-)", "a(1.e)"])
def test_half_a_number_is_a_clear_error(written: str) -> None:
    with pytest.raises(BadSpec, match="expected"):
        parse(written)


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
    ("written", "message"),
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
def test_bad_options_are_told_with_the_good_ones(written: str, message: str) -> None:
    with pytest.raises(BadSpec, match=message):
        KINDS.fill(parse(written))


TABLE = Signature(
    "table",
    "a table of a file",
    (
        Option("name", text(most=10), None, "a name", needed=True),
        Option("sizes", list_of(whole(4, 16)), (8,), "boards"),
        Option("fast", flag(), False, "how fast"),
        Option("more", table(), None, "another table"),
        Option("seconds", number(0, above=True), None, "how long"),
    ),
)


def test_tables_are_checked_like_calls() -> None:
    checked = TABLE.read({"name": "cup", "sizes": [4, 6], "more": {"a": 1}, "seconds": None}, "cup.toml")
    assert dict(checked) == {"name": "cup", "sizes": (4, 6), "fast": False, "more": {"a": 1}, "seconds": None}
    assert TABLE.read({"name": "cup"}, "cup.toml")["sizes"] == (8,)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ([1], "cup.toml: [1] is no table; expected keys such as name, sizes"),
        ({}, "cup.toml: name missing; expected name = a text of at most 10 characters"),
        ({"name": "cup", "size": 4}, "cup.toml: 'size' is not known, did you mean sizes?; expected some of: name, siz"),
        ({"name": 5}, "cup.toml: name = 5 is not possible: expected a text of at most 10 characters"),
        ({"name": ""}, 'cup.toml: name = "" is not possible: expected a text of at most 10 characters that is not emp'),
        ({"name": "n" * 99}, f'cup.toml: name = "{"n" * 49}… is not possible'),
        ({"name": "cup", "sizes": []}, "expected a list of 1 or more, each a whole number from 4 to 16"),
        ({"name": "cup", "sizes": [4, 5.5]}, "cup.toml: sizes = [4, 5.5] is not possible: expected a whole number"),
        ({"name": "cup", "fast": 1}, "cup.toml: fast = 1 is not possible: expected yes or no"),
        ({"name": "cup", "more": 1}, "cup.toml: more = 1 is not possible: expected a table"),
        ({"name": "cup", "seconds": float("inf")}, "expected a number above 0"),
    ],
)
def test_bad_tables(settings: object, message: str) -> None:
    with pytest.raises(BadSpec, match=re.escape(message)):
        TABLE.read(settings, "cup.toml")


def test_numbers_keep_all_their_digits() -> None:
    third = KINDS.fill(parse(f"thing(share={1 / 3})"))
    assert str(1 / 3) in str(third) and KINDS.fill(parse(str(third)))["share"] == 1 / 3
    assert str(KINDS.fill(parse("thing(share=1.0)"))) == str(KINDS.fill(parse("thing(share=1)")))


def test_deep_and_long_texts_are_refused() -> None:
    with pytest.raises(BadSpec, match="too long"):
        parse("a" * 20_000)
    with pytest.raises(BadSpec):
        parse("a(" * 4_000)
    assert show(True) == "yes"


@pytest.mark.parametrize(
    "text", ["uct(playouts=" + "9" * 9900 + "x)", "a(" + "b=1," * 2400 + ")", "a(" + '"\\\\' * 3000]
)
def test_long_texts_are_refused_in_no_time(text: str) -> None:
    """Backtracking took seconds for one text of ten thousand characters."""
    began = time.process_time()
    with pytest.raises(BadSpec) as error:
        parse(text)
    assert time.process_time() - began < 0.5 and len(str(error.value)) < 1000


def test_numbers_have_so_many_digits() -> None:
    with pytest.raises(BadSpec, match="has 5000 digits; expected at most 40"):
        parse(f"uct(playouts={'9' * 5000})")
