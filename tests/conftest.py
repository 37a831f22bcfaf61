"""Settings of every test run: the state that tests start from, and hypothesis on a machine that may be slow or busy.

How long an example takes, or takes to generate, proves nothing.
"""

from hypothesis import HealthCheck, settings

from tests.effort import EXAMPLES
from tests.surroundings import settle

settle()

settings.register_profile(
    "unhurried", deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")
