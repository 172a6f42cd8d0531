#!/usr/bin/env python3
"""Optuna as the engine of replay tune: see docs/tuning.md.

    pip install optuna scipy torch
    replay tune space.yaml --evaluate exec:./measure --engine 'exec:python3 optuna-engine.py [gp|tpe|random]'
"""

import json
import sys

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial


def distribution(parameter):
    kind = parameter["type"]
    if kind == "boolean":
        return CategoricalDistribution([False, True])
    if "values" in parameter:
        return CategoricalDistribution(parameter["values"] + parameter.get("special", []))
    log = kind.startswith("log-")
    step = parameter.get("step")
    if kind.endswith("int"):
        low, high = int(parameter["min"]), int(parameter["max"])
        return IntDistribution(low, high, log=log, step=1 if log or step is None else int(step))
    return FloatDistribution(parameter["min"], parameter["max"], log=log, step=None if log else step)


def answer(value):
    print(json.dumps(value), flush=True)


def main():
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = json.loads(sys.stdin.readline())["space"]
    seed = space["seed"] % 2**32
    constraints = space["constraints"]
    distributions = {one["name"]: distribution(one) for one in space["parameters"]}
    when = {one["name"]: one["when"] for one in space["parameters"] if "when" in one}

    def violations(trial):
        return trial.user_attrs.get("violations", [1.0] * max(1, len(constraints)))

    limits = {"constraints_func": violations} if constraints else {}
    samplers = {
        "gp": lambda: optuna.samplers.GPSampler(seed=seed, deterministic_objective=not space["noisy"], **limits),
        "tpe": lambda: optuna.samplers.TPESampler(seed=seed, **limits),
        "random": lambda: optuna.samplers.RandomSampler(seed=seed),
    }
    study = optuna.create_study(
        direction=space["direction"], sampler=samplers[sys.argv[1] if len(sys.argv) > 1 else "gp"]()
    )
    usual = {one["name"]: one["default"] for one in space["parameters"] if "default" in one}
    if len(usual) == len(distributions):
        study.enqueue_trial(usual)
    open_trials = {}

    def active(values):
        """Leaves out what has no meaning beside the other values."""

        def means(name):
            if name not in when:
                return True
            (other, wanted), = when[name].items()
            return means(other) and values[other] in wanted

        return {name: value for name, value in values.items() if means(name)}

    for line in sys.stdin:
        message = json.loads(line)
        if "ask" in message:
            trial = study.ask(distributions)
            open_trials[message["ask"]] = trial
            answer({"trial": message["ask"], "parameters": active(trial.params)})
        elif "tell" in message:
            told = message["tell"]
            trial = open_trials.pop(told["trial"], None)
            violated = [told.get("constraints", {}).get(name, 0.0) for name in constraints]
            works = "value" in told
            if trial is not None:
                trial.set_user_attr("violations", violated)
                study.tell(trial, told.get("value"), state=TrialState.COMPLETE if works else TrialState.FAIL)
            elif works:
                # Told by the journal: what has no meaning gets any value.
                values = {n: told["parameters"].get(n, d.choices[0] if hasattr(d, "choices") else d.low)
                          for n, d in distributions.items()}
                study.add_trial(create_trial(params=values, distributions=distributions, value=told["value"],
                                             user_attrs={"violations": violated}))
        elif "best" in message:
            good = [one for one in study.get_trials(states=[TrialState.COMPLETE])
                    if all(limit <= 0 for limit in violations(one)[: len(constraints)])]
            if not good:
                answer({})
                continue
            sign = 1 if space["direction"] == "minimize" else -1
            best = min(good, key=lambda one: sign * one.value)
            answer({"parameters": active(best.params), "predicted": best.value})


if __name__ == "__main__":
    main()
