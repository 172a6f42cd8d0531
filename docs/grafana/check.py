#!/usr/bin/env python3
"""Checks lockstep.json against Grafana's own JSON schema of dashboards.

usage: docs/grafana/check.py dashboard.jsonschema.json

The schema is jsonschema/dashboard.jsonschema.json of github.com/grafana/grafana-foundation-sdk, which Grafana generates from
the definitions that its server uses. Needs the package jsonschema (pip install jsonschema).
"""

import json
import pathlib
import sys

import jsonschema

if len(sys.argv) != 2:
    sys.exit(__doc__)
schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
dashboard = json.loads((pathlib.Path(__file__).parent / "lockstep.json").read_text())
problems = list(jsonschema.Draft7Validator(schema).iter_errors(dashboard))
for problem in problems:
    print("/".join(map(str, problem.absolute_path)) + ": " + problem.message[:200])
sys.exit(f"{len(problems)} problems" if problems else 0)
