"""Modules exported by torch, read as graphs: the same outputs and gradients.

    python -m benchmarks.check_torch_export [--json]

in an environment with torch (``make bench`` sets one up). Each module is exported in training and
in evaluation mode; its graph must give torch's outputs, and the VJPs of all parameters.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from core.graph import Backward
from core.importers.torch_export import read_export
from core.session import Session


class Classifier(nn.Module):
    """A small convolutional network."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1),
            nn.BatchNorm2d(4),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
            nn.Conv2d(4, 6, 3, groups=2),
            nn.GroupNorm(3, 6),
            nn.LeakyReLU(0.1),
            nn.AvgPool2d(2),
            nn.AdaptiveAvgPool2d(1),
        )
        self.head = nn.Linear(6, 3)

    def forward(self, x: Any) -> Any:
        return self.head(self.features(x).flatten(1))


class Block(nn.Module):
    """A block of a transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)
        self.mlp = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))

    def forward(self, x: Any) -> Any:
        y, _ = self.attention(x, x, x, need_weights=False)
        x = self.norm(x + y)
        return x + self.mlp(x)


class Attention(nn.Module):
    """Attention written out, with a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(6, 18)

    def forward(self, x: Any) -> Any:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        n = x.shape[-2]
        mask = torch.tril(torch.ones(n, n)) == 0
        return scores.masked_fill(mask, float("-inf")).softmax(-1) @ v


class Recurrent(nn.Module):
    """A recurrent layer and a head on its last step."""

    def __init__(self, layer: nn.Module, width: int = 4) -> None:
        super().__init__()
        self.layer = layer
        self.head = nn.Linear(width, 1)

    def forward(self, x: Any) -> Any:
        y, _ = self.layer(x)
        return self.head(y[:, -1])


class Words(nn.Module):
    """Embeddings, averaged, normalised, compared."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(10, 4)
        self.other = nn.Parameter(torch.randn(4))

    def forward(self, words: Any) -> Any:
        mean = self.table(words).mean(dim=1)
        return functional.normalize(mean, dim=-1) @ self.other + mean.pow(2).sum(-1).sqrt()


class Decoder(nn.Module):
    """Transposed convolutions, upsampling, pixel shuffling."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(2, 4, 2, stride=2)
        self.smooth = nn.Conv2d(1, 1, 3, padding=1)

    def forward(self, x: Any) -> Any:
        y = functional.pixel_shuffle(self.up(x).tanh(), 2)
        y = functional.interpolate(y, scale_factor=0.5, mode="bilinear", align_corners=False)
        return torch.sigmoid(self.smooth(y))


class Loss(nn.Module):
    """A linear model with its loss."""

    def __init__(self) -> None:
        super().__init__()
        self.model = nn.Linear(3, 4)

    def forward(self, x: Any, target: Any) -> Any:
        return functional.cross_entropy(self.model(x), target, label_smoothing=0.1)


Made = tuple[nn.Module, tuple[Any, ...]]

MODULES: Mapping[str, Callable[[], Made]] = {
    "MLP": lambda: (
        nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 4), nn.SiLU(), nn.Linear(4, 2)),
        (torch.randn(4, 3),),
    ),
    "CNN": lambda: (Classifier(), (torch.randn(2, 1, 10, 10),)),
    "attention block": lambda: (Block(), (torch.randn(2, 3, 8),)),
    "attention written out": lambda: (Attention(), (torch.randn(2, 4, 6),)),
    "LSTM": lambda: (Recurrent(nn.LSTM(3, 4, batch_first=True)), (torch.randn(2, 5, 3),)),
    "LSTM, 2 layers, both ways": lambda: (
        Recurrent(nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True), 8),
        (torch.randn(2, 3, 3),),
    ),
    "GRU": lambda: (Recurrent(nn.GRU(3, 4, batch_first=True)), (torch.randn(2, 4, 3),)),
    "RNN": lambda: (Recurrent(nn.RNN(3, 4, batch_first=True)), (torch.randn(2, 4, 3),)),
    "embeddings": lambda: (Words(), (torch.randint(0, 10, (3, 5)),)),
    "decoder": lambda: (Decoder(), (torch.randn(1, 2, 3, 3),)),
    "loss": lambda: (Loss(), (torch.randn(5, 3), torch.randint(0, 4, (5,)))),
}


def difference(module: nn.Module, inputs: tuple[Any, ...]) -> str:
    """What is not the same, or ""."""
    read = read_export(torch.export.export(module, inputs))
    if read.unknown:
        return f"grey: {dict(read.unknown)}"
    right = module(*inputs)
    session = Session(read.graph)
    node_id, _ = read.outputs[0]
    ours = session.snapshot().values[node_id][0]
    if not np.allclose(ours, right.detach().numpy(), rtol=1e-4, atol=1e-5):
        return f"output is off by {np.abs(ours - right.detach().numpy()).max():.2g}"
    cotangent = torch.randn_like(right)
    right.backward(cotangent)
    done = session.perform(Backward((read.outputs[0],), (cotangent.numpy(),)))
    if done.error is not None:
        return f"backward: {done.error}"
    grads = session.snapshot().grads
    for name, parameter in module.named_parameters():
        ours = grads[read.graph.named(name).id]
        theirs = np.zeros(parameter.shape) if parameter.grad is None else parameter.grad.numpy()
        if ours is None or not np.allclose(ours, theirs, rtol=1e-3, atol=1e-5):
            return f"gradient of {name} differs"
    return ""


def main() -> int:
    """Print a line a module; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results: dict[str, str] = {}
    for name, make in MODULES.items():
        for training in (True, False):
            torch.manual_seed(0)
            module, inputs = make()
            module.train(training)
            results[f"{name} ({'train' if training else 'eval'})"] = difference(module, inputs)
    wrong = {name: why for name, why in results.items() if why}
    if options.json:
        print(json.dumps({"agree": len(results) - len(wrong), "of": len(results), "wrong": wrong}))
    else:
        for name, why in results.items():
            print(f"{'differs' if why else 'agrees ':8} {name} {why}")
        print(f"{len(results) - len(wrong)} of {len(results)} modules agree")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
