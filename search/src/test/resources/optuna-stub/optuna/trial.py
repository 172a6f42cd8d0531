from types import SimpleNamespace


class TrialState:
    COMPLETE = "COMPLETE"
    FAIL = "FAIL"


def create_trial(**fields):
    return SimpleNamespace(**fields)
