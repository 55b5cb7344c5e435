"""What others wrote, as graphs: programs, ONNX models."""
