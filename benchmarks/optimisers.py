#!/usr/bin/env python3
"""The tuner beside Optuna's GPSampler and BoTorch's qLogNEI: true regret of what each recommends after 40 evaluations.

    benchmarks/optimisers.py run [--methods lockstep,optuna,botorch] [--problems branin,...] [--seeds 50] [--minutes 30]
    benchmarks/optimisers.py table

It needs `pip install optuna botorch` (a virtual environment will do) and `mvn -DskipTests package` for ours, which OptimiserServer.java
serves over JSON lines. OUT=FILE names where each run leaves a line of JSON (default: optimisers.jsonl beside the temporary files):
the same command goes on behind the last one, so hours of it can be done in parts.

All see the same noise by seed, the same ranges and types, and nothing of the truth. Without noise each recommends its best
feasible observation. With noise Optuna recommends that too, for it has nothing else to offer; BoTorch the least posterior mean over
the domain among points that are feasible with 95 %; ours what Study.best() says. Regret is the true value there less the true
optimum. A recommended point that truly violates a constraint counts as the problem's penalty, which is worse than any random one.
"""
import argparse
import itertools
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = pathlib.Path(os.environ.get("OUT", pathlib.Path(tempfile.gettempdir()) / "optimisers.jsonl"))
EVALUATIONS = 40


# ---- Problems: what is minimised, and constraints that hold where they are at most 0 ----

