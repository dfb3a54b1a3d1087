#!/usr/bin/env python3
"""Tries changes of single lines of check.py, and shows that the vectors catch each change of a result.

    python3 vectors/mutants.py         # all changes
    python3 vectors/mutants.py 3/10    # every tenth one, from the third

A change that no vector catches must be one of EQUAL, where each has the reason why it changes no result. The function
`main` is not changed, because it only reports.
"""

import ast
import json
import sys
import warnings
from pathlib import Path

FOLDER = Path(__file__).parent
NO_SUCH_LENGTH = "no token has 1,024 characters: its content, in base64url, would have one more than a multiple of four"
EQUAL = {
    "module: '[^!-~]|[\"%]' -> '[^!-}]|[\"%]'": "the function quote of Python leaves ~ as it is",
    "read_token: len(token) > 1024 -> len(token) >= 1024": NO_SUCH_LENGTH,
    "read_token: 1024 -> 1023": NO_SUCH_LENGTH,
    "callback_url: len(token) <= 1024 -> len(token) < 1024": NO_SUCH_LENGTH,
    "callback_url: 1024 -> 1023": NO_SUCH_LENGTH,
}
SWAPS = {ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Lt: [ast.LtE, ast.Gt], ast.LtE: [ast.Lt],
         ast.Gt: [ast.GtE, ast.Lt], ast.GtE: [ast.Gt], ast.In: [ast.NotIn], ast.NotIn: [ast.In],
         ast.Is: [ast.IsNot], ast.IsNot: [ast.Is], ast.And: [ast.Or], ast.Or: [ast.And],
         ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.BitOr: [ast.BitAnd, ast.BitXor, ast.Add],
         ast.BitAnd: [ast.BitOr], ast.BitXor: [ast.BitOr], ast.LShift: [ast.RShift], ast.Mod: [ast.Mult]}
REPORT = ("def main", "if __name__")
NAMES = {"any": "all", "all": "any", "max": "min", "min": "max"}


def without(items):
    return [items[:at] + items[at + 1:] for at in range(len(items))]


def swapped(items):
    return [items[:at] + [items[at + 1], items[at]] + items[at + 2:] for at in range(len(items) - 1)]


def texts_near(text, is_pattern):
    yield from {"", text + "x"} - {text}
    for at in range(len(text) if is_pattern else 0):
        yield text[:at] + text[at + 1:]
        yield text[:at] + chr(ord(text[at]) + 1) + text[at + 1:]
        yield text[:at] + chr(max(ord(text[at]) - 1, 0)) + text[at + 1:]


def changes(node, parents):
    """Yields the nodes that may take the place of a node, and None if it may be left out."""
    copy = lambda **fields: type(node)(**{**dict(ast.iter_fields(node)), **fields})
    for field in ("op", "ops"):
        operators = getattr(node, field, [])
        for at, operator in enumerate(operators if isinstance(operators, list) else [operators]):
            for other in SWAPS.get(type(operator), []):
                yield copy(**{field: [*operators[:at], other(), *operators[at + 1:]] if field == "ops" else other()})
    match node:
        case ast.BoolOp():
            yield from (copy(values=values) for values in without(node.values))
        case ast.BinOp():
            yield from (node.left, node.right)
        case ast.UnaryOp():
            yield node.operand
        case ast.IfExp():
            yield from (node.body, node.orelse)
        case ast.If():
            yield from (copy(test=ast.Constant(value)) for value in (True, False))
        case ast.comprehension():
            yield from (copy(ifs=ifs) for ifs in without(node.ifs))
        case ast.List() | ast.Tuple() if isinstance(node.ctx, ast.Load):
            # The order of a tuple has no meaning: it is used as a set.
            swaps = swapped(node.elts) if isinstance(node, ast.List) else []
            yield from (copy(elts=elts) for elts in without(node.elts) + swaps)
        case ast.Dict():
            for keys, values in zip(without(node.keys), without(node.values)):
                yield copy(keys=keys, values=values)
        case ast.Slice():
            yield from (copy(**{end: None}) for end in ("lower", "upper") if getattr(node, end))
        case ast.Constant(bool() | None):
            yield ast.Constant(not node.value)
        case ast.Constant(int()):
            yield from (ast.Constant(node.value + step) for step in (1, -1))
        case ast.Constant(str()):
            is_pattern = isinstance(parents[-1], ast.Call) and ast.unparse(parents[-1].func) == "re.compile"
            yield from map(ast.Constant, texts_near(node.value, is_pattern))
        case ast.Name() if node.id in NAMES:
            yield copy(id=NAMES[node.id])
        case ast.Call():
            yield from (copy(keywords=keywords) for keywords in without(node.keywords))
            yield from node.args
            if isinstance(node.func, ast.Attribute):
                yield node.func.value
        case ast.Return() if node.value and ast.unparse(node.value) != "None":
            yield copy(value=None)
    if isinstance(node, (ast.Expr, ast.Assign, ast.Raise, ast.If, ast.For, ast.Return)):
        yield ast.Pass()


