"""Hypothesis on a machine that may be slow or busy: how long an example takes, or is in the making, proves nothing."""

from hypothesis import HealthCheck, settings

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
