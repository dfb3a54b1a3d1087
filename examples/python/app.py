"""Shows an application in Python that receives transitions from pawl-receiver. It needs only Python.

    PAWL_FORWARD_SECRET=… python3 app.py [PORT, else 5000]
    PAWL_FORWARD_SECRET=… pawl-receiver … --forward http://127.0.0.1:5000/transitions

Transitions arrive in order, one at a time per transaction, and at least once. The application stores the last
one: it answers one that is not later with 200 and does nothing. pawl-receiver posts a transition again later
after any response but a 2xx. GET /transactions/{method}/{id} returns the status that this application has.
"""

import base64
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

SECRET = os.environ["PAWL_FORWARD_SECRET"]
KEY = base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()
TOLERANCE = 300  # seconds between the signature and now

RANKS = {"NEW": 1, "PENDING": 2, "PROCESSING": 3, "CUSTOMER_VERIFICATION": 3, "SUCCEED": 10, "FAILED": 10,
         "CANCELLED": 10, "REFUNDED": 11, "CHARGEBACK": 12}

lock = Lock()
latest = {}  # a real application has a table, written in one database transaction with the effect


def is_genuine(headers, body):
    """Returns whether pawl-receiver signed these bytes within the last TOLERANCE seconds.

    The headers are those of https://www.standardwebhooks.com, whose libraries verify them too.
    """
    identifier, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE:
        return False
    signed = f"{identifier}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, signed, "sha256"))
    signatures = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(expected, each) for each in signatures)


def key_of(transition):
    """A refund, and a transaction of the other method, may have the same number.

    Before its kind is known, a refund has the key of a payment, and what is stored there stays open.
    """
    return transition["method"], transition["transactionId"], transition["kind"] == "refund"


def is_later(one, last):
    """Compares ranks first, because sequences start again after an older backup was restored."""
    return last is None or one["to"] != last["to"] and order(one) > order(last)


def order(transition):
    return RANKS[transition["to"]], transition["sequence"]


class Application(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not is_genuine(self.headers, body):
            return self.answer(401, {"message": "The signature is wrong"})
        transition = json.loads(body)
        with lock:
            if is_later(transition, latest.get(key_of(transition))):
                latest[key_of(transition)] = transition  # act here
                print(f"{transition['transactionId']} is {transition['to']}", flush=True)
        return self.answer(200, {})

    def do_GET(self):
        method, identifier = self.path.split("/")[-2:]
        with lock:
            last = latest.get((method, identifier, False))
        return self.answer(404 if last is None else 200, {"status": last and last["to"]})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    server = ThreadingHTTPServer(("127.0.0.1", port), Application)
    print(f"ready http://127.0.0.1:{server.server_port}/transitions", flush=True)
    server.serve_forever()
