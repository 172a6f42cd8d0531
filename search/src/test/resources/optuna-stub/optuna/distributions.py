class CategoricalDistribution:
    def __init__(self, choices):
        self.choices = choices

    def value(self):
        return self.choices[0]


class FloatDistribution:
    def __init__(self, low, high, log=False, step=None):
        self.low, self.high, self.log, self.step = low, high, log, step

    def value(self):
        return self.low + 0.437 * (self.high - self.low)


class IntDistribution(FloatDistribution):
    def value(self):
        return int(super().value())
