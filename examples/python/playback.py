"""Playback sessions for a backend in Python 3.9 or newer, with the standard library only."""

import email.utils
import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

ATTEMPT_SECONDS = 5
# Of all attempts together. A viewer waits no longer.
CALL_SECONDS = 10


class PlaybackProblem(Exception):
    """The service refused. retry_after: in how many seconds to try again, or None."""

    def __init__(self, problem, retry_after):
        super().__init__(f"{problem['code']}: {problem.get('detail')} (request {problem.get('requestId')})")
        self.problem = problem
        self.code = problem["code"]
        self.retry_after = retry_after


class NoAnswer(Exception):
    """No answer came, or only one of a proxy: what was asked may have been done all the same."""


class Playback:
    """The sessions of one environment. url: the address of the playback service. The others: of your API client."""

    def __init__(self, url, environment_id, client_id, access_key, header_prefix="X-SERVICE"):
        self._sessions = f"{url}/api/v1/playback/environments/{environment_id}/sessions"
        self._headers = {
            "Accept": "application/json",
            "Content-Type": "application/json",
            f"{header_prefix}-Client-Id": client_id,
            f"{header_prefix}-Client-Secret": access_key,
        }

    def create_session(self, subject, **request):
        """Returns a new session, for the player. subject: a stable id of the viewer, from your own login."""
        session_id = str(uuid.uuid4())  # once, so that all attempts start the same session
        body = {"useEnvironmentDefaults": True, **request, "subject": subject, "sessionId": session_id}
        try:
            session = self._call("", body)
        except NoAnswer:
            # The session may have started, or may start later. This frees its slot, in the background.
            threading.Thread(target=self._release_quietly, args=(subject, session_id)).start()
            raise
        if session["contractVersion"] != 1:
            raise RuntimeError(f"unknown contract version {session['contractVersion']}")
        return session

    def release_session(self, subject, session_id, reason="ended"):
        """Frees the slot of a session that has ended, for example at logout."""
        path = f"/{urllib.parse.quote(session_id, safe='')}/release"
        self._call(path, {"subject": subject, "reason": reason})

    def terminate_session(self, subject, session_id):
        """Ends a session of the viewer, such as that of another device. Its player learns it at its next renewal."""
        self.release_session(subject, session_id, "terminated")

    def _release_quietly(self, subject, session_id):
        try:
            self.release_session(subject, session_id)
        except (NoAnswer, PlaybackProblem):
            pass  # the slot is free when the session expires

    def _call(self, path, body):
        """Returns the JSON of a success, or None if there is none. Repeats what may be repeated."""
        deadline = time.monotonic() + CALL_SECONDS
        attempt = 0
        while True:
            attempt += 1
            timeout = min(ATTEMPT_SECONDS, deadline - time.monotonic())
            status, retry_after, answer = _post(self._sessions + path, self._headers, body, timeout)
            if status == 204 or (status == 200 and isinstance(answer, dict)):
                return answer
            if _is_problem(answer):
                failure, repeatable = PlaybackProblem(answer, retry_after), answer["retryable"]
            else:
                # A proxy's, one that was cut off, or none.
                failure, repeatable = NoAnswer(f"HTTP {status}"), status in (None, 200, 502, 503, 504)
            wait = attempt * random.uniform(0.5, 1) if retry_after is None else retry_after
            if not repeatable or time.monotonic() + wait >= deadline:
                raise failure
            time.sleep(wait)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """urllib would send the access key to wherever a redirect points."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def _post(url, headers, body, timeout):
    """Returns status, seconds of Retry-After and JSON; each is None if it is missing."""
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
    try:
        try:
            response = _opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            content = response.read()
    except (OSError, http.client.HTTPException):
        return None, None, None
    try:
        answer = json.loads(content)
    except ValueError:
        answer = None
    return response.status, _seconds(response.headers.get("Retry-After")), answer


def _is_problem(answer):
    return (
        isinstance(answer, dict)
        and isinstance(answer.get("code"), str)
        and isinstance(answer.get("retryable"), bool)
    )


def _seconds(retry_after):
    """A number of seconds or a date, as seconds; None for anything else."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return int(retry_after)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
