"""The learners' forms for several classes, as plain dense rules in 64-bit floats: one matrix, a row for every class.

As learners.py: slow on purpose, nothing lazy, nothing shared with the C code. With r the wrong class of largest margin
(ties: the class seen first) and M = m_y - m_r an example changes rows y and r alone; the first example has no wrong
class and changes nothing.
"""

import numpy as np

from learners import ratio, soft


class Matrix:
    params = ()
    options = ()  # parameters that may be left out
    forget = 1  # what is left of the past after each example
    invariant = 0  # 1: steps are importance-invariant

    def __init__(self, d, **given):
        if set(given) - set(self.options) != set(self.params):
            raise ValueError(f"{type(self).__name__} takes {self.params}, not {tuple(given)}")
        for name, value in given.items():
            setattr(self, "lambda_" if name == "lambda" else name, value)
        self.d = d
        self.W, self.N = np.zeros((0, d)), np.zeros((0, d))

    def add_class(self):
        self.W = np.vstack([self.W, np.zeros(self.d)])
        self.N = np.vstack([self.N, self.first() * np.ones(self.d)])

    def first(self):
        """What the second matrix of a rule starts at: variances, or sums of squares."""
        return 0.0

    def fade(self, g):
        """Forgetting, before every round: sums, and precisions above their prior, become g times as large."""

    def look(self, x):
        """What happens before predicting."""

    def weights(self, t):
        """The weights that predict example t."""
        return self.W

    def final(self, t):
        """The weights after t examples."""
        return self.weights(t + 1)

    def edge(self):
        return 1.0


class Perceptron(Matrix):
    params = ("eta",)

    def learn(self, t, x, y, r, h, M, seen):
        if M > 0:
            return False
        self.W[y] += self.eta * h * x
        self.W[r] -= self.eta * h * x
        return True

    def edge(self):
        return 0.0


class PA(Matrix):
    def tau(self, l, xx, h):
        if h != 1:
            raise ValueError("takes only the weights 0 and 1")
        return l / xx

    def learn(self, t, x, y, r, h, M, seen):
        if M >= 1 or not x.any():
            return False
        tau = self.tau(1 - M, 2 * (x @ x), h)
        for c, sign in ((y, 1), (r, -1)):
            self.W[c] += sign * tau * x
            self.W[c] = self.shrunk(self.W[c], seen)
        return True

    def shrunk(self, w, seen):
        return w


class PA1(PA):
    params = ("C",)

    def tau(self, l, xx, h):
        return min(self.C * h, l / xx)


class PA2(PA):
    params = ("C",)

    def tau(self, l, xx, h):
        return l / (xx + 1 / (2 * self.C * h))


class Shrinking:
    """olsf: each vector that changed is projected and truncated. `seen` is the columns in the order of first sight."""

    def shrunk(self, w, seen):
        norm = np.abs(w).sum()
        if norm > self.lambda_:
            w = w * (self.lambda_ / norm)
        keep = max(1, int(np.floor(self.B * len(seen))))
        largest = sorted(seen, key=lambda i: -abs(w[i]))[:keep]  # a stable sort: of equal ones the first seen
        out = np.zeros_like(w)
        out[largest] = w[largest]
        return out


class Olsf(Shrinking, PA):
    params = ("lambda", "B")


class Olsf1(Shrinking, PA1):
    params = ("lambda", "B", "C")


class Olsf2(Shrinking, PA2):
    params = ("lambda", "B", "C")


class OlsfPer(Shrinking, PA):
    params = ("lambda", "B")

    def tau(self, l, xx, h):
        return h


class Confident(Matrix):
    """Variances in N."""

    def first(self):
        return self.a

    def fade(self, g):
        self.N = 1 / (1 / self.a + g * (1 / self.N - 1 / self.a))

    def learn(self, t, x, y, r, h, M, seen):
        v = x @ (self.N[y] * x) + x @ (self.N[r] * x)
        if v == 0 or M >= self.enough(v):
            return False
        alpha, beta = self.rates(M, v, h)
        for c, sign in ((y, 1), (r, -1)):
            Sx = self.N[c] * x
            self.W[c] += sign * alpha * Sx
            self.N[c] -= beta * Sx**2
        return True

    def enough(self, v):
        return 1.0


class Arow(Confident):
    params = ("r", "a")
    options = ("forget",)

    def rates(self, M, v, h):
        beta = 1 / (v + self.r / h)
        return (1 - M) * beta, beta


class Cw(Confident):
    params = ("phi", "a")

    def enough(self, v):
        return self.phi * v

    def rates(self, M, v, h):
        phi, b = self.phi, 1 + 2 * self.phi * M
        alpha = max(0, (-b + np.sqrt(b * b - 8 * phi * (M - phi * v))) / (4 * phi * v))
        return alpha, 2 * alpha * phi / (1 + 2 * alpha * phi * v)


class Averager(Matrix):
    """theta, or minus the sum of gradients u, in W."""

    def fade(self, g):
        self.W *= g
        self.N *= g

    def learn(self, t, x, y, r, h, M, seen):
        if M >= 1:
            return False
        if self.invariant:
            slope = self.slope(t, x, y) + self.slope(t, x, r)
            if slope == 0:
                return False
            h = min(h, (1 - M) / slope)
        for c, sign in ((y, 1), (r, -1)):
            self.gradient(c, -sign * h * x, x)
        return True


