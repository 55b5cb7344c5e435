"""Programs of ``torch.export`` as graphs.

program = torch.export.export(module, (x,))
graph = read_export(program).graph
"""

from core.importers.torch_export.reading import ExportImport, read_export

__all__ = ["ExportImport", "read_export"]
