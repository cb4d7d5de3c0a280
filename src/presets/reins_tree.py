"""Makes the tree importable once pytest and its plugins stand, so that no file of the tree is taken for one of them."""

import hashlib
import os
import sys

import pytest

ECHO = os.environ.pop("REINS_SEED_ECHO", None)

try:
    import hypothesis  # noqa: F401
except ImportError:
    pass


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests():
    sys.path.insert(0, os.getcwd())


def pytest_sessionstart():
    """Writes down to which state of Hypothesis' generator the seed led, once for each test."""
    core = sys.modules.get("hypothesis.core")
    inner = getattr(core, "get_random_for_wrapped_test", None)
    if ECHO is None or inner is None:
        return

    def echoing(*args):
        random = inner(*args)
        with open(ECHO, "a", encoding="ascii") as echo:
            echo.write(hashlib.sha256(repr(random.getstate()).encode()).hexdigest() + "\n")
        return random

    core.get_random_for_wrapped_test = echoing
