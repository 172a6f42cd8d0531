#!/usr/bin/env python3
"""Optuna as the engine of replay tune: see docs/tuning.md.

    pip install optuna scipy torch
    replay tune space.yaml --evaluate exec:./measure --engine 'exec:python3 optuna-engine.py [gp|tpe|random]'

Automatic values of a range are a category of their own beside it. Optuna has no steps on a log scale: what it asks for there
is rounded to the nearest one. It knows no rules between parameters (`assert`) either: where what it asks for breaks one again
and again, a random configuration that keeps them all is asked for. After a kill the default is not asked for again, and the
random numbers are others than before.
"""

import json
import math
import operator
import random
import re
import sys

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial


def is_log(parameter):
    return parameter["type"].startswith("log-")


def distribution(parameter):
    kind = parameter["type"]
    if kind == "boolean":
        return CategoricalDistribution([False, True])
    if "values" in parameter:
        return CategoricalDistribution(parameter["values"] + parameter.get("special", []))
    log = is_log(parameter)
    step = parameter.get("step")
    if kind.endswith("int"):
        low, high = int(parameter["min"]), int(parameter["max"])
        return IntDistribution(low, high, log=log, step=1 if log or step is None else int(step))
    return FloatDistribution(parameter["min"], parameter["max"], log=log, step=None if log else step)


OPERATORS = {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt}
NUMBER, END = r"[0-9.]+(?:[eE][+-]?[0-9]+)?", r"(?=[\s+*-]|$)"
RANGE = "range"
# What Optuna is asked for, and what is drawn at random, until all rules hold.
TRIES = 5
DRAWS = 10_000


def rule(text, special):
    """What `assert` has: numbers, names and NUMBER * NAME, with + or - between them, on both sides. It holds where a parameter
    has no number."""
    left, sign, right = re.fullmatch(r"\s*(.+?)\s*(<=|>=|==|!=|<|>)\s*(.+?)\s*", text).groups()
    # Of two names that begin alike, the longer one.
    names = "|".join(re.escape(name) for name in sorted(special, key=len, reverse=True))
    term = re.compile(rf"([+-]?)\s*(?:(?:({NUMBER})\s*\*\s*)?({names}){END}|({NUMBER}){END})")

    def terms(side):
        return [(float(minus + "1") * float(factor or number or 1), name)
                for minus, factor, name, number in term.findall(side)]

    def total(terms, values):
        if any(name and (name not in values or values[name] in special[name]) for _, name in terms):
            return None
        return sum(factor * values[name] if name else factor for factor, name in terms)

    left, right = terms(left), terms(right)

    def holds(values):
        one, other = total(left, values), total(right, values)
        return one is None or other is None or OPERATORS[sign](one, other)

    return holds


def drawn(distribution, source):
    """A value, each about as likely as another."""
    if isinstance(distribution, CategoricalDistribution):
        return source.choice(distribution.choices)
    if distribution.log:
        value = math.exp(source.uniform(math.log(distribution.low), math.log(distribution.high)))
        value = min(distribution.high, max(distribution.low, value))
        return value if isinstance(distribution, FloatDistribution) else round(value)
    if distribution.step is None:
        return source.uniform(distribution.low, distribution.high)
    return distribution.low + distribution.step * source.randint(0, round((distribution.high - distribution.low) / distribution.step))


def lattice(parameter):
    """Rounds a number to the nearest step of a range."""
    low, high, step = parameter["min"], parameter["max"], parameter["step"]
    most = round((high - low) / step)

    def nearest(value):
        rounded = low + step * min(most, max(0, round((value - low) / step)))
        return round(rounded) if parameter["type"].endswith("int") else min(high, rounded)

    return nearest


def answer(value):
    print(json.dumps(value), flush=True)


def main():
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = json.loads(sys.stdin.readline())["space"]
    seed = space["seed"] % 2**32
    constraints = space["constraints"]
    distributions = {one["name"]: distribution(one) for one in space["parameters"]}
    special = {one["name"]: one.get("special", []) for one in space["parameters"]}
    ranges = [one["name"] for one in space["parameters"] if "special" in one and "values" not in one]
    distributions.update({f"{name} special": CategoricalDistribution([RANGE, *special[name]]) for name in ranges})
    rules = [rule(text, special) for text in space["assert"]]
    steps = {one["name"]: lattice(one) for one in space["parameters"] if is_log(one) and "step" in one}
    when = {one["name"]: one["when"] for one in space["parameters"] if "when" in one}

    def violations(trial):
        return trial.user_attrs.get("violations", [1.0] * max(1, len(constraints)))

    limits = {"constraints_func": violations} if constraints else {}
    samplers = {
        "gp": lambda seed: optuna.samplers.GPSampler(
            seed=seed, deterministic_objective=not space["noisy"], **limits),
        "tpe": lambda seed: optuna.samplers.TPESampler(seed=seed, **limits),
        "random": lambda seed: optuna.samplers.RandomSampler(seed=seed),
    }
    sampler = samplers[sys.argv[1] if len(sys.argv) > 1 else "gp"]
    study = optuna.create_study(direction=space["direction"])
    source = None
    open_trials = {}

    def params(values):
        """Returns what Optuna has of a configuration; what has no meaning in it gets any value."""
        all_ = {}
        for name, one in distributions.items():
            all_[name] = one.choices[0] if isinstance(one, CategoricalDistribution) else one.low
        for name, value in values.items():
            if name in ranges and value in special[name]:
                all_[f"{name} special"] = value
            else:
                all_[name] = value
        return all_

    def begin(asked):
        """Called before the first configuration is asked for, of how many were by earlier processes."""
        nonlocal source
        # A process that goes on after a kill draws others than the one before it.
        study.sampler = sampler((seed + asked) % 2**32)
        source = random.Random(seed + asked)
        usual = {one["name"]: one["default"] for one in space["parameters"] if "default" in one}
        if asked == 0 and len(usual) == len(special):
            study.enqueue_trial(params(usual))

    def active(found):
        """Returns the configuration: without what has no meaning beside the other values."""
        values = {name: steps[name](found[name]) if name in steps else found[name] for name in special}
        for name in ranges:
            if found[f"{name} special"] != RANGE:
                values[name] = found[f"{name} special"]

        def means(name):
            if name not in when:
                return True
            (other, wanted), = when[name].items()
            return means(other) and values[other] in wanted

        return {name: value for name, value in values.items() if means(name)}

    def keeps_rules(found):
        return all(holds(active(found)) for holds in rules)

    def ask():
        for _ in range(TRIES):
            trial = study.ask(distributions)
            if keeps_rules(trial.params):
                return trial
            study.tell(trial, state=TrialState.FAIL)
        for _ in range(DRAWS):
            found = {name: drawn(one, source) for name, one in distributions.items()}
            if keeps_rules(found):
                study.enqueue_trial(found)
                return study.ask(distributions)
        sys.exit(f"assert: none of {DRAWS} random configurations keeps {space['assert']}, loosen them")

    for line in sys.stdin:
        message = json.loads(line)
        if "ask" in message:
            if source is None:
                begin(message["ask"] - 1)
            trial = ask()
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
            else:
                # Told by the journal. Samplers look for constraints where Optuna keeps what constraints_func returned.
                study.add_trial(create_trial(
                    params=params(told["parameters"]), distributions=distributions, value=told.get("value"),
                    state=TrialState.COMPLETE if works else TrialState.FAIL, user_attrs={"violations": violated},
                    system_attrs={"constraints": violated} if works and constraints else {}))
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
