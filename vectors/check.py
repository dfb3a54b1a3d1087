#!/usr/bin/env python3
"""Checks vectors with an implementation of its own, written from docs/vectors.md and docs/spec.md.

    python3 vectors/check.py              checks the committed vectors
    python3 vectors/check.py - < vectors  checks those of the standard input

Needs Python 3.11 or later and no package.
"""

import base64
import hmac
import json
import re
import sys
from itertools import chain
from pathlib import Path
from urllib.parse import parse_qsl, quote

STATUSES = ["NEW", "PENDING", "PROCESSING", "CUSTOMER_VERIFICATION", "SUCCEED", "FAILED",
            "CANCELLED", "REFUNDED", "CHARGEBACK"]
RANKS = dict(zip(STATUSES, [1, 2, 3, 3, 10, 10, 10, 11, 12]))
FINAL = 10
CLAIMED = {status: 1 << place for place, status in enumerate(STATUSES)}
CONFIRMED = {status: 1 << place + 9 for place, status in enumerate(STATUSES)}
LAYOUTS = {"card": ["mid", "orderAmount", "orderCurrency", "transactionId"],
           "apm": ["accountId", "amount", "currency", "transactionId"]}
OPERATIONS = {"apm": ("apm-payment", "apm-payout"), "card": ("card-payment", "card-payout", "refund")}
INTENTS = ("payment", "payout")
UNSIGNABLE = re.compile("[|\x00-\x1f\x7f-\x9f\ud800-\udfff]")
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
CURRENCY = re.compile("[A-Z]{3}")
RESERVED = re.compile(r"(paymentmethod|apmtype)(\[|\Z)", re.IGNORECASE)
TOKEN_NAME = re.compile(r"pawl(\[|\Z)", re.IGNORECASE)
INTEGER = re.compile("0|[1-9][0-9]{,127}")
ACCOUNT = re.compile("[0-9]{1,128}")
TOKEN_OPERATIONS = (*OPERATIONS["apm"], *OPERATIONS["card"], *INTENTS)
TOKEN_FIELDS = ["operation", "requestId", "account", "amount", "currency", "merchant"]
CHANGING = ("card-payment", *INTENTS)
UNSAFE_IN_HEADER = re.compile('[^!-~]|["%|]')
TOKEN_PREFIX = "pawl callback url 1\n"

CODES = {str(place): status for place, status in enumerate(STATUSES)}
KINDS = {"a": "apm", "c": "card", "p": "apm-payment", "o": "apm-payout", "q": "card-payment", "u": "card-payout",
         "r": "refund"}
ORDERED = {"i": "requestId", "a": "account", "m": "amount", "u": "currency"}
FLAGS = {"r": ("registered", True), "o": ("isOrderRegistered", True), "n": ("namesRefund", True),
         "y": ("namesPayout", True), "a": ("amountCleared", True), "e": ("isErased", True),
         "c": ("secret", "current"), "p": ("secret", "previous")}
DECIMALS = {"e": "evidence", "n": "callbacks", "s": "sequence"}
COUNTS = {"w": "attempt", "P": "polls"}
TIMES = {"F": "failingSince", "y": "retryAt", "N": "newStatusAt", "l": "pollAt", "A": "askedAt",
         "U": "unconfirmedAt", "d": "dueAt"}
LANES = {"t": "tell", "a": "ask", "y": "retry", "w": "watch"}
WORDS = {"t": ("told", CODES), "p": ("pendingStatus", CODES), "L": ("lane", LANES)}
REASONS = {"h": "handler-failed", "u": "unknown-transaction", "d": "amount-mismatch", "x": "unreadable"}
OUTCOMES = {"a": "Answered", "r": "Refused", "f": "Found", "n": "NotSent"}
NOT_SENT = {"c": "cancelled", "e": "expired", "n": "no-effect"}
REQUEST_KINDS = {"p": "apm-payment", "o": "apm-payout", "q": "card-payment", "h": "card-charge", "u": "card-payout",
                 "r": "refund", "s": "subscription", "i": "payment-intent"}
REQUEST_TEXTS = {"g": "digest", "v": "body", "T": "deniedTransactionId"}
REQUEST_TIMES = {"R": "retryFrom", "E": "expiresAt", "B": "begunAt", "d": "dueAt", "S": "settledAt"}
PARKED = {"r": "refused", "w": "window", "c": "card-data", "b": "rebuilt-differently", "k": "no-key",
          "x": "unreadable"}
