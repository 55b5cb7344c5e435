"""The text of nn.Module and of what holds other modules; ``prelude`` interprets it."""

MODULES = """
import math
import torch
import torch.nn.functional as F

Parameter = Parameter_


class Module:
    training = True

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, *args):
        raise NotImplementedError(
            f'Module [{name_of(self)}] is missing the required "forward" function')

    def named_parameters(self, prefix="", recurse=True):
        found, seen = [], set()
        for name, value in self._walk(prefix, "parameter", recurse):
            if identity(value) not in seen:
                seen.add(identity(value))
                found.append((name, value))
        return found

    def _walk(self, prefix, kind, recurse=True):
        dot = prefix + ("." if prefix else "")
        found = [(dot + name, value) for name, value, k in parts_of(self) if k == kind]
        if recurse:
            for name, value, k in parts_of(self):
                if k == "module":
                    found.extend(value._walk(dot + name, kind))
        return found

    def parameters(self, recurse=True):
        return iter([value for _, value in self.named_parameters("", recurse)])

    def named_buffers(self, prefix=""):
        return self._walk(prefix, "buffer")

    def buffers(self):
        return [value for _, value in self.named_buffers()]

    def named_children(self):
        return [(name, value) for name, value, k in parts_of(self) if k == "module"]

    def children(self):
        return [value for _, value in self.named_children()]

    def modules(self):
        found = [self]
        for child in self.children():
            found.extend(child.modules())
        return found

    def named_modules(self, prefix=""):
        found = [(prefix, self)]
        for name, child in self.named_children():
            found.extend(child.named_modules(prefix + ("." if prefix else "") + name))
        return found

    def zero_grad(self, set_to_none=True):
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad.zero_()

    def train(self, mode=True):
        for module in self.modules():
            module.training = mode
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def to(self, *args, **kwargs):
        for module in self.modules():
            for name, value, kind in parts_of(module):
                if kind in ("parameter", "buffer") and value.is_floating_point():
                    value.data = value.data.to(*args, **kwargs)
        return self

    def double(self):
        return self.to(torch.float64)

    def float(self):
        return self.to(torch.float32)

    def cpu(self):
        return self

    def apply(self, fn):
        for module in self.modules():
            fn(module)
        return self

    def register_parameter(self, name, param):
        setattr(self, name, param)

    def register_buffer(self, name, tensor, persistent=True):
        if not hasattr(self, "_buffers"):
            self._buffers = {}
        self._buffers[name] = True
        setattr(self, name, tensor)

    def add_module(self, name, module):
        setattr(self, name, module)

    def state_dict(self):
        return {name: value.detach() for kind in ("parameter", "buffer")
                for name, value in self._walk("", kind)}

    def load_state_dict(self, state, strict=True):
        with torch.no_grad():
            for kind in ("parameter", "buffer"):
                for name, value in self._walk("", kind):
                    value.copy_(state[name])

    def extra_repr(self):
        return ""

    def __repr__(self):
        inner = [f"  ({name}): " + repr(child).replace("\\n", "\\n  ")
                 for name, child in self.named_children()]
        if not inner:
            return f"{name_of(self)}({self.extra_repr()})"
        return f"{name_of(self)}(\\n" + "\\n".join(inner) + "\\n)"


class Identity(Module):
    def forward(self, x):
        return x


class Sequential(Module):
    def __init__(self, *modules):
        if len(modules) == 1 and isinstance(modules[0], dict):
            for name, module in modules[0].items():
                setattr(self, name, module)
        else:
            for k, module in enumerate(modules):
                setattr(self, str(k), module)

    def forward(self, x):
        for module in self.children():
            x = module(x)
        return x

    def append(self, module):
        setattr(self, str(len(self)), module)
        return self

    def __getitem__(self, k):
        return self.children()[k]

    def __len__(self):
        return len(self.children())

    def __iter__(self):
        return iter(self.children())


class ModuleList(Module):
    def __init__(self, modules=()):
        for k, module in enumerate(modules):
            setattr(self, str(k), module)

    def append(self, module):
        setattr(self, str(len(self)), module)
        return self

    def __getitem__(self, k):
        return self.children()[k]

    def __len__(self):
        return len(self.children())

    def __iter__(self):
        return iter(self.children())


class ModuleDict(Module):
    def __init__(self, modules=None):
        for name, module in (modules or {}).items():
            setattr(self, name, module)

    def __getitem__(self, name):
        return getattr(self, name)

    def __setitem__(self, name, module):
        setattr(self, name, module)

    def __contains__(self, name):
        return name in self.keys()

    def __len__(self):
        return len(self.children())

    def items(self):
        return self.named_children()

    def keys(self):
        return [name for name, _ in self.named_children()]

    def values(self):
        return self.children()

    def __iter__(self):
        return iter(self.keys())


class ParameterList(Module):
    def __init__(self, values=()):
        for k, value in enumerate(values):
            setattr(self, str(k), value)

    def __getitem__(self, k):
        return list(self.parameters())[k]

    def __len__(self):
        return len(list(self.parameters()))

    def __iter__(self):
        return iter(self.parameters())
"""
