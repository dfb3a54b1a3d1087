"""Checks openapi.json, and bodies that were sent and received, with python3-jsonschema.

    python3 checkBodies.py openapi.json < exchanges    one JSON object a line: {"schema", "body"}

`schema` is a JSON pointer into openapi.json. Debian has the library as python3-jsonschema.
"""
import json
import re
import sys
from jsonschema import Draft202012Validator

with open(sys.argv[1], encoding="utf-8") as file:
    DOCUMENT = json.load(file)
DEFINITIONS = {"components": DOCUMENT["components"]}
for definition in DOCUMENT["components"]["schemas"].values():
    Draft202012Validator.check_schema(definition)


def at(pointer):
    node = DOCUMENT
    for part in pointer.split("/")[1:]:
        node = node[part.replace("~1", "/").replace("~0", "~")]
    return node


def nodes(node):
    if isinstance(node, (dict, list)):
        yield node
        for child in node.values() if isinstance(node, dict) else node:
            yield from nodes(child)


def errors(schema, body):
    for error in Draft202012Validator({**schema, **DEFINITIONS}).iter_errors(body):
        yield f"{'/'.join(map(str, error.path))}: {error.validator}"


objects = [node for node in nodes(DOCUMENT) if isinstance(node, dict)]
patterns = {re.compile(node["pattern"]) for node in objects if isinstance(node.get("pattern"), str)}
bodies = [("example", node["schema"], node["example"]) for node in objects if {"schema", "example"} <= node.keys()]
examples = len(bodies)
for line in sys.stdin:
    exchange = json.loads(line)
    bodies.append((exchange["schema"], at(exchange["schema"]), exchange["body"]))
wrong = [(name, error) for name, schema, body in bodies for error in errors(schema, body)]
for name, error in wrong[:5]:
    print(f"{name} does not allow {error}")
print(f"{len(patterns)} patterns, {examples} examples, {len(bodies) - examples} bodies, {len(wrong)} wrong")
sys.exit(1 if wrong or not patterns or not examples or len(bodies) == examples else 0)
