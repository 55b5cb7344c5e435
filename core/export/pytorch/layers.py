"""Losses and layers of neural networks in PyTorch."""

from __future__ import annotations

from dataclasses import replace

from core.export.literals import plain
from core.export.outline import Step
from core.export.spelling import Spelling, call, option


def _loss(function: str, *params: str) -> Spelling:
    """A loss whose inputs torch wants to have the same shape."""

    def spelled(step: Step) -> str:
        options = "".join(f", {o}" for p in ("reduction", *params) if (o := option(step, p)))
        words = ", ".join(x.text for x in step.given)
        if len({x.shape for x in step.given}) == 1:
            return f"{function}({words}{options})"
        return f"{function}(*torch.broadcast_tensors({words}){options})"

    return spelled


def _gaussian(step: Step) -> str:
    """One variance may serve for a row; otherwise all three have the same shape."""
    x, target, var = step.given
    rows = (x.shape[:-1], (*x.shape[:-1], 1))
    if x.shape == target.shape and var.shape in rows:
        return call("F.gaussian_nll_loss", "reduction", "full", "eps")(step)
    return _loss("F.gaussian_nll_loss", "full", "eps")(step)


def _with_logits(step: Step) -> str:
    """The optional weight beside the two that must have the same shape."""
    *_, pos_weight = step.inputs
    two = replace(step, inputs=(*step.inputs[:2], None))
    made = _loss("F.binary_cross_entropy_with_logits")(two)
    return made if pos_weight is None else f"{made[:-1]}, pos_weight={pos_weight.text})"


def _named(function: str, count: int, *params: str) -> Spelling:
    """A function whose further inputs are optional and given by name."""

    def spelled(step: Step) -> str:
        assert step.spec is not None
        ports = zip(step.spec.ports, step.inputs, strict=True)
        words = [x.text for x in step.inputs[:count] if x is not None]
        named = [f"{port}={x.text}" for port, x in list(ports)[count:] if x is not None]
        options = filter(None, (option(step, p) for p in params))
        return f"{function}({', '.join([*words, *named, *options])})"

    return spelled


def _normed(function: str) -> Spelling:
    """layer_norm and rms_norm: the shape stands after the input."""

    def spelled(step: Step) -> str:
        x, *more = step.inputs
        assert x is not None
        shape = step.params["normalized_shape"]
        words = [x.text, plain([shape] if isinstance(shape, int) else shape)]
        words += ["None" if w is None else w.text for w in more]
        while words[-1] == "None":
            words.pop()
        return f"{function}({', '.join(filter(None, [*words, option(step, 'eps!')]))})"

    return spelled


def _batch_norm(step: Step) -> str:
    """In training the running values are not read, and torch would change them in place."""
    x, weight, bias, mean, var = ("None" if i is None else i.text for i in step.inputs)
    if step.params["training"]:
        mean = var = "None"
    named = [f"{k}={w}" for k, w in (("weight", weight), ("bias", bias)) if w != "None"]
    named.append(f"training={step.params['training']}")
    named += filter(None, [option(step, "eps")])
    return f"F.batch_norm({', '.join([x, mean, var, *named])})"


def _group_norm(step: Step) -> str:
    x, weight, bias = ("None" if i is None else i.text for i in step.inputs)
    named = [f"{k}={w}" for k, w in (("weight", weight), ("bias", bias)) if w != "None"]
    named += filter(None, [option(step, "eps")])
    return f"F.group_norm({', '.join([x, plain(step.params['num_groups']), *named])})"


def _interpolate(step: Step) -> str:
    """Without axes for batch and channels torch does not know an image."""
    made = call("F.interpolate", "size!", "mode", "align_corners")(step)
    x = step.given[0]
    lacking = 4 - x.ndim
    if lacking <= 0:
        return made
    made = made.replace(x.text, f"{x.text}.reshape({(1,) * lacking + x.shape})", 1)
    return f"{made}.reshape({step.outputs[0].shape})"


def _convolve(step: Step) -> str:
    """np.convolve flips its second operand, and F.conv1d does not."""
    a, b = step.given
    if b.value.size > a.value.size:
        a, b = b, a
    n = b.value.size
    padding = {"full": n - 1, "valid": 0, "same": n - 1}[step.params["mode"]]
    image, kernel = f"{a.text}.reshape(1, 1, -1)", f"{b.text}.flip(0).reshape(1, 1, -1)"
    made = f"F.conv1d({image}, {kernel}, padding={padding}).flatten()"
    if step.params["mode"] == "same":
        start = (n - 1) // 2
        return f"{made}[{start}:{start + a.value.size}]"
    return made


