"""Exceptions, as a program sees them: Python's own, and torch's for what our engine refuses.

``except RuntimeError as e`` has to work as it does in torch, so our errors appear to the program
with torch's type and words. Uncaught, they are our errors again.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from core.errors import LimitError, ProgramError, PullbackError, UnsupportedError
from core.importers.python.values import Failure, UserClass

#: name -> base
_TREE = {
    "BaseException": None, "Exception": "BaseException", "KeyboardInterrupt": "BaseException",
    "ArithmeticError": "Exception", "ZeroDivisionError": "ArithmeticError",
    "OverflowError": "ArithmeticError", "FloatingPointError": "ArithmeticError",
    "LookupError": "Exception", "IndexError": "LookupError", "KeyError": "LookupError",
    "RuntimeError": "Exception", "NotImplementedError": "RuntimeError",
    "RecursionError": "RuntimeError", "GradcheckError": "RuntimeError", "TypeError": "Exception",
    "ValueError": "Exception", "UnicodeError": "ValueError", "NameError": "Exception",
    "UnboundLocalError": "NameError", "AttributeError": "Exception", "AssertionError": "Exception",
    "SyntaxError": "Exception",
    "StopIteration": "Exception", "ImportError": "Exception", "ModuleNotFoundError": "ImportError",
    "LinAlgError": "RuntimeError", "OSError": "Exception", "MemoryError": "Exception",
    "Warning": "Exception", "UserWarning": "Warning", "DeprecationWarning": "Warning",
    "RuntimeWarning": "Warning", "FutureWarning": "Warning",
}  # fmt: skip

CLASSES: dict[str, UserClass] = {}
for _name, _base in _TREE.items():
    CLASSES[_name] = UserClass(_name, (CLASSES[_base],) if _base else (), {}, ours=True)

_INPLACE_HINT = (
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
    "with torch.autograd.set_detect_anomaly(True)."
)
#: What torch says for each kind of error.
_WORDS: dict[str, str] = {
    "nonscalar_root": "grad can be implicitly created only for scalar outputs",
    "no_grad_path": "element {index} of tensors does not require grad and does not have a grad_fn",
    "graph_freed": "Trying to backward through the graph a second time (or directly access saved "
    "tensors after they have already been freed). Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
    "backward through the graph a second time or if you need to access saved tensors after "
    "calling backward.",
    "unused_input": "The differentiated Tensor at index {position} appears to not have been used "
    "in the graph. Set allow_unused=True if this is the desired behavior.",
    "input_no_grad": "One of the differentiated Tensors does not require grad",
    "empty_inputs": "`inputs` argument to `backward()` cannot be empty.",
    "inplace_leaf": "a {view}leaf Variable that requires grad is being used in an in-place "
    "operation.",
    "not_leaf_flag": "you can only change requires_grad flags of leaf variables. If you want to "
    "use a computed variable in a subgraph that doesn't require differentiation use var_no_grad "
    "= var.detach().",
    "int_requires_grad": "only Tensors of floating point dtype can require gradients",
    "retain_no_grad": "can't retain_grad on Tensor that has requires_grad=False",
    "hook_no_grad": "cannot register a hook on a tensor that doesn't require gradient",
    "length": "got {roots} tensors and {cotangents} gradients",
}
_TYPES = {"type": "TypeError", "gradcheck": "GradcheckError"}


def failure(name: str, message: str, cause: Exception | None = None) -> Failure:
    """An exception of a built-in class."""
    return Failure(CLASSES[name], {}, (message,), cause)


def program_error(name: str, message: str) -> ProgramError:
    """An exception of Python's, raised by a program on its own account."""
    return raised(failure(name, message))


def raised(exception: Failure) -> ProgramError:
    """The error that carries a program's exception up."""
    said = exception.message
    error = ProgramError(
        f"{exception.cls.name}: {said}" if said else exception.cls.name,
        next_step="It is raised by the program itself; Python would stop there too.",
    )
    error.exception = exception
    return error


def outside(what: str, instead: str, line: int | None = None) -> UnsupportedError:
    """What the program uses is outside what can be read; ``instead`` says what to write."""
    return UnsupportedError(what, next_step=instead, line=line)


def catchable(error: PullbackError) -> bool:
    """Whether the program itself may catch it: its limits and ours it may not."""
    return not isinstance(error, LimitError | UnsupportedError)


def seen_by_program(error: PullbackError) -> Failure:
    """The exception that an ``except`` of the program gets."""
    if isinstance(error, ProgramError) and isinstance(error.exception, Failure):
        return error.exception
    name = _TYPES.get(error.kind, "RuntimeError")
    if error.kind == "operand" and "index" in error.what and "out of" in error.what:
        name = "IndexError"
    return failure(name, _said(error), error)


