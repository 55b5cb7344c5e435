"""The modules of torch that programs import, as names to look things up in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python import dtypes
from core.importers.python.failures import CLASSES, program_error
from core.importers.python.machine import Machine
from core.importers.python.torch import (
    activations,
    cells,
    clipping,
    creation,
    fourier,
    functional,
    gradmode,
    grads,
    indexing,
    joining,
    linalg,
    norms,
    pieces,
    pointwise,
    rearranging,
    reductions,
    shapes,
    sorting,
    transforms,
)
from core.importers.python.torch.custom import CTX, FUNCTION, once_differentiable
from core.importers.python.values import Builtin, Context, DType, NdArray, Size
from core.importers.python.words import TypeName
from core.tensor import Tensor

#: torch's and NumPy's other spellings of parameters.
_SPELLINGS = {"axis": "dim", "keepdims": "keepdim", "A": "a", "B": "b"}


def spelled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that also takes NumPy's names of parameters, and ``input`` by name."""

    def call(m: Machine, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {_SPELLINGS.get(k, k): v for k, v in kwargs.items()}
            kwargs.pop("out", None)
            if "input" in kwargs:
                args = (kwargs.pop("input"), *args)
        return function(m, *args, **kwargs)

    return call


def builtins(functions: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """Functions as values of the program."""
    return {name: Builtin(name, spelled(function)) for name, function in functions.items()}


def _nothing(m: Machine, *_: Any, **__: Any) -> None:
    """Settings without meaning here."""


def set_default_dtype(m: Machine, dtype: DType) -> None:
    """the type of tensors made of plain numbers"""
    m.default = dtype.numpy


def is_tensor(m: Machine, obj: Any) -> bool:
    """whether it is a tensor"""
    return isinstance(obj, Tensor)


def result_type(m: Machine, *operands: Any) -> DType:
    """the type that an operation of these would have"""
    return DType(dtypes.result_type(operands, m.default).name)


def complex_(m: Machine, real: Any, imag: Any) -> Tensor:
    """a complex tensor of its parts"""
    turned: Tensor = m.pointwise("multiply", imag, 1j)
    made: Tensor = m.pointwise("add", real, turned)
    return made


def checkpoint(m: Machine, function: Any, *args: Any, use_reentrant: Any = None, **kw: Any) -> Any:
    """torch.utils.checkpoint.checkpoint: the same values and gradients"""
    return m.call(function, list(args), kw)


def _null_context(m: Machine, *_: Any, **__: Any) -> Context:
    return Context("nullcontext", lambda: None, lambda: None)


TENSOR = TypeName("Tensor", spelled(creation.float_tensor), (Tensor,))
SIZE = TypeName("Size", lambda m, sizes=(): Size(sizes), (Size,))
DTYPE = TypeName("dtype", lambda m, name: DType(name), (DType,))

_TORCH_ONLY: dict[str, Callable[..., Any]] = {
    "is_tensor": is_tensor, "set_default_dtype": set_default_dtype, "result_type": result_type,
    "complex": complex_, "get_default_dtype": lambda m: DType(m.default.name),
    "is_floating_point": lambda m, input: input.dtype.kind == "f",
    "is_complex": lambda m, input: input.dtype.kind == "c",
    "numel": lambda m, input: int(input._data.size),
    "promote_types": lambda m, a, b: DType(np.promote_types(a.numpy, b.numpy).name),
    "finfo": lambda m, dtype=None: np.finfo(m.default if dtype is None else dtype.numpy),
    **dict.fromkeys(
        ("set_printoptions", "set_num_threads", "set_warn_always", "set_num_interop_threads",
         "use_deterministic_algorithms"),
        _nothing,
    ),
}  # fmt: skip

_TORCH_FUNCTIONS = {
    **pointwise.FUNCTIONS, **reductions.FUNCTIONS, **shapes.FUNCTIONS, **shapes.ONLY,
    **sorting.FUNCTIONS, **norms.FUNCTIONS, **pieces.FUNCTIONS, **rearranging.FUNCTIONS,
    **joining.ONLY,
    **indexing.FUNCTIONS, **indexing.ONLY, **linalg.FUNCTIONS, **linalg.ONLY, **creation.ONLY,
    **gradmode.FUNCTIONS, **cells.FUNCTIONS, **_TORCH_ONLY,
    **{name: functional.FUNCTIONS[name] for name in (
        "softmax", "log_softmax", "relu", "selu", "celu", "threshold", "prelu", "dropout",
        "cosine_similarity", "pairwise_distance", "bilinear", "batch_norm", "layer_norm",
        "group_norm", "instance_norm", "conv1d", "conv2d", "conv_transpose1d",
        "conv_transpose2d", "max_pool1d", "max_pool2d", "avg_pool1d", "pixel_shuffle", "rms_norm",
        "hardshrink", "embedding", "kl_div", "binary_cross_entropy_with_logits",
    )},
    "detach": lambda m, input: _detach(m, input),
}  # fmt: skip


def _detach(m: Machine, input: Any) -> Any:
    y = input.detach()
    m.recorder.detached(input, y)
    return y


_SPECIAL = {
    name: pointwise.FUNCTIONS[name]
    for name in ("expit", "xlogy", "erf", "erfc", "erfinv", "gammaln", "digamma", "exp2", "expm1",
                 "log1p", "logit", "sinc")
}  # fmt: skip

CONSTANTS = {"pi": float(np.pi), "e": float(np.e), "inf": float("inf"), "nan": float("nan"),
             "newaxis": None}  # fmt: skip

#: Every module by its full name. torch.nn and torch.optim are our own text: see ``prelude``.
MODULES: dict[str, dict[str, Any]] = {
    "torch": {
        **builtins(_TORCH_FUNCTIONS), **CONSTANTS,
        **{name: DType(kind) for name, kind in dtypes.NAMES.items()},
        "Tensor": TENSOR, "Size": SIZE, "dtype": DTYPE, "strided": "strided",
        "preserve_format": "preserve_format", "__version__": "2.13.0",
        "manual_seed": Builtin("manual_seed", creation.manual_seed),
    },
    "torch.autograd": {
        **builtins({**grads.AUTOGRAD, **transforms.CHECKS}), "Function": FUNCTION,
        "Variable": Builtin("Variable", lambda m, x, requires_grad=False: _variable(
            m, x, requires_grad)),
        "set_detect_anomaly": Builtin("set_detect_anomaly", gradmode.set_detect_anomaly),
        "detect_anomaly": Builtin("detect_anomaly", gradmode.detect_anomaly),
        **builtins({k: gradmode.FUNCTIONS[k] for k in ("no_grad", "enable_grad",
                                                       "set_grad_enabled")}),
    },
    "torch.autograd.functional": builtins(transforms.FUNCTIONAL),
    "torch.autograd.function": {
        "Function": FUNCTION, "FunctionCtx": CTX,
        "once_differentiable": Builtin("once_differentiable", once_differentiable),
    },
    "torch.autograd.gradcheck": {
        **builtins(transforms.CHECKS),
        "GradcheckError": CLASSES["GradcheckError"],
    },
    "torch.autograd.graph": {
        "saved_tensors_hooks": Builtin("saved_tensors_hooks", grads.unsupported_saved_hooks),
        "save_on_cpu": Builtin("save_on_cpu", _null_context),
    },
    "torch.autograd.grad_mode": builtins(gradmode.FUNCTIONS),
    "torch.autograd.forward_ad": {},
    "torch.func": builtins(transforms.FUNC),
    "torch.linalg": {**builtins(linalg.LINALG), "LinAlgError": CLASSES["LinAlgError"]},
    "torch.special": builtins({
        **_SPECIAL, "softmax": activations.softmax, "log_softmax": activations.log_softmax,
        "logsumexp": reductions.FUNCTIONS["logsumexp"],
    }),
    "torch.fft": builtins(fourier.FUNCTIONS),
    "torch.cuda": {"is_available": Builtin("is_available", lambda m: False)},
    "torch.random": {"manual_seed": Builtin("manual_seed", creation.manual_seed)},
    "torch.testing": {"assert_close": Builtin("assert_close", lambda m, a, b, **k: _close(m, a, b,
                                                                                           **k))},
    "torch.utils": {},
    "torch.utils.checkpoint": {"checkpoint": Builtin("checkpoint", checkpoint)},
    "torch.nn.functional": builtins(functional.FUNCTIONS),
    "torch.nn.utils": builtins(clipping.FUNCTIONS),
}  # fmt: skip


def _variable(m: Machine, x: Any, requires_grad: bool) -> Tensor:
    """torch.autograd.Variable: a tensor, long since"""
    y: Tensor = (x.tensor if isinstance(x, NdArray) else x).detach()
    if requires_grad:
        y.requires_grad_(True)
        m.recorder.leaf(y)
    return y


def _close(m: Machine, actual: Any, expected: Any, rtol: Any = None, atol: Any = None,
           **_: Any) -> None:  # fmt: skip
    a, b = (np.asarray(getattr(x, "data", x)) for x in (actual, expected))
    loose = 1.3e-6 if a.dtype == np.float32 else 1e-7
    if not np.allclose(a, b, rtol=loose if rtol is None else rtol,
                       atol=1e-5 if atol is None else atol):  # fmt: skip
        raise program_error("AssertionError", "Tensor-likes are not close!")
