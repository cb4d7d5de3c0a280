"""Makes the tree importable once pytest and its plugins stand, so that no file of the tree is taken for one of them."""

import os
import sys

import pytest

try:
    import hypothesis  # noqa: F401
except ImportError:
    pass


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests():
    sys.path.insert(0, os.getcwd())