STATUS_OR_NONE = {**CODES, "-": None, "": None}
CALLS = {"t": "told", "x": "failed"}
ESCAPES = {"\\": "\\", "n": "\n", "t": "\t", "c": ",", "0": "\0"}


class Number(str):
    """A JSON number: its text, exactly as it was sent."""


class Refused(Exception):
    def __init__(self, answer):
        self.answer = answer


def mac(secret, text):
    return hmac.digest(secret.encode(), text.encode(), "sha256")


def is_same(expected, text):
    return text is not None and hmac.compare_digest(expected.encode(), text.encode())


def is_text(value):
    return isinstance(value, str) and not isinstance(value, Number)


def unique(members):
    if len(dict(members)) < len(members):
        raise ValueError
    return dict(members)


def no_constant(name):
    raise ValueError


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def read_json(text):
    """Returns a value with the text of each number, or raises ValueError."""
    value = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=no_constant,
                       object_pairs_hook=unique)
    if depth(value) > 64:
        raise ValueError
    return value


def verify(callback):
    """Returns the HTTP status of the answer, and what a genuine callback says."""
    try:
        return {"answer": 200, **read_callback(callback)}
    except Refused as refused:
        return {"answer": refused.answer}


def refuse_if(condition, answer=400):
    if condition:
        raise Refused(answer)


def read_callback(callback):
    try:
        body = read_json(callback["body"])
    except ValueError:
        raise Refused(400)
    refuse_if(not isinstance(body, dict))
    method, tokens = read_query(callback["query"], body)
    refuse_if(all(name in body for name in LAYOUTS["apm" if method == "card" else "card"]))
    signed = [body.get(name) for name in LAYOUTS[method]]
    refuse_if(not all(map(is_signable, signed)))
    checksums = [base64.b64encode(mac(secret, "|".join(signed))).decode() for secret in callback["secrets"]]
    refuse_if(not any([is_same(checksum, callback["checksum"]) for checksum in checksums]), 401)
    reads = [read_token(secret, token) for secret in callback["secrets"] for token in tokens]
    read = next(filter(None, reads), None)
    kind = kind_of(read["operation"], method) if read else method
    is_mid = method == "apm" and read and read["operation"] in INTENTS
    refuse_if(read and (kind not in OPERATIONS[method] or not is_mid and read["account"] not in (None, signed[0])))
    return {"signed": signed, "kind": kind, "claim": claim_of(body, *signed)}


def read_query(query, body):
    """Returns the method of a callback URL, and a list with its token if it has one."""
    values = {"paymentMethod": [], "apmType": [], "pawl": []}
    for name, value in parse_qsl(query, keep_blank_values=True):
        refuse_if(name not in values and RESERVED.match(name))
        values.get(name, []).append(value)
    methods, types, tokens = values.values()
    refuse_if(methods not in (["card"], ["apm"]))
    refuse_if(len(types) > (methods == ["apm"]) or len(tokens) > 1)
    in_body = body.get("apmType")
    refuse_if(types and in_body is not None and not (is_text(in_body) and types == [in_body]))
    return *methods, tokens


def is_signable(value):
    return isinstance(value, str) and value != "" and not UNSIGNABLE.search(value)


def is_short(text):
    return is_signable(text) and len(text) <= 128


def is_amount(text, zeros=""):
    return re.fullmatch("(0|[1-9][0-9]{,17})([.][0-9]{1,2}%s)?" % zeros, text)


def claim_of(body, account, amount, currency, transaction_id):
    """Returns the status that a genuine callback claims; None if it cannot be acted on."""
    status = body.get("transactionStatus")
    is_id = is_short(transaction_id) and transaction_id not in (".", "..")
    is_known = is_id and is_amount(amount, "0{,6}") and CURRENCY.fullmatch(currency) and status in STATUSES
    return status if is_known and not any(map(UNSTORABLE.search, texts_of(body))) else None


def texts_of(value):
    if isinstance(value, dict):
        return chain(value, texts_of(list(value.values())))
    return chain(*map(texts_of, value)) if isinstance(value, list) else [value] if is_text(value) else []


def kind_of(operation, method):
    return f"{method}-{operation}" if operation in INTENTS else operation


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().replace("=", "")


