"""Properties of `product.keep`; LOG is a file outside of every tree, SEED the seed of the run."""

import os

import pytest
from hypothesis import given, strategies as st
from product import keep

SEED = os.environ["SEED"]


def log(line):
    pipe = os.environ["LOG"] + ".note"
    piped = os.path.exists(pipe)
    with open(pipe if piped else os.environ["LOG"], "w" if piped else "a") as file:
        file.write(f"{line}\n")
    if piped:
        open(os.environ["LOG"] + ".done").read()
    with open(os.environ["LOG"]) as file:
        return file.read().splitlines().count(str(line))


log("started")


@given(st.integers())
def test_keeps(x):
    assert keep(x) == x


def test_shaky():
    """Fails with seed 8 every other time, from the first time on."""
    assert log(f"shaky {SEED}") % 2 == 0 or SEED != "8"
    test_keeps()


@given(st.integers(0, 2**64))
def test_draws(x):
    log(x)


@pytest.mark.flaky(reruns=3)
def test_tries_again():
    assert log("again") % 2 == 0


@pytest.mark.skip
def test_skipped():
    assert keep(1) == 1


@pytest.mark.xfail
def test_expected_to_fail():
    assert False