def _cell(function: str) -> Spelling:
    """A recurrent cell; torch wants a batch axis."""

    def spelled(step: Step) -> str:
        states = 3 if function == "torch.lstm_cell" else 2
        words = ["None" if x is None else x.text for x in step.inputs]
        single = step.given[0].ndim == 1
        if single:
            words[:states] = [f"{w}.unsqueeze(0)" for w in words[:states]]
        if states == 3:
            words[1:3] = [f"({words[1]}, {words[2]})"]
        while words[-1] == "None":
            words.pop()
        made = f"{function}({', '.join(words)})"
        if not single:
            return made
        return f"[y.squeeze(0) for y in {made}]" if states == 3 else f"{made}.squeeze(0)"

    return spelled


def _sized(function: str) -> Spelling:
    return call(function, "kernel_size!", "stride", "padding", "dilation", "ceil_mode")


def _averaged(function: str) -> Spelling:
    return call(function, "kernel_size!", "stride", "padding", "ceil_mode", "count_include_pad")


def _conv(function: str, *params: str) -> Spelling:
    return call(function, "stride", "padding", *params, "dilation", "groups")


TABLE: dict[str, Spelling] = {
    "mse_loss": _loss("F.mse_loss"), "l1_loss": _loss("F.l1_loss"),
    "smooth_l1_loss": _loss("F.smooth_l1_loss", "beta"),
    "huber_loss": _loss("F.huber_loss", "delta"),
    "poisson_nll_loss": _loss("F.poisson_nll_loss", "log_input", "full", "eps"),
    "gaussian_nll_loss": _gaussian,
    "nll_loss": _named("F.nll_loss", 2, "reduction", "ignore_index"),
    "cross_entropy": _named(
        "F.cross_entropy", 2, "reduction", "ignore_index", "label_smoothing"
    ),
    "binary_cross_entropy": _loss("F.binary_cross_entropy"),
    "binary_cross_entropy_with_logits": _with_logits,
    "kl_div": _loss("F.kl_div", "log_target"),
    "hinge_embedding_loss": call("F.hinge_embedding_loss", "reduction", "margin"),
    "margin_ranking_loss": _loss("F.margin_ranking_loss", "margin"),
    "cosine_similarity": call("F.cosine_similarity", "axis:dim", "eps"),
    "triplet_margin_loss": call("F.triplet_margin_loss", "reduction", "margin", "p", "eps"),
    "linear": call("F.linear"), "bilinear": call("F.bilinear"),
    "embedding": call("F.embedding", "padding_idx", ports="indices weight"),
    "conv1d": _conv("F.conv1d"), "conv2d": _conv("F.conv2d"),
    "conv_transpose1d": _conv("F.conv_transpose1d", "output_padding"),
    "conv_transpose2d": _conv("F.conv_transpose2d", "output_padding"), "convolve": _convolve,
    "max_pool1d": _sized("F.max_pool1d"), "max_pool2d": _sized("F.max_pool2d"),
    "avg_pool1d": _averaged("F.avg_pool1d"), "avg_pool2d": _averaged("F.avg_pool2d"),
    "layer_norm": _normed("F.layer_norm"), "rms_norm": _normed("F.rms_norm"),
    "normalize": call("F.normalize", "p", "axis:dim", "eps"), "batch_norm": _batch_norm,
    "group_norm": _group_norm, "instance_norm": _named("F.instance_norm", 1, "eps"),
    "scaled_dot_product_attention": _named(
        "F.scaled_dot_product_attention", 3, "is_causal", "scale"
    ),
    "rnn_tanh_cell": _cell("torch.rnn_tanh_cell"), "lstm_cell": _cell("torch.lstm_cell"),
    "gru_cell": _cell("torch.gru_cell"),
    "adaptive_avg_pool2d": call("F.adaptive_avg_pool2d", "output_size!"),
    "interpolate": _interpolate,
    "pixel_shuffle": call("F.pixel_shuffle", "upscale_factor!"),
}  # fmt: skip