def from_base64url(text):
    """Returns the bytes of a text, or raises ValueError. Python alone skips characters that base64url does not have."""
    data = base64.urlsafe_b64decode(text + "===")
    if base64url(data) != text:
        raise ValueError
    return data


def tag_of(secret, content):
    return base64url(mac(secret, TOKEN_PREFIX + content)[:16])


def read_token(secret, token):
    """Returns the content of a token; None if the secret did not sign it."""
    content, _, tag = token.partition(".")
    if len(token) > 1024 or not is_same(tag_of(secret, content), tag):
        return None
    try:
        values = read_json(from_base64url(content).decode())
    except ValueError:
        return None
    return dict(zip(TOKEN_FIELDS, [*values, None])) if is_content(values) else None


def is_content(values):
    return isinstance(values, list) and len(values) in (5, 6) and values[0] in TOKEN_OPERATIONS and \
        all(value is None or is_text(value) for value in values) and None not in values[5:]


def callback_url(it):
    """Returns a callback URL with a token; None if a token cannot be added."""
    url, operation, request = it["url"], it["operation"], it["request"]
    base, hash, fragment = url.partition("#")
    path, mark, query = base.partition("?")
    names = [name for name, _ in parse_qsl(query, keep_blank_values=True)]
    if not re.fullmatch(r"https?://\S+", url, re.IGNORECASE) or any(map(RESERVED.match, names)) or \
            any(map(TOKEN_NAME.match, names)):
        return None
    amounts = [None, None] if operation in CHANGING else [request.get("amount"), request.get("currency")]
    account = request.get("accountId", request.get("mid"))
    merchant = [] if it["merchant"] is None else [it["merchant"]]
    content = base64url(write_json([operation, request["requestId"], account, *amounts, *merchant]).encode())
    token = f"{content}.{tag_of(it['secret'], content)}"
    separator = "" if mark and query[-1:] in ("", "&") else "&"
    return f"{path}?{query}{separator if mark else ''}pawl={token}{hash}{fragment}" if len(token) <= 1024 else None


def write_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def request_body(it):
    """Returns the body of a request with its members sorted; None if the request is refused."""
    body = {**it["request"]}
    formats = {"requestId": is_short, "mid": is_short, "accountId": ACCOUNT.fullmatch, "amount": is_amount,
               "currency": CURRENCY.fullmatch, "transactionId": INTEGER.fullmatch}
    if not all(is_valid(body[name]) for name, is_valid in formats.items() if name in body):
        return None
    if it["operation"] in OPERATIONS["apm"]:
        text = it["separator"].join(body[name] for name in ("accountId", "requestId", "amount", "currency"))
        body["checksum"] = mac(it["secret"], text).hex()
    if it["operation"] == "refund":
        body["transactionId"] = int(body["transactionId"])
    return write_json(dict(sorted(body.items())))