class Fsol(Averager):
    params = ("eta", "lambda", "schedule")
    options = ("invariant",)

    def gradient(self, c, g, x):
        self.W[c] -= self.eta * g

    def slope(self, t, x, c):
        """How far the margin of class c moves with a gradient of x."""
        return self.eta * (x @ x)

    def threshold(self, t):
        t = max(t, 1)
        return {"constant": self.eta * self.lambda_, "inverse": self.lambda_ / t,
                "sqrt": self.lambda_ / np.sqrt(t)}[self.schedule]

    def weights(self, t):
        return soft(self.W, self.threshold(t))

    def final(self, t):
        return self.weights(t)


class Ssol(Fsol):
    params = ("eta", "lambda", "schedule", "r")
    options = ("forget", "invariant")

    def __init__(self, d, **given):
        super().__init__(d, **given)
        self.A = np.ones(d)  # of all classes

    def slope(self, t, x, c):
        return self.eta * (self.A @ x**2)

    def fade(self, g):
        super().fade(g)
        self.A = 1 / (1 + g * (1 / self.A - 1))

    def look(self, x):
        self.A -= (self.A * x) ** 2 / (self.r + (self.A * x * x).sum())

    def weights(self, t):
        return soft(self.A * self.W, self.threshold(t))


class Rda(Averager):
    params = ("eta", "lambda")
    options = ("invariant",)

    def gradient(self, c, g, x):
        self.W[c] += g

    def slope(self, t, x, c):
        return self.eta / np.sqrt(max(t - 1, 1)) * (x @ x)

    def weights(self, t):
        n = max(t - 1, 1)
        return -self.eta * np.sqrt(n) * soft(self.W / n, self.lambda_)


class AdaRda(Averager):
    """G in N."""
    params = ("eta", "lambda", "delta")
    options = ("forget", "invariant")

    def gradient(self, c, g, x):
        self.W[c] += g
        self.N[c] += x * x

    def slope(self, t, x, c):
        return ratio(self.eta * x**2, self.delta + np.sqrt(self.N[c] + x**2)).sum()

    def weights(self, t):
        n = max(t - 1, 1)
        return -np.sign(self.W) * ratio(self.eta * n * np.maximum(np.abs(self.W) / n - self.lambda_, 0),
                                        self.delta + np.sqrt(self.N))


class Ftrl(Averager):
    """With the hinge loss. z in W, n in N."""
    params = ("alpha", "beta", "l1", "l2", "loss")
    options = ("forget", "invariant")

    def slope(self, t, x, c):
        return ratio(self.alpha * x**2, self.beta + self.alpha * self.l2 + np.sqrt(self.N[c] + x**2)).sum()

    def gradient(self, c, g, x):
        square = x * x if self.invariant else g * g
        sigma = (np.sqrt(self.N[c] + square) - np.sqrt(self.N[c])) / self.alpha
        self.W[c] += g - sigma * self.closed(self.W[c], self.N[c])
        self.N[c] += square

    def closed(self, z, n):
        return -ratio(soft(z, self.l1), (self.beta + np.sqrt(n)) / self.alpha + self.l2)

    def weights(self, t):
        return self.closed(self.W, self.N)


MATRIX = {"perceptron": Perceptron, "pa": PA, "pa-1": PA1, "pa-2": PA2, "olsf": Olsf, "olsf-1": Olsf1, "olsf-2": Olsf2,
          "olsf-all": PA1, "olsf-per": OlsfPer, "arow": Arow, "cw": Cw, "fsol": Fsol, "ssol": Ssol, "rda": Rda,
          "ada-rda": AdaRda, "ftrl": Ftrl}
ONLY_0_AND_1 = {"pa", "olsf", "cw"}


def best(margins, other_than=None):
    """The class of largest margin, among equals the first; None: there is none."""
    found = None
    for c, m in enumerate(margins):
        if c != other_than and (found is None or m > margins[found]):
            found = c
    return found


class Run:
    """One pass of a rule over the examples of a stream of classes, as compare_classes.py makes them."""

    def __init__(self, name, stream, params):
        rule = MATRIX[name](stream.dimension, **params)
        self.mistakes = self.updates = self.examples = 0
        self.closest = np.inf
        self.classes, seen = [], []
        for label, h, columns, x in stream.examples():
            if h == 0:
                continue
            self.examples += 1
            t = self.examples
            seen += [c for c in columns if c not in seen]
            if rule.forget != 1:
                rule.fade(rule.forget)
            rule.look(x)
            known = len(self.classes)
            margins = [float(w @ x) for w in rule.weights(t)]
            predicted = best(margins)
            if label not in self.classes:
                self.classes.append(label)
                rule.add_class()
                margins.append(0.0)
            y = self.classes.index(label)
            self.mistakes += predicted != y
            r = best(margins[:known], y)
            if r is None:
                continue
            M = margins[y] - margins[r]
            self.updates += bool(rule.learn(t, x, y, r, h, M, seen) and x.any())
            if M != 0:
                self.closest = min(self.closest, abs(M - rule.edge()))
            gaps = np.diff(np.sort(np.array(margins)))
            self.closest = min([self.closest, *gaps[gaps > 0]])
        self.features_seen = len(seen)
        self.W = rule.final(self.examples)
        self.weights = {(stream.ids[i], self.classes[c]): float(self.W[c, i]) for c, i in zip(*np.nonzero(self.W))}
