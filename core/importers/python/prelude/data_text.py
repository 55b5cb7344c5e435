"""The text of torch.utils.data; ``prelude`` interprets it."""

DATA = """
import torch


class Dataset:
    pass


class TensorDataset(Dataset):
    def __init__(self, *tensors):
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return len(self.tensors[0])


def _together(rows):
    first = rows[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(rows)
    if isinstance(first, (int, float)):
        return torch.tensor(rows)
    return [_together([row[k] for row in rows]) for k in range(len(first))]


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=False, drop_last=False, collate_fn=None,
                 **settings):
        self.dataset, self.batch_size = dataset, batch_size
        self.shuffle, self.drop_last = shuffle, drop_last
        self.together = _together if collate_fn is None else collate_fn

    def __len__(self):
        n, size = len(self.dataset), self.batch_size
        return n // size if self.drop_last else -(-n // size)

    def __iter__(self):
        n, size = len(self.dataset), self.batch_size
        order = torch.randperm(n).tolist() if self.shuffle else list(range(n))
        return iter([self.together([self.dataset[k] for k in order[start:start + size]])
                     for start in range(0, len(self) * size, size)])
"""
