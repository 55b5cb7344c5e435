"""Errors a user may meet. Each says what happened, where, and what to do next.

``kind`` is the stable name of an error: files, JSON output and tests rely on it, the wording may
change. Every kind is one class here, and ``KINDS`` is the table of them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar


class PullbackError(Exception):
    """Base of every error that is shown to the user.

    Attributes:
        kind: stable slug of the error, the key of ``KINDS``.
        what: one or two sentences on what happened and where.
        next_step: one sentence telling the user what to try.
        node: id of the node to highlight, when the error belongs to one.
        port: name of the port to highlight, when it belongs to one.
        line: line of the program or file it comes from, counted from 1.
        index: position of the root it is about, counted from 0.
    """

    kind: ClassVar[str] = "error"

    def __init__(
        self,
        what: str,
        *,
        next_step: str,
        node: str | None = None,
        port: str | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(what, next_step)
        self.what = what
        self.next_step = next_step
        self.node = node
        self.port = port
        self.line = line
        self.index: int | None = None

    def __str__(self) -> str:
        return f"{self.what} {self.next_step}"


# -- running backward ----------------------------------------------------------------------------


class NonscalarRootError(PullbackError):
    """No cotangent was given for a root with more than one element."""

    kind = "nonscalar_root"


class NoGradPathError(PullbackError):
    """A root neither requires grad nor has a history."""

    kind = "no_grad_path"


class GraphFreedError(PullbackError):
    """Backward needs a value that an earlier backward freed."""

    kind = "graph_freed"


class CotangentShapeError(PullbackError):
    """A cotangent's (or an assigned gradient's) shape is not the tensor's."""

    kind = "shape"


class CotangentCountError(PullbackError):
    """There must be as many cotangents as roots."""

    kind = "length"


class CotangentTypeError(PullbackError, TypeError):
    """A cotangent is neither a Tensor nor an array."""

    kind = "type"


class UnusedInputError(PullbackError):
    """grad() was asked for an input that the outputs do not depend on."""

    kind = "unused_input"


class InputNoGradError(PullbackError):
    """An entry of ``inputs`` does not require grad."""

    kind = "input_no_grad"


class EmptyInputsError(PullbackError):
    """``inputs`` is empty."""

    kind = "empty_inputs"


class ModifiedSavedError(PullbackError):
    """A value saved for backward was changed in place."""

    kind = "modified_saved"


class InplaceLeafError(PullbackError):
    """A leaf that requires grad was changed in place outside no_grad."""

    kind = "inplace_leaf"


class NotLeafFlagError(PullbackError):
    """``requires_grad`` can only be changed on leaves."""

    kind = "not_leaf_flag"


class IntRequiresGradError(PullbackError):
    """Only floating and complex tensors can require grad."""

    kind = "int_requires_grad"


class RetainNoGradError(PullbackError):
    """retain_grad() on a tensor that does not require grad."""

    kind = "retain_no_grad"


class HookNoGradError(PullbackError):
    """A hook on a tensor that does not require grad."""

    kind = "hook_no_grad"


class HookShapeError(PullbackError):
    """A hook returned a gradient of another shape or dtype."""

    kind = "hook_shape"


class AnomalyError(PullbackError):
    """detect_anomaly() found a NaN or an infinity that backward itself made."""

    kind = "anomaly"


class GradcheckError(PullbackError):
    """A VJP disagrees with finite differences."""

    kind = "gradcheck"


class NotScalarError(PullbackError):
    """A transform needs a function with a one-element output."""

    kind = "not_scalar"


class RuleError(PullbackError):
    """A VJP rule returned a gradient that does not fit its input."""

    kind = "rule"


# -- operations ----------------------------------------------------------------------------------


class OperandError(PullbackError):
    """Values that an operation cannot take: shapes, dtypes or parameters do not fit."""

    kind = "operand"


class UnknownOpError(PullbackError):
    """An operation this program does not have."""

    kind = "unknown_op"


class UnsupportedError(PullbackError, TypeError):
    """A NumPy function or a construct that Tensors do not support."""

    kind = "unsupported"


# -- programs ------------------------------------------------------------------------------------


class ProgramError(PullbackError):
    """A program that is read raised an exception of Python's own, or its own.

    Attributes:
        exception: the exception as the program sees it.
    """

    kind = "program"
    exception: object = None


class LimitError(PullbackError):
    """A program wants more steps, memory or depth than programs that are read may have."""

    kind = "limit"


# -- graphs and files ----------------------------------------------------------------------------


class WireRefusedError(PullbackError):
    """A wire that would break the graph."""

    kind = "wire_refused"


class EditRefusedError(PullbackError):
    """An edit that would break the graph: a name taken, a value that is no number."""

    kind = "edit_refused"


class MissingInputError(PullbackError):
    """A node cannot be computed: an input port has neither a wire nor a value."""

    kind = "missing_input"


class StoppedError(PullbackError):
    """A node was being computed when the user stopped waiting for it."""

    kind = "stopped"


class UnknownNodeError(PullbackError):
    """A run, a file or a command names a node, port or run that is not there."""

    kind = "unknown_node"


class PlanError(PullbackError):
    """A function that cannot be compiled into a plan, or values a plan was not made for."""

    kind = "plan"


class ImportedError(PullbackError):
    """A file was read, but not all of it is in the graph as it was there."""

    kind = "imported"


class FileFormatError(PullbackError):
    """A file this program cannot read."""

    kind = "file"


def _subclasses(base: type[PullbackError]) -> Iterable[type[PullbackError]]:
    for cls in base.__subclasses__():
        yield cls
        yield from _subclasses(cls)


#: Every kind of error, by its slug.
KINDS: dict[str, type[PullbackError]] = {cls.kind: cls for cls in _subclasses(PullbackError)}


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """A next step for a misspelt ``name``: the closest known one, else ``otherwise``."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"Did you mean '{close[0]}'?" if close else otherwise
