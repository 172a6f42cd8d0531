#!/usr/bin/env python3
"""A program that evaluates for replay tune (docs/tuning.md): put your own measurement in place of measure()."""

import json
import math
import sys


def measure(x, y):
    curve = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return curve**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = {"value": measure(**asked["parameters"])}
    except Exception as e:
        answer = {"failed": str(e)}
    print(json.dumps({"trial": asked["trial"], **answer}), flush=True)
