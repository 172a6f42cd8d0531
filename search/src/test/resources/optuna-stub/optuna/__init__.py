"""Stands in for Optuna in tests of docs/examples/optuna-engine.py: asks for what lies between steps, and logs to standard error."""

import sys
from types import SimpleNamespace

from . import distributions, trial


def log(*words):
    print(*words, file=sys.stderr, flush=True)


class logging:
    ERROR = 40

    @staticmethod
    def set_verbosity(level):
        pass


class samplers:
    @staticmethod
    def RandomSampler(seed):
        log("sampler", seed)

    @staticmethod
    def TPESampler(seed, constraints_func):
        log("sampler", seed)


class Study:
    def __init__(self):
        self.sampler = None
        self.queue = []

    def enqueue_trial(self, params):
        log("enqueue", params)
        self.queue.append(params)

    def ask(self, asked):
        params = self.queue.pop(0) if self.queue else {name: one.value() for name, one in asked.items()}
        return SimpleNamespace(params=params, set_user_attr=lambda name, value: None)

    def tell(self, asked, value=None, state=None):
        log("tell", state)

    def add_trial(self, added):
        log("add", added.state, added.params, added.system_attrs)


def create_study(direction):
    return Study()
