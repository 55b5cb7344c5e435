"""The text of the losses of torch.nn; ``prelude`` interprets it."""

LOSSES = """

class _Loss(Module):
    function = None

    def __init__(self, reduction="mean", **settings):
        self.reduction, self.settings = reduction, settings

    def forward(self, *xs):
        return getattr(F, self.function)(*xs, reduction=self.reduction, **self.settings)


class _Weighted(_Loss):
    def __init__(self, weight=None, reduction="mean", **settings):
        self.reduction, self.settings = reduction, settings
        if weight is not None:
            self.settings["weight"] = weight


class MSELoss(_Loss):
    function = "mse_loss"


class L1Loss(_Loss):
    function = "l1_loss"


class SmoothL1Loss(_Loss):
    function = "smooth_l1_loss"


class HuberLoss(_Loss):
    function = "huber_loss"


class KLDivLoss(_Loss):
    function = "kl_div"


class PoissonNLLLoss(_Loss):
    function = "poisson_nll_loss"


class GaussianNLLLoss(_Loss):
    function = "gaussian_nll_loss"


class HingeEmbeddingLoss(_Loss):
    function = "hinge_embedding_loss"


class MarginRankingLoss(_Loss):
    function = "margin_ranking_loss"


class TripletMarginLoss(_Loss):
    function = "triplet_margin_loss"


class CrossEntropyLoss(_Weighted):
    function = "cross_entropy"


class NLLLoss(_Weighted):
    function = "nll_loss"


class BCELoss(_Weighted):
    function = "binary_cross_entropy"


class BCEWithLogitsLoss(_Weighted):
    function = "binary_cross_entropy_with_logits"


class CosineSimilarity(Module):
    def __init__(self, dim=1, eps=1e-8):
        self.dim, self.eps = dim, eps

    def forward(self, a, b):
        return F.cosine_similarity(a, b, self.dim, self.eps)
"""
