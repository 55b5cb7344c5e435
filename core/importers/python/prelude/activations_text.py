"""The text of torch.nn without parameters: activations, pooling, shapes."""

ACTIVATIONS = """


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

    def extra_repr(self):
        return f"dim={self.dim}"


class LogSoftmax(Module):
    def __init__(self, dim=None):
        self.dim = dim

    def forward(self, x):
        return F.log_softmax(x, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class LeakyReLU(Module):
    def __init__(self, negative_slope=0.01, inplace=False):
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)

    def extra_repr(self):
        return f"negative_slope={self.negative_slope}"


class PReLU(Module):
    def __init__(self, num_parameters=1, init=0.25, dtype=None):
        self.weight = Parameter(torch.full((num_parameters,), init, dtype=dtype))

    def forward(self, x):
        return F.prelu(x, self.weight)


class Softmin(Softmax):
    def forward(self, x):
        return F.softmax(-x, self.dim)


class Threshold(Module):
    def __init__(self, threshold, value, inplace=False):
        self.threshold, self.value = threshold, value

    def forward(self, x):
        return F.threshold(x, self.threshold, self.value)


class Hardshrink(Module):
    def __init__(self, lambd=0.5):
        self.lambd = lambd

    def forward(self, x):
        return F.hardshrink(x, self.lambd)


class Softshrink(Module):
    def __init__(self, lambd=0.5):
        self.lambd = lambd

    def forward(self, x):
        return F.softshrink(x, self.lambd)


class CELU(Module):
    def __init__(self, alpha=1.0, inplace=False):
        self.alpha = alpha

    def forward(self, x):
        return F.celu(x, self.alpha)


class GLU(Module):
    def __init__(self, dim=-1):
        self.dim = dim

    def forward(self, x):
        return F.glu(x, self.dim)


class PixelShuffle(Module):
    def __init__(self, upscale_factor):
        self.upscale_factor = upscale_factor

    def forward(self, x):
        return F.pixel_shuffle(x, self.upscale_factor)


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
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False,
                 ceil_mode=False):
        self.kernel_size, self.padding, self.dilation = kernel_size, padding, dilation
        self.stride, self.ceil_mode = kernel_size if stride is None else stride, ceil_mode

    def forward(self, x):
        return F.max_pool2d(x, self.kernel_size, self.stride, self.padding, self.dilation,
                            self.ceil_mode)

    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, ceil_mode={self.ceil_mode}")


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
"""
