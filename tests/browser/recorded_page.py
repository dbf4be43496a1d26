"""The page of a server with events of another time: an hour of history, and everything that can be wrong."""
import http.server
import json
import math
import threading
import time

HOUR, EVERY = 3600, 5


class Recorded:
    """Serves the page of a server, and an event of it in which an hour has passed. Nothing is changed that is not there."""

    def __init__(self, server):
        client = server.client()
        self.page = client.get("/")
        client.http.request("GET", "/events")
        answer = client.http.getresponse()
        text = b""
        while not text.endswith(b"\n\n"):
            text += answer.read1()
        client.close()
        self.event = age(json.loads(text[5:]))
        recorded = self

        class Answers(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                if self.path == "/":
                    for name in "Content-Type", "Content-Security-Policy":
                        self.send_header(name, recorded.page.headers[name])
                    self.end_headers()
                    self.wfile.write(recorded.page.body)
                    return
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.wfile.write(b"data: " + json.dumps(recorded.event).encode() + b"\n\n")
                later = {k: v for k, v in recorded.event.items() if k not in ("history", "details", "model")}
                while not recorded.ends.wait(1):
                    later["now"] += 1
                    self.wfile.write(b"data: " + json.dumps(later).encode() + b"\n\n")

            def log_message(self, *_):
                pass

        self.ends = threading.Event()
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.http.shutdown()
        self.http.server_close()


def put(into, **values):
    """Values of keys that are there."""
    for key, value in values.items():
        assert key in into, f"the server's events have no {key} any more"
        into[key] = value


def age(event):
    now = time.time()
    model = event["models"][event["model"]]
    at = [now - HOUR + EVERY * i for i in range(HOUR // EVERY)]
    changes = (0.2, 0.5, 0.75)  # of the hour: the error rises, and falls again

    def window(share):
        since = min([share - c for c in changes if share >= c], default=1)
        return 0.04 + 0.3 * math.exp(-since * 30) + 0.01 * math.sin(share * 200)

    shares = [i / len(at) for i in range(len(at))]
    event["history"] = {
        "model": [[t, 0.06 + 0.02 * s, window(s), 9000 + 3000 * math.sin(9 * s), 400 + 50 * math.sin(90 * s), int(40000 * math.sqrt(s)),
                   max(0, int(30000 * math.sin(7 * s)))] for t, s in zip(at, shares)],
        "server": [[t, 0.0002 * (1 + s), 0.004 * (2 + math.sin(40 * s)), 450, 150e6 + 40e6 * s] for t, s in zip(at, shares)]}
    put(event["details"], alarms=[[now - HOUR * (1 - c), int(3e7 * c), 0.041, 0.187] for c in changes])
    put(model, examples=32_400_000, version=32_400_000, snapshot_version=32_399_000, saved_version=31_000_000, error=0.08, window_error=0.05,
        learned=9000.0, predicted=400.0, predictions=1_440_000, nonzeros=39_990, features=512_345, queue=24_000, drift_alarms=3,
        stopped="events[3]@1048576: the message is malformed: no label before the first TAB (--on-error skip leaves such messages out)",
        save_error="/var/lib/sluice/a/long/folder/of/models/mail.model: No space left on device", failed_saves=17)
    model["kafka"] = {"up": 1, "messages": 31_234_567, "skipped": 12, "lag": 1_234_567}
    put(event["server"], uptime=90000.0, median=0.0004, p99=0.008, requests=450.0, resident=190e6)
    event["now"] = now
    return event
