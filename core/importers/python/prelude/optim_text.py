"""The text of torch.optim that programs run on; ``prelude`` interprets it."""

OPTIM = """
import torch


class Optimizer:
    def _take(self, params, **defaults):
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        self.defaults = defaults
        self.param_groups = []
        for group in groups:
            given = group["params"]
            whole = {**defaults, **group}
            whole["params"] = [given] if isinstance(given, torch.Tensor) else list(given)
            for p in whole["params"]:
                if not p.is_leaf:
                    raise ValueError("can't optimize a non-leaf Tensor")
            self.param_groups.append(whole)
        self.state = {}

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    if set_to_none:
                        p.grad = None
                    else:
                        p.grad.zero_()

    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        state = self.state.setdefault(identity(p), {})
                        g = p.grad
                        if group.get("maximize"):
                            g = -g
                        self._update(p, g, state, group)
        return loss


class SGD(Optimizer):
    def __init__(self, params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False,
                 maximize=False):
        self._take(params, lr=lr, momentum=momentum, dampening=dampening,
                   weight_decay=weight_decay, nesterov=nesterov, maximize=maximize)

    def _update(self, p, g, state, group):
        momentum = group["momentum"]
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        if momentum:
            if "buffer" in state:
                state["buffer"] = momentum * state["buffer"] + (1 - group["dampening"]) * g
            else:
                state["buffer"] = g.clone()
            g = g + momentum * state["buffer"] if group["nesterov"] else state["buffer"]
        p.sub_(group["lr"] * g)


class Adam(Optimizer):
    def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 amsgrad=False, maximize=False):
        self._take(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                   amsgrad=amsgrad, maximize=maximize)

    def _decayed(self, p, g, group):
        return g + group["weight_decay"] * p if group["weight_decay"] else g

    def _update(self, p, g, state, group):
        g = self._decayed(p, g, group)
        b1, b2 = group["betas"]
        t = state.get("step", 0) + 1
        m = b1 * state.get("m", torch.zeros_like(p)) + (1 - b1) * g
        v = b2 * state.get("v", torch.zeros_like(p)) + (1 - b2) * g * g
        state["step"], state["m"], state["v"] = t, m, v
        if group["amsgrad"]:
            v = torch.maximum(state.get("most", v), v)
            state["most"] = v
        rate = group["lr"] / (1 - b1 ** t)
        p.sub_(rate * m / (v.sqrt() / (1 - b2 ** t) ** 0.5 + group["eps"]))


class AdamW(Adam):
    def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01,
                 amsgrad=False, maximize=False):
        self._take(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                   amsgrad=amsgrad, maximize=maximize)

    def _decayed(self, p, g, group):
        p.mul_(1 - group["lr"] * group["weight_decay"])
        return g


class RMSprop(Optimizer):
    def __init__(self, params, lr=0.01, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0):
        self._take(params, lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay,
                   momentum=momentum)

    def _update(self, p, g, state, group):
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        v = group["alpha"] * state.get("v", torch.zeros_like(p)) + (1 - group["alpha"]) * g * g
        state["v"] = v
        g = g / (v.sqrt() + group["eps"])
        if group["momentum"]:
            g = group["momentum"] * state.get("buffer", torch.zeros_like(p)) + g
            state["buffer"] = g
        p.sub_(group["lr"] * g)


class Adagrad(Optimizer):
    def __init__(self, params, lr=0.01, lr_decay=0, weight_decay=0, eps=1e-10):
        self._take(params, lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, eps=eps)

    def _update(self, p, g, state, group):
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        t = state.get("step", 0) + 1
        total = state.get("total", torch.zeros_like(p)) + g * g
        state["step"], state["total"] = t, total
        p.sub_(group["lr"] / (1 + (t - 1) * group["lr_decay"]) * g / (total.sqrt() + group["eps"]))
"""

SCHEDULERS = """
import math


class _Scheduler:
    def _start(self, optimizer):
        self.optimizer, self.last_epoch = optimizer, 0
        self.base_lrs = [group["lr"] for group in optimizer.param_groups]

    def step(self):
        self.last_epoch += 1
        for base, group in zip(self.base_lrs, self.optimizer.param_groups):
            group["lr"] = base * self._factor(self.last_epoch)

    def get_last_lr(self):
        return [group["lr"] for group in self.optimizer.param_groups]


class StepLR(_Scheduler):
    def __init__(self, optimizer, step_size, gamma=0.1):
        self.step_size, self.gamma = step_size, gamma
        self._start(optimizer)

    def _factor(self, epoch):
        return self.gamma ** (epoch // self.step_size)


class MultiStepLR(_Scheduler):
    def __init__(self, optimizer, milestones, gamma=0.1):
        self.milestones, self.gamma = milestones, gamma
        self._start(optimizer)

    def _factor(self, epoch):
        return self.gamma ** len([m for m in self.milestones if m <= epoch])


class CosineAnnealingLR(_Scheduler):
    def __init__(self, optimizer, T_max, eta_min=0.0):
        self.T_max, self.eta_min = T_max, eta_min
        self._start(optimizer)

    def step(self):
        self.last_epoch += 1
        wave = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        for base, group in zip(self.base_lrs, self.optimizer.param_groups):
            group["lr"] = self.eta_min + (base - self.eta_min) * wave


class ExponentialLR(_Scheduler):
    def __init__(self, optimizer, gamma):
        self.gamma = gamma
        self._start(optimizer)

    def _factor(self, epoch):
        return self.gamma ** epoch


class LambdaLR(_Scheduler):
    def __init__(self, optimizer, lr_lambda):
        self.lr_lambda = lr_lambda
        self._start(optimizer)

    def _factor(self, epoch):
        return self.lr_lambda(epoch)
"""
