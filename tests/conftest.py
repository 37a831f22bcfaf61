"""Settings of every test run: the state that tests start from, and hypothesis on a machine that may be slow or busy.

How long an example takes, or takes to generate, proves nothing. HYPOTHESIS_EXAMPLES is how many examples a property is
tried on that does not say so itself.
"""

import os

from hypothesis import HealthCheck, settings

from tests.surroundings import settle

settle()

examples = int(os.environ.get("HYPOTHESIS_EXAMPLES", "25"))
settings.register_profile(
    "unhurried", deadline=None, max_examples=examples, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")
