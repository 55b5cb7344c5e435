"""ONNX models in and out.

Only ``protobuf`` knows the package ``onnx``, an optional extra; the rest works on plain records.

Reading order: ``records`` (a model as data), ``reading`` (operators in our operations: ``call``,
then the families), ``reader`` (all together); the way back in ``writing`` and ``writer``.
"""

from core.onnx.reader import OnnxImport, load_onnx, read_onnx
from core.onnx.writer import dump_onnx

__all__ = ["OnnxImport", "dump_onnx", "load_onnx", "read_onnx"]
