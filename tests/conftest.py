"""Settings of every test run: the state that tests start from, and hypothesis on a machine that may be slow or busy.

How long an example takes, or takes to generate, proves nothing.
"""

import gc

from hypothesis import HealthCheck, settings

from tests.support.effort import EXAMPLES
from tests.support.process_state import settle

settle()

settings.register_profile(
    "unhurried", deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")


def pytest_collection_finish() -> None:
    """What there is by now, a million objects of all the tests, stays: no garbage collection has to look at it again.

    Else it takes most of the time of tests that collect garbage, or make much.
    """
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """The last collection would look at all that is left; xdist interrupts a worker that takes five seconds to end."""
    gc.freeze()
