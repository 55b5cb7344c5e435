"""The text of torch.nn and torch.nn.init that programs run on; ``prelude`` interprets it."""

NN = """
import math
import torch
import torch.nn.functional as F

Parameter = Parameter_


class Module:
    training = True

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, *args):
        raise NotImplementedError(
            f'Module [{name_of(self)}] is missing the required "forward" function')

    def named_parameters(self, prefix="", recurse=True):
        found, seen = [], set()
        for name, value in self._walk(prefix, "parameter", recurse):
            if identity(value) not in seen:
                seen.add(identity(value))
                found.append((name, value))
        return found

    def _walk(self, prefix, kind, recurse=True):
        dot = prefix + ("." if prefix else "")
        found = [(dot + name, value) for name, value, k in parts_of(self) if k == kind]
        if recurse:
            for name, value, k in parts_of(self):
                if k == "module":
                    found.extend(value._walk(dot + name, kind))
        return found

    def parameters(self, recurse=True):
        return iter([value for _, value in self.named_parameters("", recurse)])

    def named_buffers(self, prefix=""):
        return self._walk(prefix, "buffer")

    def buffers(self):
        return [value for _, value in self.named_buffers()]

    def named_children(self):
        return [(name, value) for name, value, k in parts_of(self) if k == "module"]

    def children(self):
        return [value for _, value in self.named_children()]

    def modules(self):
        found = [self]
        for child in self.children():
            found.extend(child.modules())
        return found

    def named_modules(self, prefix=""):
        found = [(prefix, self)]
        for name, child in self.named_children():
            found.extend(child.named_modules(prefix + ("." if prefix else "") + name))
        return found

    def zero_grad(self, set_to_none=True):
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad.zero_()

    def train(self, mode=True):
        for module in self.modules():
            module.training = mode
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def to(self, *args, **kwargs):
        for module in self.modules():
            for name, value, kind in parts_of(module):
                if kind in ("parameter", "buffer") and value.is_floating_point():
                    value.data = value.data.to(*args, **kwargs)
        return self

    def double(self):
        return self.to(torch.float64)

    def float(self):
        return self.to(torch.float32)

    def cpu(self):
        return self

    def apply(self, fn):
        for module in self.modules():
            fn(module)
        return self

    def register_parameter(self, name, param):
        setattr(self, name, param)

    def register_buffer(self, name, tensor, persistent=True):
        if not hasattr(self, "_buffers"):
            self._buffers = {}
        self._buffers[name] = True
        setattr(self, name, tensor)

    def add_module(self, name, module):
        setattr(self, name, module)

    def state_dict(self):
        return {name: value.detach() for kind in ("parameter", "buffer")
                for name, value in self._walk("", kind)}

    def load_state_dict(self, state, strict=True):
        with torch.no_grad():
            for kind in ("parameter", "buffer"):
                for name, value in self._walk("", kind):
                    value.copy_(state[name])

    def extra_repr(self):
        return ""

    def __repr__(self):
        return f"{name_of(self)}({self.extra_repr()})"


class Identity(Module):
    def forward(self, x):
        return x


class Sequential(Module):
    def __init__(self, *modules):
        if len(modules) == 1 and isinstance(modules[0], dict):
            for name, module in modules[0].items():
                setattr(self, name, module)
        else:
            for k, module in enumerate(modules):
                setattr(self, str(k), module)

    def forward(self, x):
        for module in self.children():
            x = module(x)
        return x

    def append(self, module):
        setattr(self, str(len(self)), module)
        return self

    def __getitem__(self, k):
        return self.children()[k]

    def __len__(self):
        return len(self.children())

    def __iter__(self):
        return iter(self.children())


class ModuleList(Module):
    def __init__(self, modules=()):
        for k, module in enumerate(modules):
            setattr(self, str(k), module)

    def append(self, module):
        setattr(self, str(len(self)), module)
        return self

    def __getitem__(self, k):
        return self.children()[k]

    def __len__(self):
        return len(self.children())

    def __iter__(self):
        return iter(self.children())


class ModuleDict(Module):
    def __init__(self, modules=None):
        for name, module in (modules or {}).items():
            setattr(self, name, module)

    def __getitem__(self, name):
        return getattr(self, name)

    def items(self):
        return self.named_children()


class ParameterList(Module):
    def __init__(self, values=()):
        for k, value in enumerate(values):
            setattr(self, str(k), value)

    def __getitem__(self, k):
        return list(self.parameters())[k]

    def __len__(self):
        return len(list(self.parameters()))

    def __iter__(self):
        return iter(self.parameters())


def _uniform(shape, bound, dtype):
    return Parameter(torch.empty(shape, dtype=dtype).uniform_(-bound, bound))


class Linear(Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        self.in_features, self.out_features = in_features, out_features
        bound = 1 / math.sqrt(in_features) if in_features else 0.0
        self.weight = _uniform((out_features, in_features), bound, dtype)
        self.bias = _uniform((out_features,), bound, dtype) if bias else None

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self):
        return (f"in_features={self.in_features}, out_features={self.out_features}, "
                f"bias={self.bias is not None}")


class Bilinear(Module):
    def __init__(self, in1_features, in2_features, out_features, bias=True, dtype=None):
        bound = 1 / math.sqrt(in1_features)
        self.weight = _uniform((out_features, in1_features, in2_features), bound, dtype)
        self.bias = _uniform((out_features,), bound, dtype) if bias else None

    def forward(self, a, b):
        return F.bilinear(a, b, self.weight, self.bias)


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, dtype=None):
        self.weight = Parameter(torch.randn(num_embeddings, embedding_dim, dtype=dtype))
        self.padding_idx = padding_idx
        if padding_idx is not None:
            with torch.no_grad():
                self.weight[padding_idx].zero_()

    def forward(self, x):
        return F.embedding(x, self.weight, self.padding_idx)


def _each(value, n):
    return (value,) * n if isinstance(value, int) else tuple(value)


class _Conv(Module):
    def _make(self, n, in_channels, out_channels, kernel_size, groups, bias, dtype, turned):
        size = _each(kernel_size, n)
        first, second = out_channels, in_channels // groups
        if turned:
            first, second = in_channels, out_channels // groups
        fan = second * math.prod(size)
        self.weight = _uniform((first, second, *size), 1 / math.sqrt(fan), dtype)
        self.bias = _uniform((out_channels,), 1 / math.sqrt(fan), dtype) if bias else None


class Conv1d(_Conv):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        self._make(1, in_channels, out_channels, kernel_size, groups, bias, dtype, False)
        self.settings = (stride, padding, dilation, groups)

    def forward(self, x):
        return F.conv1d(x, self.weight, self.bias, *self.settings)


class Conv2d(_Conv):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        self._make(2, in_channels, out_channels, kernel_size, groups, bias, dtype, False)
        self.settings = (stride, padding, dilation, groups)

    def forward(self, x):
        return F.conv2d(x, self.weight, self.bias, *self.settings)


class ConvTranspose1d(_Conv):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0,
                 output_padding=0, groups=1, bias=True, dilation=1, dtype=None):
        self._make(1, in_channels, out_channels, kernel_size, groups, bias, dtype, True)
        self.settings = (stride, padding, output_padding, groups, dilation)

    def forward(self, x):
        return F.conv_transpose1d(x, self.weight, self.bias, *self.settings)


class ConvTranspose2d(_Conv):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0,
                 output_padding=0, groups=1, bias=True, dilation=1, dtype=None):
        self._make(2, in_channels, out_channels, kernel_size, groups, bias, dtype, True)
        self.settings = (stride, padding, output_padding, groups, dilation)

    def forward(self, x):
        return F.conv_transpose2d(x, self.weight, self.bias, *self.settings)


class _BatchNorm(Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True,
                 track_running_stats=True, device=None, dtype=None):
        self.eps, self.momentum, self.track = eps, momentum, track_running_stats
        self.weight = Parameter(torch.ones(num_features, dtype=dtype)) if affine else None
        self.bias = Parameter(torch.zeros(num_features, dtype=dtype)) if affine else None
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features, dtype=dtype))
            self.register_buffer("running_var", torch.ones(num_features, dtype=dtype))

    def forward(self, x):
        mean = self.running_mean if self.track else None
        var = self.running_var if self.track else None
        training = self.training or not self.track
        return F.batch_norm(x, mean, var, self.weight, self.bias, training, self.momentum,
                            self.eps)


class BatchNorm1d(_BatchNorm):
    pass


class BatchNorm2d(_BatchNorm):
    pass


class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True,
                 device=None, dtype=None):
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape, self.eps = tuple(shape), eps
        self.weight = Parameter(torch.ones(shape, dtype=dtype)) if elementwise_affine else None
        self.bias = (Parameter(torch.zeros(shape, dtype=dtype))
                     if elementwise_affine and bias else None)

    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, dtype=None):
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape, self.eps = tuple(shape), eps
        self.weight = Parameter(torch.ones(shape, dtype=dtype)) if elementwise_affine else None

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm(Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, dtype=None):
        self.num_groups, self.eps = num_groups, eps
        self.weight = Parameter(torch.ones(num_channels, dtype=dtype)) if affine else None
        self.bias = Parameter(torch.zeros(num_channels, dtype=dtype)) if affine else None

    def forward(self, x):
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)


class InstanceNorm2d(Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, dtype=None):
        self.eps = eps
        self.weight = Parameter(torch.ones(num_features, dtype=dtype)) if affine else None
        self.bias = Parameter(torch.zeros(num_features, dtype=dtype)) if affine else None

    def forward(self, x):
        return F.instance_norm(x, weight=self.weight, bias=self.bias, eps=self.eps)


class RNNCell(Module):
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", dtype=None):
        bound = 1 / math.sqrt(hidden_size)
        self.hidden_size = hidden_size
        self.nonlinearity = nonlinearity
        self.weight_ih = _uniform((hidden_size, input_size), bound, dtype)
        self.weight_hh = _uniform((hidden_size, hidden_size), bound, dtype)
        self.bias_ih = _uniform((hidden_size,), bound, dtype) if bias else None
        self.bias_hh = _uniform((hidden_size,), bound, dtype) if bias else None

    def forward(self, x, h=None):
        if h is None:
            h = torch.zeros(*x.shape[:-1], self.hidden_size, dtype=x.dtype)
        both = F.linear(x, self.weight_ih, self.bias_ih) + F.linear(
            h, self.weight_hh, self.bias_hh)
        return torch.tanh(both) if self.nonlinearity == "tanh" else torch.relu(both)


class LSTMCell(Module):
    def __init__(self, input_size, hidden_size, bias=True, dtype=None):
        bound = 1 / math.sqrt(hidden_size)
        self.hidden_size = hidden_size
        self.weight_ih = _uniform((4 * hidden_size, input_size), bound, dtype)
        self.weight_hh = _uniform((4 * hidden_size, hidden_size), bound, dtype)
        self.bias_ih = _uniform((4 * hidden_size,), bound, dtype) if bias else None
        self.bias_hh = _uniform((4 * hidden_size,), bound, dtype) if bias else None

    def forward(self, x, state=None):
        if state is None:
            zeros = torch.zeros(*x.shape[:-1], self.hidden_size, dtype=x.dtype)
            state = (zeros, zeros)
        h, c = state
        gates = F.linear(x, self.weight_ih, self.bias_ih) + F.linear(
            h, self.weight_hh, self.bias_hh)
        i, f, g, o = gates.chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class GRUCell(Module):
    def __init__(self, input_size, hidden_size, bias=True, dtype=None):
        bound = 1 / math.sqrt(hidden_size)
        self.hidden_size = hidden_size
        self.weight_ih = _uniform((3 * hidden_size, input_size), bound, dtype)
        self.weight_hh = _uniform((3 * hidden_size, hidden_size), bound, dtype)
        self.bias_ih = _uniform((3 * hidden_size,), bound, dtype) if bias else None
        self.bias_hh = _uniform((3 * hidden_size,), bound, dtype) if bias else None

    def forward(self, x, h=None):
        if h is None:
            h = torch.zeros(*x.shape[:-1], self.hidden_size, dtype=x.dtype)
        xr, xz, xn = F.linear(x, self.weight_ih, self.bias_ih).chunk(3, -1)
        hr, hz, hn = F.linear(h, self.weight_hh, self.bias_hh).chunk(3, -1)
        r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
        n = torch.tanh(xn + r * hn)
        return (1 - z) * n + z * h


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        self.p = p

    def forward(self, x):
        return F.dropout(x, self.p, self.training)


class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x):
        return x.flatten(self.start_dim, self.end_dim)


class Unflatten(Module):
    def __init__(self, dim, unflattened_size):
        self.dim, self.size = dim, unflattened_size

    def forward(self, x):
        return x.unflatten(self.dim, self.size)


class ReLU(Module):
    def __init__(self, inplace=False):
        self.inplace = inplace

    def forward(self, x):
        return F.relu(x, self.inplace)


class Tanh(Module):
    def forward(self, x):
        return torch.tanh(x)


class Sigmoid(Module):
    def forward(self, x):
        return torch.sigmoid(x)


class Softmax(Module):
    def __init__(self, dim=None):
        self.dim = dim

    def forward(self, x):
        return F.softmax(x, self.dim)


class LogSoftmax(Module):
    def __init__(self, dim=None):
        self.dim = dim

    def forward(self, x):
        return F.log_softmax(x, self.dim)


class LeakyReLU(Module):
    def __init__(self, negative_slope=0.01, inplace=False):
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)


class PReLU(Module):
    def __init__(self, num_parameters=1, init=0.25, dtype=None):
        self.weight = Parameter(torch.full((num_parameters,), init, dtype=dtype))

    def forward(self, x):
        return F.prelu(x, self.weight)


class ELU(Module):
    def __init__(self, alpha=1.0, inplace=False):
        self.alpha = alpha

    def forward(self, x):
        return F.elu(x, self.alpha)


class GELU(Module):
    def __init__(self, approximate="none"):
        self.approximate = approximate

    def forward(self, x):
        return F.gelu(x, approximate=self.approximate)


class Softplus(Module):
    def __init__(self, beta=1.0, threshold=20.0):
        self.beta, self.threshold = beta, threshold

    def forward(self, x):
        return F.softplus(x, self.beta, self.threshold)


class Hardtanh(Module):
    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        self.min_val, self.max_val = min_val, max_val

    def forward(self, x):
        return F.hardtanh(x, self.min_val, self.max_val)


class _Plain(Module):
    def __init__(self, inplace=False):
        pass


class ReLU6(_Plain):
    def forward(self, x):
        return F.relu6(x)


class SELU(_Plain):
    def forward(self, x):
        return F.selu(x)


class SiLU(_Plain):
    def forward(self, x):
        return F.silu(x)


class Mish(_Plain):
    def forward(self, x):
        return F.mish(x)


class Softsign(_Plain):
    def forward(self, x):
        return F.softsign(x)


class LogSigmoid(_Plain):
    def forward(self, x):
        return F.logsigmoid(x)


class Hardsigmoid(_Plain):
    def forward(self, x):
        return F.hardsigmoid(x)


class Hardswish(_Plain):
    def forward(self, x):
        return F.hardswish(x)


class MaxPool1d(Module):
    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs

    def forward(self, x):
        return F.max_pool1d(x, *self.args, **self.kwargs)


class MaxPool2d(Module):
    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs

    def forward(self, x):
        return F.max_pool2d(x, *self.args, **self.kwargs)


class AvgPool1d(Module):
    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs

    def forward(self, x):
        return F.avg_pool1d(x, *self.args, **self.kwargs)


class AvgPool2d(Module):
    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs

    def forward(self, x):
        return F.avg_pool2d(x, *self.args, **self.kwargs)


class AdaptiveAvgPool2d(Module):
    def __init__(self, output_size):
        self.output_size = output_size

    def forward(self, x):
        return F.adaptive_avg_pool2d(x, self.output_size)


class Upsample(Module):
    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None):
        self.size, self.scale, self.mode, self.corners = size, scale_factor, mode, align_corners

    def forward(self, x):
        return F.interpolate(x, self.size, self.scale, self.mode, self.corners)


class _Loss(Module):
    def __init__(self, weight=None, reduction="mean", **settings):
        self.weight, self.reduction, self.settings = weight, reduction, settings


class MSELoss(_Loss):
    def forward(self, x, y):
        return F.mse_loss(x, y, reduction=self.reduction)


class L1Loss(_Loss):
    def forward(self, x, y):
        return F.l1_loss(x, y, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    def forward(self, x, y):
        return F.smooth_l1_loss(x, y, reduction=self.reduction, **self.settings)


class HuberLoss(_Loss):
    def forward(self, x, y):
        return F.huber_loss(x, y, reduction=self.reduction, **self.settings)


class CrossEntropyLoss(_Loss):
    def forward(self, x, y):
        return F.cross_entropy(x, y, self.weight, reduction=self.reduction, **self.settings)


class NLLLoss(_Loss):
    def forward(self, x, y):
        return F.nll_loss(x, y, self.weight, reduction=self.reduction, **self.settings)


class BCELoss(_Loss):
    def forward(self, x, y):
        return F.binary_cross_entropy(x, y, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    def forward(self, x, y):
        return F.binary_cross_entropy_with_logits(
            x, y, self.weight, reduction=self.reduction, **self.settings)


class KLDivLoss(_Loss):
    def forward(self, x, y):
        return F.kl_div(x, y, reduction=self.reduction, **self.settings)


class CosineSimilarity(Module):
    def __init__(self, dim=1, eps=1e-8):
        self.dim, self.eps = dim, eps

    def forward(self, a, b):
        return F.cosine_similarity(a, b, self.dim, self.eps)
"""

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
