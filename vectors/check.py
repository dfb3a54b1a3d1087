#!/usr/bin/env python3
"""Checks vectors with an implementation of its own, written from docs/vectors.md and docs/spec.md.

    python3 vectors/check.py              checks the committed vectors
    python3 vectors/check.py - < vectors  checks those of the standard input

Needs Python 3.11 or later and no package.
"""

import base64
import hashlib
import hmac
import json
import re
import sys
from pathlib import Path
from urllib.parse import parse_qsl

STATUSES = ["NEW", "PENDING", "PROCESSING", "CUSTOMER_VERIFICATION", "SUCCEED", "FAILED",
            "CANCELLED", "REFUNDED", "CHARGEBACK"]
RANKS = dict(zip(STATUSES, [1, 2, 3, 3, 10, 10, 10, 11, 12]))
FINAL = 10
CLAIMED = {status: 1 << place for place, status in enumerate(STATUSES)}
CONFIRMED = {status: 1 << place + 9 for place, status in enumerate(STATUSES)}
LAYOUTS = {"card": ["mid", "orderAmount", "orderCurrency", "transactionId"],
           "apm": ["accountId", "amount", "currency", "transactionId"]}
FORBIDDEN = re.compile("[|\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Number(str):
    """A JSON number: its text, exactly as it was sent."""


def mac(secret, text):
    return hmac.digest(secret.encode(), text.encode(), hashlib.sha256)


def verify(callback):
    """Returns the HTTP status of the answer, and the signed fields of a genuine callback."""
    query = parse_qsl(callback["query"], keep_blank_values=True)
    methods = [value for name, value in query if name == "paymentMethod"]
    if methods not in (["card"], ["apm"]):
        return {"answer": 400, "signed": None}
    method = methods[0]
    body = json.loads(callback["body"], parse_int=Number, parse_float=Number)
    other = LAYOUTS["apm" if method == "card" else "card"]
    signed = [body.get(name) for name in LAYOUTS[method]]
    if all(name in body for name in other) or not all(map(is_signable, signed)):
        return {"answer": 400, "signed": None}
    checksum = base64.b64encode(mac(callback["secret"], "|".join(signed)))
    if not hmac.compare_digest(checksum, (callback["checksum"] or "").encode()):
        return {"answer": 401, "signed": None}
    return {"answer": 200, "signed": signed}


def is_signable(value):
    return isinstance(value, str) and value != "" and FORBIDDEN.search(value) is None


def request_checksum(request):
    names = ["accountId", "requestId", "amount", "currency"]
    text = request["separator"].join(request[name] for name in names)
    return {"checksum": mac(request["secret"], text).hex()}


def join(left, right):
    reads = [state["read"] for state in (left, right) if state["read"] is not None]
    later = max(reads, key=lambda read: (read["askedAt"], STATUSES.index(read["status"])), default=None)
    return {"evidence": left["evidence"] | right["evidence"], "read": later}


def standing(evidence, read, policy):
    confirmed = {status for status in STATUSES if evidence & CONFIRMED[status]}
    counted = [status for status in STATUSES
               if status in confirmed or evidence & CLAIMED[status] and admits(policy, status)]
    rank = max((RANKS[status] for status in counted), default=0)
    top = [status for status in counted if RANKS[status] == rank]
    if rank == FINAL:
        top = [status for status in top if status in confirmed] or top
        if len(top) > 1:
            status = read if read in top else None
            return {"status": status, "rank": rank, "confirmed": status in confirmed, "conflict": top}
    # CUSTOMER_VERIFICATION comes after PROCESSING in the list, the only other pair of one rank.
    status = top[-1] if top else None
    return {"status": status, "rank": rank, "confirmed": status in confirmed, "conflict": None}


def admits(policy, status):
    return policy == "never" or policy == "final" and RANKS[status] < FINAL


def is_news(status, told):
    """Tells whether the handler, which was last told `told`, is told `status`."""
    if status is None or status == told:
        return False
    if told is None or RANKS[status] > RANKS[told]:
        return True
    return RANKS[status] == RANKS[told] and told != "CUSTOMER_VERIFICATION"


def observe(event):
    if "callback" in event:
        return {"evidence": CLAIMED[event["callback"]], "read": None}
    if "response" in event:
        return {"evidence": CONFIRMED[event["response"]], "read": None}
    read = {"status": event["read"], "askedAt": event["askedAt"]}
    return {"evidence": CONFIRMED[event["read"]], "read": read}


def replay(events, policy, before):
    state, told = {"evidence": 0, "read": None}, []
    for event in events:
        state = join(state, observe(event))
        read = state["read"] and state["read"]["status"]
        status = standing(state["evidence"], read, policy)["status"]
        if is_news(status, told[-1] if told else before):
            told.append(status)
    return {"told": told}


CHECKS = {
    "callbacks": verify,
    "requests": request_checksum,
    "joins": lambda it: {"joined": join(it["left"], it["right"])},
    "standings": lambda it: standing(it["evidence"], it["read"], it["policy"]),
    "histories": lambda it: replay(it["events"], it["policy"], it["toldBefore"]),
}


def main():
    source = "" if "-" in sys.argv[1:] else Path(__file__).with_name("vectors.json")
    groups = json.loads(source.read_text("utf-8") if source else sys.stdin.buffer.read())
    differences = [(group, vector, own) for group, check in CHECKS.items() for vector in groups[group]
                   if (own := check(vector)) != {name: vector[name] for name in own}]
    for group, vector, own in differences[:5]:
        print(f"{group}: {json.dumps(own)} differs from {json.dumps(vector)}")
    counts = {group: len(groups[group]) for group in CHECKS}
    print(f"{sum(counts.values())} vectors, {len(differences)} differ: {json.dumps(counts)}")
    sys.exit(1 if differences or 0 in counts.values() or groups.keys() != CHECKS.keys() else 0)


main()
