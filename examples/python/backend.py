"""The backend of a page that plays. Copy the routes into your own framework; playback.py works in each.

PLAYBACK_URL=… SITE_ID=… CLIENT_ID=… ACCESS_KEY=… PORT=4100 python3 backend.py
"""

import json
import os
import secrets
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playback import NoAnswer, Playback, PlaybackProblem

playback = Playback(
    os.environ["PLAYBACK_URL"], os.environ["SITE_ID"], os.environ["CLIENT_ID"], os.environ["ACCESS_KEY"]
)

# What a page may choose. The policy, and whether this viewer may watch, are for the server to decide.
FROM_PAGE = ("contentId", "contentType", "drmSystem", "platformCapabilities", "applicationId", "replacesSessionId")
MOST_BYTES = 10_000


class Login:
    """Stands for your own login session."""

    def __init__(self, viewer):
        self.viewer = viewer
        self.started = []  # ids of sessions, which end at logout
        self.streams = []  # ids of the sessions that the viewer may stop, by their number in the last refusal


logins = {}


def play(login, body):
    request = {name: body[name] for name in FROM_PAGE if name in body}
    try:
        session = playback.create_session(login.viewer, **request)
    except PlaybackProblem as refusal:
        return answer_refusal(login, refusal)
    except NoAnswer:
        return 503, {"code": "service_unavailable"}, {}
    login.started.append(session["sessionId"])
    return 200, session, {"Cache-Control": "no-store"}


def answer_refusal(login, refusal):
    """What the page may see: no ids, no contents, no times. Members of a household often share an account."""
    headers = {} if refusal.retry_after is None else {"Retry-After": str(int(refusal.retry_after) + 1)}
    status = 503 if refusal.problem["retryable"] else 409
    if refusal.code != "concurrent_stream_limit_reached":
        return status, {"code": refusal.code}, headers
    active = refusal.problem["activeSessions"]
    login.streams = [session["sessionId"] for session in active]
    platforms = [session.get("clientPlatform") or "unknown" for session in active]
    body = {
        "code": refusal.code,
        "limit": refusal.problem["limit"],
        "message": f"Playing on {len(active)} devices: {', '.join(platforms)}",
        "streams": [{"number": number, "platform": platform} for number, platform in enumerate(platforms)],
    }
    return status, body, headers


def stop(login, body):
    """Ends the stream that the viewer has chosen, by its number in the refusal."""
    number = body.get("number")
    if not isinstance(number, int) or not 0 <= number < len(login.streams):
        return 404, {"code": "not_found"}, {}
    return tell_service(lambda: playback.terminate_session(login.viewer, login.streams[number]))


def log_out(login, _):
    def release_all():
        while login.started:
            playback.release_session(login.viewer, login.started[-1])
            login.started.pop()

    return tell_service(release_all)


def tell_service(call):
    try:
        call()
    except (PlaybackProblem, NoAnswer):
        return 503, {"code": "service_unavailable"}, {}
    return 204, None, {}


routes = {"/play": play, "/stop": stop, "/logout": log_out}


class Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        # Pages of other sites cannot send JSON here.
        if self.headers.get_content_type() != "application/json":
            return self.answer(415, {"code": "unsupported_media_type"}, {"Connection": "close"})
        length = int(self.headers.get("Content-Length", "0"))
        if length > MOST_BYTES:
            return self.answer(413, {"code": "request_too_large"}, {"Connection": "close"})
        try:
            body = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return self.answer(400, {"code": "invalid_request"}, {})
        if self.path == "/login":
            return self.log_in(body)
        login = self.current_login()
        if login is None:
            return self.answer(401, {"code": "not_logged_in"}, {})
        route = routes.get(self.path)
        self.answer(*((404, {"code": "not_found"}, {}) if route is None else route(login, body)))

    def log_in(self, body):
        """Yours checks a password."""
        cookie = secrets.token_urlsafe()
        logins[cookie] = Login(str(body.get("viewer")))
        self.answer(204, None, {"Set-Cookie": f"login={cookie}; HttpOnly; SameSite=Lax; Path=/"})

    def current_login(self):
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("login")
        return None if cookie is None else logins.get(cookie.value)

    def answer(self, status, body, headers):
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if body is not None:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Prints nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4100"))), Backend).serve_forever()
