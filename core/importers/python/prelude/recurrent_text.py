"""The text of the recurrent layers and of attention of torch.nn; ``prelude`` interprets it."""

RECURRENT = """

class _Cell(Module):
    gates = 1

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None,
                 dtype=None):
        self.input_size, self.hidden_size = input_size, hidden_size
        self.nonlinearity = nonlinearity
        bound, rows = 1 / math.sqrt(hidden_size), self.gates * hidden_size
        self.weight_ih = _uniform((rows, input_size), bound, dtype)
        self.weight_hh = _uniform((rows, hidden_size), bound, dtype)
        self.bias_ih = _uniform((rows,), bound, dtype) if bias else None
        self.bias_hh = _uniform((rows,), bound, dtype) if bias else None

    def zeros(self, x):
        return torch.zeros(*x.shape[:-1], self.hidden_size, dtype=x.dtype)

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}"


class RNNCell(_Cell):
    def forward(self, x, h=None):
        return _rnn_step(x, self.zeros(x) if h is None else h, self.weight_ih, self.weight_hh,
                         self.bias_ih, self.bias_hh, self.nonlinearity)


class LSTMCell(_Cell):
    gates = 4

    def forward(self, x, state=None):
        return _lstm_step(x, (self.zeros(x), self.zeros(x)) if state is None else state,
                          self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class GRUCell(_Cell):
    gates = 3

    def forward(self, x, h=None):
        return _gru_step(x, self.zeros(x) if h is None else h, self.weight_ih, self.weight_hh,
                         self.bias_ih, self.bias_hh)


def _rnn_step(x, h, w_ih, w_hh, b_ih, b_hh, nonlinearity="tanh"):
    both = F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh)
    return torch.tanh(both) if nonlinearity == "tanh" else torch.relu(both)


def _lstm_step(x, state, w_ih, w_hh, b_ih, b_hh, nonlinearity=None):
    h, c = state
    gates = F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh)
    i, f, g, o = gates.chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def _gru_step(x, h, w_ih, w_hh, b_ih, b_hh, nonlinearity=None):
    xr, xz, xn = F.linear(x, w_ih, b_ih).chunk(3, -1)
    hr, hz, hn = F.linear(h, w_hh, b_hh).chunk(3, -1)
    r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
    n = torch.tanh(xn + r * hn)
    return (1 - z) * n + z * h


class _Recurrent(Module):
    gates = 1

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True,
                 batch_first=False, dropout=0.0, bidirectional=False, device=None, dtype=None):
        if bidirectional or dropout:
            outside("Recurrent layers with dropout or in two directions are not read.",
                    "Run two layers, one on x.flip(0), and torch.cat their outputs.")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.nonlinearity, self.batch_first = nonlinearity, batch_first
        bound, rows = 1 / math.sqrt(hidden_size), self.gates * hidden_size
        for k in range(num_layers):
            width = hidden_size if k else input_size
            setattr(self, f"weight_ih_l{k}", _uniform((rows, width), bound, dtype))
            setattr(self, f"weight_hh_l{k}", _uniform((rows, hidden_size), bound, dtype))
            for name in ("bias_ih", "bias_hh"):
                setattr(self, f"{name}_l{k}", _uniform((rows,), bound, dtype) if bias else None)

    def weights(self, k):
        return [getattr(self, f"{name}_l{k}")
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]

    def run(self, x, states, step, shown):
        time = 1 if self.batch_first and x.dim() == 3 else 0
        rows, last = list(x.unbind(time)), []
        for k in range(self.num_layers):
            state, outputs = states[k], []
            for row in rows:
                state = step(row, state, *self.weights(k), self.nonlinearity)
                outputs.append(shown(state))
            rows = outputs
            last.append(state)
        return torch.stack(rows, time), last

    def zeros(self, x):
        batch = x.shape[0 if self.batch_first else 1:-1] if x.dim() == 3 else ()
        batch = batch[:1]
        return torch.zeros(self.num_layers, *batch, self.hidden_size, dtype=x.dtype)

    def extra_repr(self):
        said = f"{self.input_size}, {self.hidden_size}"
        said += f", num_layers={self.num_layers}" if self.num_layers != 1 else ""
        return said + (", batch_first=True" if self.batch_first else "")


class RNN(_Recurrent):
    def forward(self, x, h=None):
        h = self.zeros(x) if h is None else h
        y, last = self.run(x, h, _rnn_step, lambda state: state)
        return y, torch.stack(last)


class GRU(_Recurrent):
    gates = 3

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, device=None, dtype=None):
        super().__init__(input_size, hidden_size, num_layers, None, bias, batch_first, dropout,
                         bidirectional, device, dtype)

    def forward(self, x, h=None):
        h = self.zeros(x) if h is None else h
        y, last = self.run(x, h, _gru_step, lambda state: state)
        return y, torch.stack(last)


class LSTM(GRU):
    gates = 4

    def forward(self, x, state=None):
        h, c = (self.zeros(x), self.zeros(x)) if state is None else state
        y, last = self.run(x, list(zip(h, c)), _lstm_step, lambda state: state[0])
        return y, (torch.stack([h for h, _ in last]), torch.stack([c for _, c in last]))


class MultiheadAttention(Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, batch_first=False,
                 device=None, dtype=None):
        self.embed_dim, self.num_heads, self.batch_first = embed_dim, num_heads, batch_first
        self.in_proj_weight = Parameter(torch.empty(3 * embed_dim, embed_dim, dtype=dtype))
        self.in_proj_bias = Parameter(torch.zeros(3 * embed_dim, dtype=dtype)) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype=dtype)
        bound = math.sqrt(6.0 / (4 * embed_dim))
        with torch.no_grad():
            self.in_proj_weight.uniform_(-bound, bound)
            if bias:
                self.out_proj.bias.zero_()

    def forward(self, query, key, value, need_weights=True, attn_mask=None, is_causal=False,
                average_attn_weights=True):
        whole = query.dim() == 3
        if whole and not self.batch_first:
            query, key, value = [x.transpose(0, 1) for x in (query, key, value)]
        weights = self.in_proj_weight.chunk(3)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        q, k, v = [self.heads(F.linear(x, w, b))
                   for x, w, b in zip((query, key, value), weights, biases)]
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                scores = scores.masked_fill(attn_mask, float("-inf"))
            else:
                scores = scores + attn_mask
        attention = torch.softmax(scores, -1)
        y = (attention @ v).transpose(-3, -2).flatten(-2)
        y = self.out_proj(y)
        if whole and not self.batch_first:
            y = y.transpose(0, 1)
        if not need_weights:
            return y, None
        return y, attention.mean(-3) if average_attn_weights else attention

    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, self.embed_dim // self.num_heads)).transpose(-3, -2)
"""
