"""For tests in a browser: a server of the files of a folder, and claims that are counted when they fail."""

import functools
import http.server
import threading


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def serve(folder):
    """Serves a folder on a free port of this machine. Returns the server, for `shutdown`, and its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/"


def check(claim, what):
    print(("ok    " if claim else "FAILED ") + what)
    if not claim:
        check.failures += 1


check.failures = 0