def branin(x):
    a, b = x
    return (b - 5.1 / (4 * math.pi ** 2) * a * a + 5 / math.pi * a - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


ALPHA = numpy.array([1.0, 1.2, 3.0, 3.2])
A = numpy.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
P = 1e-4 * numpy.array([[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
                        [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]])


def hartmann6(x):
    return float(-ALPHA @ numpy.exp(-(A * (numpy.array(x) - P) ** 2).sum(axis=1)))


def gardner(x):
    return math.cos(2 * x[0]) * math.cos(x[1]) + math.sin(x[0])


def gardner_constraint(x):
    return math.cos(x[0]) * math.cos(x[1]) - math.sin(x[0]) * math.sin(x[1]) - 0.5


def gramacy_first(x):
    return 1.5 - x[0] - 2 * x[1] - 0.5 * math.sin(2 * math.pi * (x[0] ** 2 - 2 * x[1]))


def gramacy_second(x):
    return x[0] ** 2 + x[1] ** 2 - 1.5


def part(kind, a, b):
    """Of Func2C: Rosenbrock, six-hump camel, Beale, each at twice the place and scaled."""
    if kind == 0:
        return (100 * (b - a * a) ** 2 + (a - 1) ** 2) / 300
    if kind == 1:
        return ((4 - 2.1 * a * a + a ** 4 / 3) * a * a + a * b + (-4 + 4 * b * b) * b * b) / 10
    return ((1.5 - a + a * b) ** 2 + (2.25 - a + a * b * b) ** 2 + (2.625 - a + a * b ** 3) ** 2) / 50


def func2c(x):
    a, b = 2 * x[2], 2 * x[3]
    return part(int(x[0]), a, b) + part(min(2, int(x[1])), a, b)


def mixed_hartmann6(x):
    return hartmann6([x[0] / 4, x[1] / 4, x[2] / 4, *x[3:]])


def pressure_vessel(x):
    a, b, r, length = 0.0625 * x[0], 0.0625 * x[1], x[2], x[3]
    return 0.6224 * a * r * length + 1.7781 * b * r * r + 3.1661 * a * a * length + 19.84 * a * a * r


def vessel_volume(x):
    return (1296000 - math.pi * x[2] ** 2 * x[3] - 4 / 3 * math.pi * x[2] ** 3) / 1e6


FLOATS6 = [("float", 0.0, 1.0)] * 6
BRANIN = [("float", -5.0, 10.0), ("float", 0.0, 15.0)]
MIXED6 = [("int", 0, 4)] * 3 + [("float", 0.0, 1.0)] * 3
UNIT2 = [("float", 0.0, 1.0)] * 2


class Problem:
    def __init__(self, parameters, f, optimum, penalty, constraints=(), noise=0.0):
        self.parameters, self.f, self.optimum, self.penalty = parameters, f, optimum, penalty
        self.constraints, self.noise = constraints, noise

    def evaluate(self, x, random):
        noise = random.normal(size=1 + len(self.constraints)) * self.noise
        return self.f(x) + noise[0], [c(x) + noise[1 + i] for i, c in enumerate(self.constraints)]

    def regret(self, x):
        if x is None or any(c(x) > 0 for c in self.constraints):
            return self.penalty
        return self.f(x) - self.optimum


HARTMANN6 = -3.32236801141551
GARDNER = ([("float", 0.0, 6.0)] * 2, gardner, -2.0, 4.0, (gardner_constraint,))
NORM6 = (FLOATS6, hartmann6, HARTMANN6, 3.4, (lambda x: sum(x) - 3,))
GRAMACY = (UNIT2, lambda x: x[0] + x[1], 0.599787948, 1.5, (gramacy_first, gramacy_second))
# The optima of the mixed ones are by exhaustive search, see optima().
PROBLEMS = {
    "branin": Problem(BRANIN, branin, 0.397887357729738, 300),
    "branin-10.25": Problem(BRANIN, branin, 0.397887357729738, 300, noise=10.25),
    "hartmann6": Problem(FLOATS6, hartmann6, HARTMANN6, 3.4),
    "hartmann6-0.077": Problem(FLOATS6, hartmann6, HARTMANN6, 3.4, noise=0.077),
    "hartmann6-0.5": Problem(FLOATS6, hartmann6, HARTMANN6, 3.4, noise=0.5),
    "hartmann6-norm": Problem(*NORM6),
    "hartmann6-norm-0.2": Problem(*NORM6, noise=0.2),
    "gardner": Problem(*GARDNER),
    "gramacy": Problem(*GRAMACY),
    "gramacy-0.2": Problem(*GRAMACY, noise=0.2),
    "func2c": Problem([("cat", 3), ("cat", 5), ("float", -1.0, 1.0), ("float", -1.0, 1.0)], func2c, -0.20632569, 30),
    "mixed-hartmann6": Problem(MIXED6, mixed_hartmann6, -3.178102079513, 3.4),
    "mixed-hartmann6-0.2": Problem(MIXED6, mixed_hartmann6, -3.178102079513, 3.4, noise=0.2),
    "pressure-vessel": Problem(
        [("int", 1, 99), ("int", 1, 99), ("float", 10.0, 200.0), ("float", 10.0, 200.0)], pressure_vessel, 6059.714335, 100000,
        (lambda x: 0.0193 * x[2] - 0.0625 * x[0], lambda x: 0.00954 * x[2] - 0.0625 * x[1], vessel_volume)),
}


def optima():
    """Prints the optima by exhaustive search over what is discrete and many local searches over the rest."""
    from scipy.optimize import minimize
    for name in ("func2c", "mixed-hartmann6", "gardner", "gramacy", "hartmann6-norm", "pressure-vessel"):
        problem = PROBLEMS[name]
        if name == "pressure-vessel":
            choices, fixed = itertools.product(range(8, 20), range(4, 12)), 2
        else:
            fixed = sum(kind != "float" for kind, *_ in problem.parameters)
            choices = itertools.product(*[range(p[1]) if p[0] == "cat" else range(p[1], p[2] + 1) for p in problem.parameters[:fixed]])
        bounds = [p[1:] for p in problem.parameters[fixed:]]
        best = (math.inf, None)
        random = numpy.random.default_rng(1)
        for choice in choices:
            for _ in range(20 if fixed else 200):
                start = [random.uniform(*b) for b in bounds]
                found = minimize(lambda z: problem.f([*choice, *z]), start, bounds=bounds, method="SLSQP", constraints=[
                    {"type": "ineq", "fun": lambda z, c=c: -c([*choice, *z])} for c in problem.constraints])
                if found.success and max([0] + [c([*choice, *found.x]) for c in problem.constraints]) < 1e-9:
                    best = min(best, (found.fun, [*choice, *found.x]))
        print(name, best)


# ---- Methods: each evaluates by `evaluate(x) -> (value, constraints)` and returns the point that it recommends ----

def best_observed(xs, values, constraints):
    feasible = [i for i in range(len(xs)) if all(c <= 0 for c in constraints[i])]
    return xs[min(feasible, key=lambda i: values[i])] if feasible else None


def run_optuna(problem, seed, evaluate):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.GPSampler(
        seed=seed, deterministic_objective=problem.noise == 0,
        constraints_func=(lambda trial: trial.user_attrs["constraints"]) if problem.constraints else None)
    study = optuna.create_study(sampler=sampler)
    xs, values, constraints = [], [], []

    def objective(trial):
        x = []
        for i, (kind, *range_) in enumerate(problem.parameters):
            if kind == "float":
                x.append(trial.suggest_float(f"x{i}", *range_))
            elif kind == "int":
                x.append(trial.suggest_int(f"x{i}", *range_))
            else:
                x.append(trial.suggest_categorical(f"x{i}", list(range(*range_))))
        value, violated = evaluate(x)
        trial.set_user_attr("constraints", violated)
        xs.append(x)
        values.append(value)
        constraints.append(violated)
        return value

    study.optimize(objective, n_trials=EVALUATIONS)
    return best_observed(xs, values, constraints)


def run_botorch(problem, seed, evaluate):
    import torch
    from botorch.acquisition import PosteriorMean
    from botorch.acquisition.logei import qLogNoisyExpectedImprovement
    from botorch.acquisition.objective import GenericMCObjective
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import MixedSingleTaskGP, ModelListGP, SingleTaskGP
    from botorch.optim import optimize_acqf
    from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating
    from botorch.sampling import SobolQMCNormalSampler
    from gpytorch.mlls import ExactMarginalLogLikelihood, SumMarginalLogLikelihood
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.double)
    torch.manual_seed(seed)
    kinds = [p[0] for p in problem.parameters]
    size = len(kinds)
    categories = [i for i, kind in enumerate(kinds) if kind == "cat"]
    bounds = torch.tensor([[0.0] * size, [p[1] - 1.0 if p[0] == "cat" else 1.0 for p in problem.parameters]])
    discrete = {i: [v / (p[2] - p[1]) for v in range(p[2] - p[1] + 1)] for i, p in enumerate(problem.parameters) if p[0] == "int"}
    category_values = {i: [float(v) for v in range(problem.parameters[i][1])] for i in categories}

    def to_x(z):
        x = []
        for i, p in enumerate(problem.parameters):
            v = float(z[i])
            if p[0] == "float":
                x.append(min(max(p[1] + v * (p[2] - p[1]), p[1]), p[2]))
            elif p[0] == "int":
                x.append(int(round(p[1] + v * (p[2] - p[1]))))
            else:
                x.append(int(round(v)))
        return x

    def snap(z):
        z = z.clone()
        for i in discrete:
            z[..., i] = (z[..., i] * (len(discrete[i]) - 1)).round() / (len(discrete[i]) - 1)
        for i in categories:
            z[..., i] = z[..., i].round()
        return z

    sobol = torch.quasirandom.SobolEngine(size, scramble=True, seed=seed)
    units = sobol.draw(max(5, 2 * size)).double()
    train = torch.empty(0, size)
    observed = torch.empty(0, 1 + len(problem.constraints))
    xs, values, constraints = [], [], []

    def take(z):
        nonlocal train, observed
        x = to_x(z)
        value, violated = evaluate(x)
        xs.append(x)
        values.append(value)
        constraints.append(violated)
        train = torch.cat([train, z.reshape(1, -1)])
        observed = torch.cat([observed, torch.tensor([[-value, *violated]])])

    def fit():
        models = []
        for m in range(observed.shape[1]):
            y = observed[:, m:m + 1]
            models.append(MixedSingleTaskGP(train, y, cat_dims=categories) if categories else SingleTaskGP(train, y))
        if len(models) == 1:
            fit_gpytorch_mll(ExactMarginalLogLikelihood(models[0].likelihood, models[0]))
            return models[0]
        model = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        return model

    for unit in units:
        z = unit.clone()
        for i, p in enumerate(problem.parameters):
            levels = len(discrete[i]) if i in discrete else p[1] if p[0] == "cat" else 0
            if levels:
                z[i] = math.floor(float(unit[i]) * levels) / (levels - 1 if i in discrete else 1)
        take(z)
    while len(xs) < EVALUATIONS:
        model = fit()
        more = {}
        if problem.constraints:
            more = {"objective": GenericMCObjective(lambda samples, X=None: samples[..., 0]),
                    "constraints": [lambda samples, i=i: samples[..., 1 + i] for i in range(len(problem.constraints))]}
        acquisition = qLogNoisyExpectedImprovement(
            model, train, sampler=SobolQMCNormalSampler(torch.Size([64]), seed=seed), prune_baseline=True, **more)
        if discrete or categories:
            z, _ = optimize_acqf_mixed_alternating(
                acquisition, bounds, discrete_dims=discrete or None, cat_dims=category_values or None, q=1, raw_samples=256, num_restarts=6)
        else:
            z, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=10, raw_samples=512)
        take(snap(z.reshape(-1)))
    if problem.noise == 0:
        return best_observed(xs, values, constraints)
    model = fit()
    if not problem.constraints and not discrete and not categories:
        z, _ = optimize_acqf(PosteriorMean(model), bounds, q=1, num_restarts=20, raw_samples=1024)
        return to_x(z.reshape(-1))
    sobol = torch.quasirandom.SobolEngine(size, scramble=True, seed=seed + 1)
    near = train[observed[:, 0].argsort(descending=True)[:10]]
    pool = torch.cat([train, sobol.draw(8192).double() * bounds[1]] + [
        (n + 0.05 * torch.randn(512, size)).clamp(torch.zeros(size), bounds[1]) for n in near])
    pool = snap(pool)
    with torch.no_grad():
        posterior = model.posterior(pool)
        mean = posterior.mean
        sd = posterior.variance.sqrt()
        likely = torch.ones(len(pool))
        for i in range(len(problem.constraints)):
            likely = likely * torch.distributions.Normal(0, 1).cdf(-mean[:, 1 + i] / sd[:, 1 + i])
        score = torch.where(likely >= 0.95, mean[:, 0] + 1e6, likely)
        return to_x(pool[score.argmax()])


