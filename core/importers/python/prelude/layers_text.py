"""The text of the layers of torch.nn with parameters of their own."""

LAYERS = """


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

    def extra_repr(self):
        return ", ".join(str(n) for n in self.weight.shape)


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
        self.said = (in_channels, out_channels, size, n)

    def extra_repr(self):
        first, second, size, n = self.said
        return (f"{first}, {second}, kernel_size={size}, stride={_each(self.settings[0], n)}"
                + (f", padding={_each(self.settings[1], n)}" if self.settings[1] else ""))


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
        self.num_features, self.affine = num_features, affine
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

    def extra_repr(self):
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
                f"affine={self.affine}, bias={self.bias is not None}, "
                f"track_running_stats={self.track}")


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

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.weight is not None}")


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


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        self.p, self.inplace = p, inplace

    def forward(self, x):
        return F.dropout(x, self.p, self.training)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x):
        return x.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    def __init__(self, dim, unflattened_size):
        self.dim, self.size = dim, unflattened_size

    def forward(self, x):
        return x.unflatten(self.dim, self.size)
"""