def forward_headers(it):
    """Returns the headers of the post of a transition."""
    transition, secret = json.loads(it["body"]), it["secret"]
    key = base64.b64decode(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else secret.encode()
    id, time = header_text(transition["id"]), str(it["at"] // 1000)
    signature = hmac.digest(key, f"{id}.{time}.{it['body']}".encode(), "sha256")
    event = {"specversion": "1.0", "id": transition["id"], "source": it["source"] or "urn:pawl:receiver",
             "type": f"pawl.{transition['kind']}.{transition['to']}",
             "subject": f"{transition['method']}/{transition['transactionId']}",
             "sequence": f"{transition['sequence']:010}"}
    return {"content-type": "application/json", "webhook-id": id, "webhook-timestamp": time,
            "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
            **{f"ce-{name}": header_text(value) for name, value in event.items()}}


def header_text(text):
    """Returns a text with the characters percent-encoded that no header should carry."""
    return UNSAFE_IN_HEADER.sub(lambda found: quote(found[0]), text)


def fnv(text):
    """Returns the hash FNV-1a of the UTF-16 code units of a text."""
    value, units = 0x811C9DC5, text.encode("utf-16-le")
    for low, high in zip(units[::2], units[1::2]):
        value = (value ^ (low + high * 256)) * 0x01000193 % 2 ** 32
    return value


def unescape(text):
    return re.sub(r"\\(u....|.)", lambda found: ESCAPES.get(found[1]) or chr(int(found[1][1:], 16)), text)


def number(text, base=0):
    return float(text[1:]) if text.startswith("=") else int(text, 36) + base


def read_document(reader, it):
    """Returns what a reader makes of the text of a document; None if the document is damaged."""
    text, _, check = it["document"].rpartition("\n")
    try:
        if check[0] == "~" and int(check[1:], 36) == fnv(text):
            return reader(text, it)
    except (ValueError, LookupError):
        pass


def read_rows(text, it):
    rows = []
    for line in filter(None, text.split("\n")):
        if line[0] == "k":
            kinds, time = line[1:].split(",")
            rows.append({"scope": KINDS[kinds[0]], "kind": KINDS[kinds[-1]], "createdAt": int(time)})
        else:
            read_field(rows[-1], line, it["transactionId"])
    return rows


def read_order(row, field, value):
    """Reads a field of an order, and tells whether it is one."""
    is_order = field == "O" or field in ORDERED
    if is_order:
        row.setdefault("ordered", {}).update({ORDERED[field]: unescape(value)} if field in ORDERED else {})
    return is_order


def read_request(text, it):
    (field, *words), *lines = text.split("\n")
    kind, time = "".join(words).split(",")
    base = int(time)
    row = {"requestId": it["requestId"], "kind": REQUEST_KINDS[kind[0]], "hasCardData": kind[1:] == "c",
           "createdAt": base, "digest": "", "retryFrom": base, "attempts": 0}
    if field != "k":
        raise ValueError
    for line in sorted(lines, key=lambda line: line[0] == "z"):
        read_request_field(row, line, base)
    return row


def read_request_field(row, line, base):
    field, value, parts = line[0], line[1:], line[1:].split(",")
    if read_order(row, field, value):
        pass
    elif field in REQUEST_TEXTS:
        row[REQUEST_TEXTS[field]] = unescape(value)
    elif field in REQUEST_TIMES:
        row[REQUEST_TIMES[field]] = number(value, base)
    elif field == "w":
        row["attempts"] = number(value)
    elif field == "x":
        row["refusals"] = {"count": number(parts[0]), "since": number(parts[1], base), "reason": unescape(parts[2])}
    elif field == "h":
        row["lease"] = {"id": number(parts[0]), "until": number(parts[1], base), "inDoubt": parts[2:] == ["d"]}
    elif field == "o":
        reason = {"reason": NOT_SENT[value[1]]} if value[0] == "n" else {}
        row["outcome"] = {"_tag": OUTCOMES[value[0]], **reason}
    elif field == "z":
        if row["outcome"]["_tag"] in ("Answered", "Refused"):
            row["outcome"]["text"] = unescape(value)
    elif field == "t":
        row["transaction"] = {"method": KINDS[value[0]], "transactionId": unescape(value[1:])}
    elif field == "D":
        row["parked"] = {"reason": PARKED[value[0]], "at": number(value[1:], base)}
    else:
        row.setdefault("unknown", []).append(line)


def read_field(row, line, transaction_id):
    field, value, parts, base = line[0], line[1:], line[2:].split(","), row["createdAt"]
    if read_order(row, field, value):
        pass
    elif field == "f":
        row.update(FLAGS[letter] for letter in value)
    elif field in DECIMALS:
        row[DECIMALS[field]] = int(value)
    elif field in COUNTS:
        row[COUNTS[field]] = number(value)
    elif field in TIMES:
        row[TIMES[field]] = number(value, base)
    elif field in WORDS:
        name, words = WORDS[field]
        row[name] = words[value]
    elif field == "r":
        row["read"] = {"status": CODES[value[0]], "askedAt": number(value[1:], base)}
    elif field == "D":
        to = {} if value[1] == "-" else {"to": CODES[value[1]]}
        row["deadLetter"] = {"reason": REASONS[value[0]], "at": number(value[2:], base), **to}
    elif field == "h":
        id, until, evidence = value.split(",")
        row["lease"] = {"id": number(id), "until": number(until, base), "evidence": number(evidence)}
    elif field == "b":
        row.setdefault("accepted", {})[CODES[value[0]]] = {
            "at": number(parts[0], base), "count": number([*parts, "1"][1])}
    elif field == "q":
        has_only_size = len(parts) == 2
        signed = {} if has_only_size else dict(zip(["account", "amount", "currency"], map(unescape, parts[1:])))
        sizes = parts[1:] if has_only_size else parts[4:]
        row.setdefault("newestCallbacks", {})[CODES[value[0]]] = {
            "at": number(parts[0], base), **({"size": number(*sizes)} if sizes else {}),
            **({"signed": {**signed, "transactionId": transaction_id}} if signed else {})}
    elif field == "X":
        row["factNumber"] = number(value)
    elif field == "x" and read_fact(row, *value.split(","), base=base):
        pass
    else:
        row.setdefault("unknown", []).append(line)


def read_fact(row, place, time, words, *others, base):
    """Reads a fact, and tells whether this version knows it. The number of each fact counts."""
    place, at = number(place), number(time, base)
    row["factNumber"] = max(place, row.get("factNumber", place))
    event, more = read_event(words), {other[0]: other[1:] for other in others}
    is_known = event is not None and more.keys() <= {"k", "l", "f"}
    if is_known:
        last = at if "l" not in more else number(more["l"], base) if more["l"] else None
        fact = {**event, "number": place, "at": at, "count": number(more.get("k", "1")), "lastAt": last,
                "from": KINDS[more["f"]] if "f" in more else None}
        row.setdefault("facts", []).append({name: value for name, value in fact.items() if value is not None})
    return is_known


def read_event(words):
    """Returns what a fact says; None if a newer version wrote it."""
    code, one, two, rest = words[0], words[1:2], words[2:3], words[3:]
    if code == "r":
        return {"fact": "registered", "kind": KINDS[one], "status": STATUS_OR_NONE[two]}
    if code == "b":
        return {"fact": "accepted", "status": CODES[one]}
    if code == "a":
        result = part(rest) or "" if two == "." else CODES[two]
        return {"fact": "asked", "kind": None if one == "-" else KINDS[one], "result": result}
    if code == "c":
        evidence, sequence = map(number, rest.split("."))
        return {"fact": "called", "to": CODES[one], "read": STATUS_OR_NONE[two], "evidence": evidence,
                "sequence": sequence}
    if code in CALLS:
        return {"fact": CALLS[code], "to": CODES[one], "sequence": number(words[2:])}
    if code == "p":
        return {"fact": "parked", "reason": REASONS[one], "to": STATUS_OR_NONE[two]}
    if code == "v":
        by, why = map(part, words[1:].split("\t"))
        return {"fact": "redriven", "by": by, "why": why}
    return {"fact": "more"} if code == "m" else None


def part(text):
    return None if text == "-" else unescape(text[1:])


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
    return status is not None and status != told and (
        told is None or RANKS[status] > RANKS[told]
        or RANKS[status] == RANKS[told] and told != "CUSTOMER_VERIFICATION")


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
    "requests": lambda it: {"body": request_body(it)},
    "urls": lambda it: {"url": callback_url(it)},
    "tokens": lambda it: {"content": read_token(it["secret"], it["token"])},
    "forwards": lambda it: {"headers": forward_headers(it)},
    "documents": lambda it: {"rows": read_document(read_rows, it)},
    "requestDocuments": lambda it: {"row": read_document(read_request, it)},
    "quarantines": lambda it: {"callbacks": read_document(lambda text, _: json.loads(text), it)},
    "joins": lambda it: join(it["left"], it["right"]),
    "standings": lambda it: standing(it["evidence"], it["read"], it["policy"]),
    "histories": lambda it: replay(it["events"], it["policy"], it["toldBefore"]),
}


def main():
    source = "" if "-" in sys.argv[1:] else Path(__file__).with_name("vectors.json")
    groups = json.loads(source.read_text("utf-8") if source else sys.stdin.buffer.read())
    differences = [(group, vector, own) for group, check in CHECKS.items() for vector in groups[group]
                   if (own := check(vector)) != vector["result"]]
    for group, vector, own in differences[:5]:
        print(f"{group}: {json.dumps(own)} differs from {json.dumps(vector)}")
    counts = {group: len(groups[group]) for group in CHECKS}
    print(f"{sum(counts.values())} vectors, {len(differences)} differ: {json.dumps(counts)}")
    sys.exit(1 if differences or 0 in counts.values() or groups.keys() != CHECKS.keys() else 0)


if __name__ == "__main__":
    main()
