"""Arrays in files of NumPy and of spreadsheets; and files that are something else."""

import io
import zipfile

import numpy as np
import pytest

from core.errors import FileFormatError
from core.importers.array_files import archived, is_array_file, read_array, source_of


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(4, dtype=">i4"),
        np.array(2.5, np.float32),
        np.zeros((0, 3)),
        np.array([1 + 2j]),
    ],
    ids=lambda a: f"{a.dtype.str}{a.shape}",
)
def test_npy_comes_back_as_it_was(tmp_path, array):
    path = tmp_path / "a.npy"
    np.save(path, array)
    read = read_array(path)
    np.testing.assert_array_equal(read, array)
    assert read.dtype == array.dtype.newbyteorder("=")
    assert not read.flags.writeable
    assert read.flags.c_contiguous


def test_an_archive_lists_its_arrays_before_they_are_read(tmp_path):
    path = tmp_path / "weights.npz"
    np.savez_compressed(path, W=np.ones((3, 2)), b=np.zeros(3, np.float32))
    headers = archived(path)
    assert {name: h.shape for name, h in headers.items()} == {"W": (3, 2), "b": (3,)}
    assert headers["b"].dtype == np.float32
    assert read_array(path, "W").tolist() == np.ones((3, 2)).tolist()
    assert source_of(path, "W") == {"kind": "file", "file": "weights.npz", "array": "W"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_tables_in_the_encodings_of_spreadsheets(tmp_path, encoding):
    path = tmp_path / "Table.CSV"
    path.write_bytes("a;b\n1,5;2\n".encode(encoding))
    assert is_array_file(path)
    assert read_array(path).tolist() == [1.5, 2.0]


class Explosive:
    """Unpickling it would run this."""

    def __reduce__(self):
        return (pytest.fail, ("code of a file was run",))


def pickled():
    file = io.BytesIO()
    np.save(file, np.array([Explosive()], dtype=object), allow_pickle=True)
    return file.getvalue()


def saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def huge():
    """A few bytes that claim to be terabytes."""
    return saved(np.zeros(1)).replace(b"(1,), }" + b" " * 12, b"(10000000000000,), }", 1)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.npy", b"not numpy", "not an .npy"),
        ("a.npy", b"", "not an .npy"),
        ("a.npy", pickled(), "Python objects"),
        ("a.npy", saved(np.zeros(100))[:-8], "cut short"),
        ("a.npy", huge(), "too large"),
        ("a.npy", saved(np.array(["a"])), "<U1"),
        ("a.npy", saved(np.zeros(2, [("x", float)])), "records (x)"),
        ("a.npz", b"PK but no archive", ".npz archive"),
        ("a.csv", b"1,2\n3,four\n", "a.csv: 'four' is not a number (line 2, column 2)"),
        ("a.csv", b"\x80\x81\xff", "not text"),
        ("a.docx", b"1,2", "not a file of numbers"),
    ],
)
def test_other_files_are_refused_in_words(tmp_path, name, data, says):
    path = tmp_path / name
    path.write_bytes(data)
    read = archived if name.endswith("z") else read_array
    with pytest.raises(FileFormatError) as caught:
        read(path)
    assert says in caught.value.what
    assert caught.value.next_step


def test_an_archive_with_something_else_in_it_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(FileFormatError, match=r"'readme.txt' in a.npz is not an .npy array"):
        archived(path)


def test_a_missing_file_and_a_missing_array_are_said(tmp_path):
    with pytest.raises(FileFormatError, match="could not be read"):
        read_array(tmp_path / "gone.npy")
    np.savez(tmp_path / "a.npz", W=np.ones(2))
    with pytest.raises(FileFormatError, match="archive"):
        read_array(tmp_path / "a.npz", "V")
