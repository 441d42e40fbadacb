"""Receives events and verifies that they come from your deployment (Standard Webhooks 1.0). Without dependencies.

WEBHOOK_SECRET=whsec_… PORT=4000 python3 receiver.py    Python 3.9 or newer
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
# How old an event's timestamp may be, so that nobody can send a recorded one again later.
TOLERANCE_SECONDS = 300
MOST_BYTES = 65_536

# The events that are known. Keep these ids in your database: an event may come twice.
known = set()


def is_verified(headers, body: bytes) -> bool:
    """body: the bytes as they were received. Parsed and written again, they would be others."""
    event_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not event_id or not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    digest = hmac.new(SECRET, f"{event_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # During a rotation there are two: one with the old secret and one with the new one.
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(signature, expected) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections

    def do_POST(self):
        length = int(self.headers.get("content-length", "0"))
        if length > MOST_BYTES:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(length)
        if not is_verified(self.headers, body):
            return self.answer(401)
        event = json.loads(body)
        if event["id"] not in known:
            known.add(event["id"])
            # Put it in a queue here; what takes longer than 15 seconds counts as failed.
            print(event["type"], event["id"], flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Prints events only."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver).serve_forever()
