"""Two perceptrons, each as a training step in this engine, in its peers and by hand.

All start from the same weights and do the same: forward, loss, backward, p ← p − 0.01 · gradient.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core import Tensor, grad, ops
from core.plan import Plan

Array = np.ndarray[Any, Any]
RATE = 0.01


class Perceptron:
    """Layers of sizes ``sizes``; tanh and squared error, or relu and cross entropy."""

    def __init__(self, sizes: tuple[int, ...], batch: int, classify: bool) -> None:
        rng = np.random.default_rng(0)
        self.classify = classify
        self.weights = [
            rng.standard_normal(pair) / np.sqrt(pair[0]) for pair in itertools.pairwise(sizes)
        ]
        self.biases = [np.zeros(n) for n in sizes[1:]]
        self.x = rng.standard_normal((batch, sizes[0]))
        self.target: Array = (
            rng.integers(0, sizes[-1], batch)
            if classify
            else rng.standard_normal((batch, sizes[-1]))
        )
        self.params = [Tensor(p.copy(), requires_grad=True) for p in (*self.weights, *self.biases)]

    # -- this engine ------------------------------------------------------------------------------

    def loss(self) -> Tensor:
        return self._loss_of(self.params)

    def _loss_of(self, params: Sequence[Tensor]) -> Tensor:
        n = len(self.weights)
        h: Any = self.x
        for k in range(n):
            h = h @ params[k] + params[n + k]
            if k < n - 1:
                h = h.relu() if self.classify else h.tanh()
        if self.classify:
            return ops.apply("cross_entropy", h, self.target)  # type: ignore[no-any-return]
        difference = h - self.target
        return np.mean(difference * difference)  # type: ignore[no-any-return,call-overload]

    def step(self) -> None:
        self.loss().backward()
        for p in self.params:
            assert p.grad is not None
            p.data -= RATE * p.grad.data
            p.grad = None

    def penalty(self) -> None:
        """The gradient of the norm of the gradient."""
        slopes = grad(self.loss(), self.params, create_graph=True)
        total: Any = sum(np.sum(g * g) for g in slopes)
        np.sqrt(total).backward()
        for p in self.params:
            p.grad = None

    def planned_step(self) -> Callable[[], None]:
        """The step with its loss and gradients compiled once."""

        def gradients(*params: Tensor) -> tuple[Tensor | None, ...]:
            return grad(self._loss_of(params), params)

        arrays = [p.data.copy() for p in self.params]
        plan = Plan(gradients, *arrays)

        def step() -> None:
            for p, g in zip(arrays, plan(*arrays), strict=True):
                p -= RATE * g

        return step

    def planned_penalty(self) -> Callable[[], Any]:
        """The gradient of the norm of the gradient, compiled once."""

        def gradients(*params: Tensor) -> tuple[Tensor | None, ...]:
            slopes = grad(self._loss_of(params), params, create_graph=True)
            return grad(np.sqrt(sum(np.sum(g * g) for g in slopes)), params)

        arrays = [p.data.copy() for p in self.params]
        plan = Plan(gradients, *arrays)
        return lambda: plan(*arrays)

    # -- PyTorch ----------------------------------------------------------------------------------

    def _torch(self) -> tuple[list[Any], Callable[[], Any]]:
        import torch

        params = [torch.tensor(p.data, requires_grad=True) for p in self.params]
        x, target = torch.from_numpy(self.x), torch.from_numpy(self.target)
        n = len(self.weights)

        def loss() -> Any:
            h = x
            for k in range(n):
                h = h @ params[k] + params[n + k]
                if k < n - 1:
                    h = torch.relu(h) if self.classify else torch.tanh(h)
            if self.classify:
                return torch.nn.functional.cross_entropy(h, target)
            difference = h - target
            return torch.mean(difference * difference)

        return params, loss

    def torch_step(self) -> Callable[[], None]:
        import torch

        params, loss = self._torch()

        def step() -> None:
            loss().backward()
            with torch.no_grad():
                for p in params:
                    p -= RATE * p.grad
                    p.grad = None

        return step

    def torch_penalty(self) -> Callable[[], None]:
        import torch

        params, loss = self._torch()

        def penalty() -> None:
            slopes = torch.autograd.grad(loss(), params, create_graph=True)
            torch.sqrt(sum(torch.sum(g * g) for g in slopes)).backward()
            for p in params:
                p.grad = None

        return penalty

    # -- HIPS autograd ----------------------------------------------------------------------------

    def hips_step(self) -> Callable[[], None]:
        import autograd.numpy as anp
        from autograd import grad as hips_grad

        params = [p.data.copy() for p in self.params]
        n = len(self.weights)

        def loss(params: list[Any]) -> Any:
            h = self.x
            for k in range(n):
                h = anp.dot(h, params[k]) + params[n + k]
                if k < n - 1:
                    h = anp.maximum(h, 0.0) if self.classify else anp.tanh(h)
            if self.classify:
                z = h - anp.max(h, axis=1, keepdims=True)
                logs = z - anp.log(anp.sum(anp.exp(z), axis=1, keepdims=True))
                return -anp.mean(logs[anp.arange(len(z)), self.target])
            difference = h - self.target
            return anp.mean(difference * difference)

        slope = hips_grad(loss)

        def step() -> None:
            for p, g in zip(params, slope(params), strict=True):
                p -= RATE * g

        return step

    # -- by hand ----------------------------------------------------------------------------------

    def hand_step(self) -> Callable[[], None]:
        weights, biases = [w.copy() for w in self.weights], [b.copy() for b in self.biases]
        n = len(weights)
        rows = np.arange(len(self.x))

        def step() -> None:
            values = [self.x]
            for k in range(n):
                h = values[-1] @ weights[k] + biases[k]
                if k < n - 1:
                    h = np.maximum(h, 0.0) if self.classify else np.tanh(h)
                values.append(h)
            out = values[-1]
            if self.classify:
                e = np.exp(out - out.max(1, keepdims=True))
                g = e / e.sum(1, keepdims=True)
                np.log(g[rows, self.target]).mean()  # the loss itself
                g[rows, self.target] -= 1
                g /= len(rows)
            else:
                difference = out - self.target
                np.mean(difference * difference)  # the loss itself
                g = difference * (2 / out.size)
            slopes = []
            for k in reversed(range(n)):
                slopes.append((k, values[k].T @ g, g.sum(0)))
                if k:
                    g = g @ weights[k].T
                    h = values[k]
                    g = g * (h > 0) if self.classify else g * (1 - h * h)
            for k, w, b in slopes:
                weights[k] -= RATE * w
                biases[k] -= RATE * b

        return step


def small() -> Perceptron:
    """2-16-16-1 on a batch of 32."""
    return Perceptron((2, 16, 16, 1), 32, classify=False)


def large() -> Perceptron:
    """784-256-10 on a batch of 128."""
    return Perceptron((784, 256, 10), 128, classify=True)