class Server:
    """Our optimiser: one JVM for all studies."""

    process = None

    @classmethod
    def call(cls, message):
        if cls.process is None:
            libraries = []
            for group, artifact in (("org/ejml", "ejml-core"), ("org/ejml", "ejml-ddense"), ("org/hipparchus", "hipparchus-core"),
                                    ("org/apache/commons", "commons-numbers-gamma"), ("org/apache/commons", "commons-numbers-core"),
                                    ("org/apache/commons", "commons-numbers-fraction"),
                                    ("com/fasterxml/jackson/core", "jackson-core"), ("com/fasterxml/jackson/core", "jackson-databind"),
                                    ("com/fasterxml/jackson/core", "jackson-annotations")):
                found = sorted((pathlib.Path.home() / ".m2/repository" / group / artifact).glob(f"*/{artifact}-*.jar"))
                libraries += [str(found[-1])] if found else []
            classes = os.environ.get("TUNER_CLASSES", str(ROOT / "tuner/target/classes"))
            cls.process = subprocess.Popen(
                ["java", "-XX:+UseSerialGC", "-XX:CICompilerCount=2", "-cp", ":".join([classes, *libraries]),
                 str(ROOT / "benchmarks/OptimiserServer.java")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.process.stdin.write(json.dumps(message) + "\n")
        cls.process.stdin.flush()
        answer = json.loads(cls.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer


def run_lockstep(problem, seed, evaluate):
    names = [f"c{i}" for i in range(len(problem.constraints))]
    parameters = []
    for i, (kind, *range_) in enumerate(problem.parameters):
        if kind == "cat":
            parameters.append({"name": f"x{i}", "type": "categorical", "values": list(range(*range_))})
        else:
            parameters.append({"name": f"x{i}", "type": kind, "min": range_[0], "max": range_[1]})
    Server.call({"do": "study", "parameters": parameters, "constraints": names, "seed": seed, "evaluations": EVALUATIONS})
    for _ in range(EVALUATIONS):
        trial = Server.call({"do": "ask"})
        value, violated = evaluate([trial["parameters"][f"x{i}"] for i in range(len(parameters))])
        Server.call({"do": "tell", "trial": trial["trial"], "value": value, "constraints": dict(zip(names, violated))})
    best = Server.call({"do": "best"})
    return [best["parameters"][f"x{i}"] for i in range(len(parameters))] if "parameters" in best else None


METHODS = {"lockstep": run_lockstep, "optuna": run_optuna, "botorch": run_botorch}


def done():
    lines = OUT.read_text().splitlines() if OUT.exists() else []
    return [json.loads(line) for line in lines]


def run(methods, problems, seeds, minutes):
    end = time.monotonic() + 60 * minutes
    have = {(one["method"], one["problem"], one["seed"]) for one in done()}
    for seed in range(1, seeds + 1):
        for name in problems:
            for method in methods:
                if (method, name, seed) in have:
                    continue
                if time.monotonic() > end:
                    print("time is up; the same command goes on")
                    return
                problem = PROBLEMS[name]
                random = numpy.random.default_rng([seed, 4711])
                start = time.monotonic()
                best = METHODS[method](problem, seed, lambda x: problem.evaluate(x, random))
                line = {"method": method, "problem": name, "seed": seed, "regret": problem.regret(best),
                        "secondsEach": (time.monotonic() - start) / EVALUATIONS}
                with OUT.open("a") as out:
                    out.write(json.dumps(line) + "\n")


def interval(values):
    """The 90 % interval of the median, by order statistics."""
    ordered, n = sorted(values), len(values)
    below, total = 0, 0.0
    while total + math.comb(n, below) / 2 ** n < 0.05:
        total += math.comb(n, below) / 2 ** n
        below += 1
    return ordered[max(0, below - 1)], ordered[min(n - 1, n - below)]


def table():
    runs = done()
    methods = [m for m in METHODS if any(one["method"] == m for one in runs)]
    print("| problem | " + " | ".join(methods) + " |\n|---|" + "---|" * len(methods))
    for name, problem in PROBLEMS.items():
        cells = []
        for method in methods:
            of = [one["regret"] for one in runs if one["method"] == method and one["problem"] == name]
            if not of:
                cells.append("")
                continue
            low, high = interval(of)
            violated = sum(v == problem.penalty for v in of)
            cells.append(f"{statistics.median(of):.3g} ({low:.3g} to {high:.3g}; n {len(of)}" + (f"; {violated} violate" if violated else "") + ")")
        print(f"| {name} | " + " | ".join(cells) + " |")
    for method in methods:
        print(f"{method}: {1000 * statistics.median(one['secondsEach'] for one in runs if one['method'] == method):.0f} ms a trial")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["run", "table", "optima"])
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=30)
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    if given.what == "run":
        run(given.methods.split(","), given.problems.split(","), given.seeds, given.minutes)
    elif given.what == "table":
        table()
    else:
        optima()


if __name__ == "__main__":
    main()