def _said(error: PullbackError) -> str:
    """torch's words for one of our errors."""
    if error.kind in _SPECIAL:
        return _SPECIAL[error.kind](error)
    words = _WORDS.get(error.kind)
    if words is None:
        return error.what
    numbers = re.findall(r"\d+", error.what)
    roots, cotangents = [*numbers, "0", "0"][:2]
    return words.format(
        index=error.index or 0,
        position=numbers[0] if numbers else 0,
        view="view of a " if "view" in error.what else "",
        roots=roots,
        cotangents=cotangents,
    )


def _shape_words(error: PullbackError) -> str:
    shapes = re.findall(r"\(([\d, ]*)\)", error.what)
    if len(shapes) != 2 or error.index is None:
        return error.what
    given, wanted = ([int(n) for n in re.findall(r"\d+", shape)] for shape in shapes)
    k = error.index
    return (
        f"Mismatch in shape: grad_output[{k}] has a shape of torch.Size({given}) and output[{k}] "
        f"has a shape of torch.Size({wanted})."
    )


def _operand_words(error: PullbackError) -> str:
    """Shapes that do not broadcast, told as torch tells it: by the last axis that differs."""
    sizes = re.search(
        r"xs\[0\] is \((.*?)\), xs\[(\d+)\] is \((.*?)\): .* axis (\d+) must", error.what
    )
    if sizes is not None:
        return _cat_words(*sizes.groups())
    found = re.search(r"broadcast together with shapes \(([\d,]*)\) \(([\d,]*)\)", error.what)
    if found is None:
        return error.what
    a, b = ([int(n) for n in re.findall(r"\d+", shape)] for shape in found.groups())
    for k in range(1, min(len(a), len(b)) + 1):
        if a[-k] != b[-k] and 1 not in (a[-k], b[-k]):
            return (
                f"The size of tensor a ({a[-k]}) must match the size of tensor b ({b[-k]}) at "
                f"non-singleton dimension {max(len(a), len(b)) - k}"
            )
    return error.what


def _cat_words(first: str, k: str, other: str, axis: str) -> str:
    a, b = ([int(n) for n in re.findall(r"\d+", shape)] for shape in (first, other))
    if len(a) != len(b):
        return f"Tensors must have same number of dimensions: got {len(a)} and {len(b)}"
    wrong = next(i for i, (n, m) in enumerate(zip(a, b, strict=True)) if n != m and i != int(axis))
    return (
        f"Sizes of tensors must match except in dimension {axis}. Expected size {a[wrong]} but got "
        f"size {b[wrong]} for tensor number {k} in the list."
    )


def _modified_words(error: PullbackError) -> str:
    versions = re.findall(r"version (\d+)", error.what)
    saved, now = [*versions, "0", "1"][:2]
    return (
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: it is at version {now}; expected version {saved} instead. {_INPLACE_HINT}"
    )


def _type_words(error: PullbackError) -> str:
    given = re.search(r"is (\w+), not a Tensor", error.what) or re.search(r"not (\w+)", error.what)
    return f"gradients can be either Tensors or None, but got {given[1] if given else 'another'}"


def _anomaly_words(error: PullbackError) -> str:
    op = re.search(r"The VJP of (\w+)", error.what)
    name = "".join(part.title() for part in (op[1] if op else "").split("_"))
    return f"Function '{name}Backward0' returned nan values in its 0th output."


def _gradcheck_words(error: PullbackError) -> str:
    found = re.search(r"output (\d+) at .* input (\d+)", error.what)
    j, i = (found[1], found[2]) if found else ("0", "0")
    return f"Jacobian mismatch for output {j} with respect to input {i},\n{error.what}"


_SPECIAL: dict[str, Callable[[PullbackError], str]] = {
    "shape": _shape_words,
    "operand": _operand_words,
    "modified_saved": _modified_words,
    "type": _type_words,
    "anomaly": _anomaly_words,
    "gradcheck": _gradcheck_words,
}


def refuse_others(function: str, **settings: tuple[object, object]) -> None:
    """Refuse settings that would change the result and are not read.

    Args:
        settings: by name, the value given and the only one that is read.

    Raises:
        UnsupportedError: one has another value.
    """
    for name, (given, read) in settings.items():
        if given != read:
            raise outside(
                f"{function}: {name}={given!r} is not read, only {read!r}.",
                f"Leave {name} out, and compute what it does with other operations.",
            )