def places(tree, parents=()):
    """Yields each node with its parents and a function that puts another one in its place."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns"):
            continue
        for at, node in enumerate(value if isinstance(value, list) else [value]):
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            is_report = isinstance(node, ast.stmt) and ast.unparse(node).startswith(REPORT)
            if not isinstance(node, ast.AST) or is_text or is_report or isinstance(node, ast.arguments):
                continue
            put = value.__setitem__ if isinstance(value, list) else lambda _, other: setattr(tree, field, other)
            yield node, (*parents, tree), lambda other, put=put, at=at: put(at, other)
            yield from places(node, (*parents, tree))


def is_caught(tree, groups):
    """Tells whether a vector has another result. The group that caught the last change comes first."""
    try:
        program = {"__name__": "changed"}
        exec(compile(ast.fix_missing_locations(tree), "check.py", "exec"), program)
        for place, (group, vectors) in enumerate(groups):
            check = program["CHECKS"][group]
            if any(check(vector) != vector["result"] for vector in vectors):
                groups.insert(0, groups.pop(place))
                return True
        return False
    except Exception:
        groups.insert(0, groups.pop(place) if "place" in locals() else groups.pop(0))
        return True


def main():
    warnings.simplefilter("ignore")
    part, parts = map(int, sys.argv[1].split("/")) if len(sys.argv) > 1 else (0, 1)
    groups = list(json.loads((FOLDER / "vectors.json").read_text("utf-8")).items())
    tree = ast.parse((FOLDER / "check.py").read_text("utf-8"))
    if is_caught(tree, groups):
        sys.exit("check.py differs from the vectors without a change")
    seen, tried, passed = 0, 0, {}
    for node, parents, put in places(tree):
        name = next((each.name for each in reversed(parents) if getattr(each, "name", None)), "module")
        for other in changes(node, parents):
            if ast.dump(other) == ast.dump(node):
                continue
            seen += 1
            if seen % parts != part % parts:
                continue
            put(other)
            tried += 1
            if not is_caught(tree, groups):
                before, after = (ast.unparse(each).split("\n")[0] for each in (node, other))
                passed[f"{name}: {before} -> {after}"] = node
            put(node)
    missed = passed.keys() - EQUAL.keys()
    outdated = EQUAL.keys() - passed.keys() if parts == 1 else set()
    for change in sorted(missed):
        print(f"no vector catches {change}, line {getattr(passed[change], 'lineno', '?')}")
    for change in sorted(outdated):
        print(f"EQUAL has a change that is caught or not tried: {change}")
    print(f"{tried} changes, {len(passed)} pass the vectors, {len(passed) - len(missed)} of them are equal")
    sys.exit(1 if missed or outdated else 0)


main()
