"""The text of torch.nn.init."""

INIT = """
import math
import torch


def _fill(tensor, value):
    with torch.no_grad():
        return tensor.copy_(value)


def zeros_(tensor):
    return _fill(tensor, torch.zeros_like(tensor))


def ones_(tensor):
    return _fill(tensor, torch.ones_like(tensor))


def constant_(tensor, val):
    return _fill(tensor, torch.full_like(tensor, val))


def uniform_(tensor, a=0.0, b=1.0):
    with torch.no_grad():
        return tensor.uniform_(a, b)


def normal_(tensor, mean=0.0, std=1.0):
    with torch.no_grad():
        return tensor.normal_(mean, std)


def eye_(tensor):
    return _fill(tensor, torch.eye(*tensor.shape, dtype=tensor.dtype))


def _fans(tensor):
    space = math.prod(tensor.shape[2:])
    return tensor.shape[1] * space, tensor.shape[0] * space


def calculate_gain(nonlinearity, param=None):
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    return 1.0


def xavier_uniform_(tensor, gain=1.0):
    fan_in, fan_out = _fans(tensor)
    bound = gain * math.sqrt(6.0 / (fan_in + fan_out))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor, gain=1.0):
    fan_in, fan_out = _fans(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / (fan_in + fan_out)))


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    fan = _fans(tensor)[0 if mode == "fan_in" else 1]
    bound = math.sqrt(3.0) * calculate_gain(nonlinearity, a) / math.sqrt(fan)
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    fan = _fans(tensor)[0 if mode == "fan_in" else 1]
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(fan))
"""
