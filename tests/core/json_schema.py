"""The part of JSON Schema (2020-12) that our schema uses, checked as the standard says."""

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
    "integer": int, "number": (int, float),
}  # fmt: skip
NOT_CHECKED = {"title", "description", "default", "discriminator", "contentEncoding", "$defs",
               "$schema"}  # fmt: skip


def flaws(value, schema, root, path="$"):
    """What is wrong with a value, each with where; nothing if it is valid."""
    found = []
    for keyword, wanted in schema.items():
        if keyword not in NOT_CHECKED:
            found += CHECKS[keyword](value, wanted, schema, root, path)
    return found


def _says(wrong, path, words):
    return [f"{path} {words}"] if wrong else []


def _is(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def _reference(value, wanted, schema, root, path):
    return flaws(value, root["$defs"][wanted.removeprefix("#/$defs/")], root, path)


def _any_of(value, wanted, schema, root, path):
    tries = [flaws(value, one, root, path) for one in wanted]
    return min(tries, key=len) if all(tries) else []


def _properties(value, wanted, schema, root, path):
    if not isinstance(value, dict):
        return []
    return [
        flaw
        for name, inner in wanted.items()
        if name in value
        for flaw in flaws(value[name], inner, root, f"{path}.{name}")
    ]


def _others(value, wanted, schema, root, path):
    if not isinstance(value, dict):
        return []
    extra = [name for name in value if name not in schema.get("properties", {})]
    if wanted is False:
        return _says(extra, path, f"has {extra}")
    return [f for n in extra if wanted is not True
            for f in flaws(value[n], wanted, root, f"{path}.{n}")]  # fmt: skip


def _items(value, wanted, schema, root, path):
    if not isinstance(value, list):
        return []
    rest = value[len(schema.get("prefixItems", ())) :]
    if wanted is False:
        return _says(rest, path, "has too many items")
    return [f for k, v in enumerate(rest) for f in flaws(v, wanted, root, f"{path}[{k}]")]


def _first_items(value, wanted, schema, root, path):
    if not isinstance(value, list):
        return []
    pairs = enumerate(zip(value, wanted, strict=False))
    return [f for k, (v, one) in pairs for f in flaws(v, one, root, f"{path}[{k}]")]


def _limit(holds, kind, size=lambda v: v):
    def check(value, wanted, schema, root, path):
        fits = not isinstance(value, kind) or holds(size(value), wanted)
        return _says(not fits, path, f"is beyond {wanted}")

    return check


CHECKS = {
    "$ref": _reference,
    "anyOf": _any_of,
    "type": lambda v, w, s, r, p: _says(not _is(v, w), p, f"is no {w}"),
    "enum": lambda v, w, s, r, p: _says(v not in w, p, f"is none of {w}"),
    "const": lambda v, w, s, r, p: _says(v != w, p, f"is not {w}"),
    "required": lambda v, w, s, r, p: _says(
        isinstance(v, dict) and not set(w) <= set(v), p, f"lacks one of {w}"
    ),
    "properties": _properties,
    "additionalProperties": _others,
    "items": _items,
    "prefixItems": _first_items,
    "minItems": _limit(lambda n, least: n >= least, list, len),
    "maxItems": _limit(lambda n, most: n <= most, list, len),
    "minLength": _limit(lambda n, least: n >= least, str, len),
    "maxLength": _limit(lambda n, most: n <= most, str, len),
    "minimum": _limit(lambda n, least: n >= least, (int, float)),
    "maximum": _limit(lambda n, most: n <= most, (int, float)),
}
