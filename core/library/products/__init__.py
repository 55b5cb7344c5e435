"""Products of vectors, matrices and tensors.

All are linear in each operand, so every rule is again a product of the cotangent with the other
operand. A vector on the left of a matrix product stands for a row, on the right for a column.
"""

from core.library.products.contractions import DOT, INNER, TENSORDOT, VECDOT
from core.library.products.matrices import MATMUL, MULTI_DOT, transposed
from core.library.products.outer import CROSS, KRON, OUTER

OPS = (MATMUL, DOT, INNER, OUTER, VECDOT, TENSORDOT, KRON, CROSS, MULTI_DOT)

__all__ = ["OPS", "transposed"]
