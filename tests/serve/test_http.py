#!/usr/bin/env python3
"""The HTTP layer, asked through raw connections.

    test_http.py --probe build/release/bin/http_probe [--filter TEXT]"""
import argparse
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from probe_process import Probe, check, equal  # noqa: E402

TESTS = []
PROBE = None  # the program


def test(function):
    TESTS.append(function)
    return function


def served(*options, **settings):
    return Probe(PROBE, *options, **settings)


# ---- requests and answers ----


@test
def bodies_come_back_whole():
    with served() as p, p.raw() as c:
        for n in (0, 1, 100, 5000, 70000, 1 << 20):
            body = bytes(i * 7 % 256 for i in range(n))
            a = c.ask("POST", "/echo", body)
            equal(a.status, 200)
            check(a.body == body, n)
        equal(c.ask("GET", "/").body, b"")


@test
def chunked_bodies_come_back_whole():
    with served() as p, p.raw() as c:
        c.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        for part in (b"5\r\nhello\r\n", b"1;x=y\r\n \r\n", b"A\r\n0123456789\r\n", b"0\r\nX-Trailer: 1\r\n\r\n"):
            for i in range(len(part)):
                c.send(part[i:i + 1])
        equal(c.answer().body, b"hello 0123456789")
        equal(c.ask("POST", "/echo", b"next").body, b"next")


@test
def requests_can_be_pipelined():
    with served() as p, p.raw() as c:
        one = b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n"
        c.send(b"".join(one + b"%03d" % i for i in range(200)))
        for i in range(200):
            equal(c.answer().body, b"%03d" % i)


@test
def the_target_is_decoded():
    with served() as p, p.raw() as c:
        got = c.ask("GET", "/show/a%20b%C3%A9/and/c+d?b=%26%3d&a=1+2&&c&add=yes", headers=[("X-Test", "here")])
        want = {"method": "GET", "path": "/show/a bé/and/c+d", "first": "a bé", "second": "c+d", "a": "1 2", "b": "&=",
                "header": "here"}
        equal(got.json(), want)
        equal(got["X-Added"], "yes")
        got = c.ask("GET", "/show/x").json()
        equal([got["a"], got["b"], got["header"], got["second"]], [None] * 4)
        equal(c.ask("GET", "/show/x?a").json()["a"], "")
        equal(c.ask("GET", "http://localhost/show/x?a=1").json()["path"], "/show/x")


@test
def targets_that_could_mean_something_else_are_refused():
    with served() as p:
        for target in ("/show/a%2Fb", "/show/%2e%2E/x", "/show/..", "/show/./x", "/show/a%00", "/show/%", "/show/%4", "/show/%zz",
                       "/show/a%0d%0ab", "/show/x?a=%00", "/show/x?a=%f", "/show/x?a=1&a=2", "show", "/show/%09",
                       "/show/x?" + "&".join(f"p{i}=1" for i in range(40)), "/" + "x/" * 50, "http://localhost"):
            equal((target, p.ask("GET", target).status), (target, 400))
        for target in ("/show", "/show/", "//show/x", "/show/x/", "/Show/x", "/show/x/and/", "/nosuch", "*"):
            equal((target, p.ask("GET", target).status), (target, 404))


@test
def header_values_of_answers_are_kept_on_one_line():
    with served() as p:
        a = p.ask("GET", "/show/x?add=a%0d%0aX-Evil:%201")
        equal(a.status, 200)
        equal(a["X-Evil"], None)
        equal(a["X-Added"], "a  X-Evil: 1")


@test
def bodies_that_are_encoded_are_refused():
    with served() as p, p.raw() as c:
        for encoding, status in ("gzip", 415), ("identity", 200), ("Identity", 200), ("zstd, gzip", 415):
            equal((encoding, c.ask("POST", "/echo", b"x", headers=[("Content-Encoding", encoding)]).status), (encoding, status))


@test
def other_methods_are_told_what_is_allowed():
    with served() as p, p.raw() as c:
        a = c.ask("GET", "/echo")
        equal((a.status, a["Allow"], a.text), (405, "POST, OPTIONS", "this path takes POST, OPTIONS\n"))
        a = c.ask("DELETE", "/show/x")
        equal((a.status, a["Allow"]), (405, "GET, HEAD, POST, OPTIONS"))
        equal(c.ask("BREW", "/nosuch").status, 404)
        a = c.ask("OPTIONS", "/show/x")
        equal((a.status, a["Allow"]), (204, "GET, HEAD, POST, OPTIONS"))
        equal(c.ask("OPTIONS", "*").status, 204)


@test
def head_answers_as_get_without_the_body():
    with served() as p, p.raw() as c:
        a = c.ask("HEAD", "/big?n=12345")
        equal((a.status, a["Content-Length"], a.body), (200, "12345", b""))
        equal(len(c.ask("GET", "/big?n=12345").body), 12345)


@test
def refusals_are_text_or_json_and_replace_what_was_written():
    with served() as p, p.raw() as c:
        a = c.ask("GET", "/refuse")
        equal((a.status, a["Content-Type"], a["Retry-After"]), (429, "text/plain; charset=utf-8", "1"))
        equal(a.text, 'too busy for "/refuse"\n')
        a = c.ask("GET", "/v2/refuse/x")
        equal((a["Content-Type"], a.json()), ("application/json", {"error": 'too busy for "/v2/refuse/x"'}))
        equal(c.ask("GET", "/v2/nosuch").json(), {"error": "no such path"})
        equal(c.ask("GET", "/v22").text, "no such path\n")
        for target in "/v2/models/%zz", "/v2?a=%00":
            a = p.ask("GET", target)
            equal((target, a.status, a["Content-Type"], list(a.json())), (target, 400, "application/json", ["error"]))
        # what a request says goes to no terminal as it is
        equal(c.ask("GET", "/refuse?for=%1b%5b31m%ff%0a").text, 'too busy for "\\x1b[31m\\xff\\x0a"\n')
        equal(c.ask("GET", "/nothing").status, 500)


@test
def answers_come_later_from_other_threads():
    with served() as p, p.raw() as c:
        for query in ("", "?first=1", "?ms=20", "?ms=1"):
            equal(c.ask("POST", "/later" + query, b"body" + query.encode()).body, b"body" + query.encode())
        equal(c.ask("POST", "/later?refuse=1&ms=5", b"x").status, 429)
        equal(c.ask("GET", "/later?ms=5").status, 200)


@test
def many_answers_come_later_at_once():
    with served(threads=2) as p:
        wrong = []

        def ask(who):
            with p.raw() as c:
                for i in range(40):
                    body = b"%d %d" % (who, i)
                    if c.ask("POST", f"/later?ms={i % 3}" + ("&first=1" if i % 5 == 0 else ""), body).body != body:
                        wrong.append(body)

        threads = [threading.Thread(target=ask, args=(n,)) for n in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        equal(wrong, [])


@test
def old_clients_are_answered():
    with served() as p, p.raw() as c:
        c.send(b"GET /big?n=10 HTTP/1.0\r\n\r\n")
        equal(c.answer().body, b"x" * 10)
        check(c.is_closed())


@test
def half_closed_connections_are_answered():
    with served() as p:
        for target in ("/echo", "/later?ms=100"):
            with p.raw() as c:
                c.send(f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody".encode())
                c.s.shutdown(socket.SHUT_WR)
                a = c.answer()
                equal((target, a and a.body), (target, b"body"))
                check(c.is_closed())


# ---- limits ----


@test
def bodies_that_are_too_large_are_refused():
    with served(max_body=1000) as p, p.raw() as c:
        equal(c.ask("POST", "/echo", b"x" * 1000).status, 200)
        equal(c.ask("POST", "/echo", b"x" * 1001).status, 413)
        equal(c.ask("POST", "/echo", b"x" * 500000).status, 413)
        c.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        c.send(b"200\r\n" + b"x" * 512 + b"\r\n")
        c.send(b"200\r\n" + b"x" * 512 + b"\r\n0\r\n\r\n")
        equal(c.answer().status, 413)
        equal(c.ask("POST", "/echo", b"next").body, b"next")
        # so large that it is not even thrown away
        c.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n")
        equal(c.answer().status, 413)
        check(c.is_closed())
    check(p.said.split()[5] == "2", p.said)


@test
def who_asks_before_sending_a_body_is_told_first():
    with served(max_body=1000) as p:
        with p.raw() as c:
            c.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
            equal(c.answer().status, 100)
            c.send(b"body")
            equal(c.answer().body, b"body")
        with p.raw() as c:
            c.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n")
            equal(c.answer().status, 413)


@test
def malformed_heads_are_refused():
    many = b"".join(b"X-%d: %s\r\n" % (i, b"y" * 100) for i in range(1000))
    for name, head in (("two lengths", b"Content-Length: 1\r\nContent-Length: 2\r\n"),
                       ("length and chunks", b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
                       ("unknown encoding", b"Transfer-Encoding: gzip\r\n"), ("negative length", b"Content-Length: -1\r\n"),
                       ("words", b"Content-Length: many\r\n"), ("signed", b"Content-Length: +1\r\n"),
                       ("two hosts", b"Host: other\r\n"), ("space before the colon", b"Content-Length : 1\r\n"),
                       ("much", many)):
        with served() as p, p.raw() as c:
            c.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\nx")
            a = c.answer()
            check(a is None or 400 <= a.status < 500, name, a)
            check(a or name == "much", name)
            check(c.is_closed())
            check(p.ask("GET", "/").status == 200, name)
    with served() as p:
        for line in (b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 100, b"G" * 100000 + b"\r\n\r\n",
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/1.1\r\n\r\n"):
            with p.raw() as c:
                try:
                    c.send(line)
                    c.s.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
                a = c.answer()
                check(a is None or 400 <= a.status < 600, line, a)
        equal(p.ask("GET", "/").status, 200)


@test
def there_are_so_many_connections_at_most():
    with served(connections=5) as p:
        held = [p.raw() for _ in range(5)]
        for c in held:
            equal(c.ask("GET", "/").status, 200)
        with p.raw() as c:
            a = c.answer()
            equal((a.status, a["Retry-After"], a.text), (503, "1", "too many connections\n"))
            check(c.is_closed())
        held.pop().s.close()
        while p.ask("GET", "/").status != 200:
            time.sleep(0.01)
        equal(held[0].ask("GET", "/").status, 200)
        for c in held:
            c.s.close()


@test
def there_are_so_many_connections_of_an_address_at_most():
    with served(per_address=3) as p:
        held = [p.raw() for _ in range(3)]
        for c in held:
            equal(c.ask("GET", "/").status, 200)
        with p.raw() as c:
            equal(c.answer().status, 503)
        s = socket.socket()
        s.bind(("127.0.0.2", 0))
        s.connect(("127.0.0.1", p.port))
        s.sendall(b"GET / HTTP/1.0\r\n\r\n")
        check(s.recv(100).startswith(b"HTTP/1.1 200"))
        s.close()
        for c in held:
            c.s.close()


def closes_within(connection, drip, seconds):
    """Sends a byte again and again until the server closes. Says whether it did."""
    end = time.monotonic() + seconds
    connection.s.settimeout(0.1)
    while time.monotonic() < end:
        try:
            if drip:
                connection.s.sendall(drip)
            if not connection.s.recv(65536):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


@test
def connections_that_do_nothing_are_closed():
    with served(idle=1, request=1) as p:
        with p.raw() as c:
            check(closes_within(c, b"", 50))
        with p.raw() as c:
            equal(c.ask("GET", "/").status, 200)
            check(closes_within(c, b"", 50))


@test
def requests_that_drip_are_closed():
    with served(idle=1, request=1) as p:
        with p.raw() as c:
            check(closes_within(c, b"G", 50), "the first line")
        with p.raw() as c:
            c.send(b"GET / HTTP/1.1\r\nX: ")
            check(closes_within(c, b"x", 50), "a header")
        with p.raw() as c:
            c.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
            check(closes_within(c, b"x", 50), "a body")
        with p.raw() as c:
            c.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            check(closes_within(c, b"1\r\nx\r\n", 50), "chunks")
        with p.raw() as c:  # one that was answered before
            equal(c.ask("GET", "/").status, 200)
            check(closes_within(c, b"G", 50), "a second request")


@test
def answers_that_are_not_read_are_given_up():
    with served(idle=60, request=1) as p:
        with p.raw() as c:
            c.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            c.send(b"GET /big?n=50000000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            end = time.monotonic() + 50
            while (connections := p.counts()[2]) > 1 and time.monotonic() < end:
                time.sleep(0.1)
            equal(connections, 1)  # the one that asks


@test
def large_answers_that_nobody_takes_do_not_fill_the_memory():
    """Two fit; who asks for a third one is told to come again. What was done before is told in any case."""
    with served(large=126_000_000, connections=40) as p:  # each has 62,914,560 bytes
        ask = b"GET /big?n=40000000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        held = [p.raw() for _ in range(20)]
        for c in held:
            c.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            c.send(ask)
        answers = [c.until(b"\r\n\r\n") for c in held]
        refused = [a for a in answers if a.startswith(b"HTTP/1.1 503")]
        equal(len(refused), 18)
        for a in refused:
            check(b"Retry-After: 1" in a and a.count(b"Content-Type: ") == 1, a)
        check(p.memory() < 200_000, p.memory())
        for c in held:
            c.s.close()
        while (a := p.ask("GET", "/big?n=40000000")).status == 503:
            time.sleep(0.01)
        equal(len(a.body), 40_000_000)
        with p.raw() as c:
            c.send(ask)
            check(c.until(b"\r\n\r\n").startswith(b"HTTP/1.1 200"))
            with p.raw() as other:
                other.send(ask)
                check(other.until(b"\r\n\r\n").startswith(b"HTTP/1.1 200"))
                equal(p.ask("GET", "/big?n=1000000").status, 503)
                equal(p.ask("POST", "/later", b"x" * 1_000_000).status, 200)


@test
def a_slow_handler_is_not_cut_off():
    with served(idle=1, request=1) as p:
        equal(p.ask("POST", "/later?ms=2500", b"body").body, b"body")


# ---- the end ----


@test
def what_is_under_way_is_answered_at_the_end():
    with served(grace=20) as p:
        with p.raw() as idle, p.raw() as slow, p.raw() as late, p.raw() as events:
            idle.ask("GET", "/")
            late.send(b"GET /later?ms=900 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            events.send(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            check(events.until(b"first") is not None)
            slow.send(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(0.2)
            p.process.terminate()
            check(idle.is_closed())
            a = slow.answer()
            equal((a.status, a["Connection"]), (200, "close"))
            equal(late.answer().status, 200)
            check(events.until(b"\r\n0\r\n\r\n") is not None, "the stream does not end")
            try:
                p.raw()
                check(False, "it still listens")
            except ConnectionRefusedError:
                pass
            p.end()
        check(float(p.said.split()[-1]) < 15, p.said)


@test
def what_takes_too_long_at_the_end_is_cut_off():
    with served(grace=0.2) as p:
        with p.raw() as late, p.raw() as part:
            late.send(b"GET /later?ms=3000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            part.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
            time.sleep(0.3)
            p.stop()
            check(late.is_closed() and part.is_closed())
        check(float(p.said.split()[-1]) < 2.5, p.said)


# ---- events ----


@test
def events_come_to_all_that_listen():
    with served() as p, p.raw() as one, p.raw() as two:
        for c in (one, two):
            c.send(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            got = c.until(b"data: first\n\n")
            check(b"text/event-stream" in got and b"no-store" in got, got)
        for text in (b"a", b"b", b"c"):
            equal(p.ask("POST", "/tick", text).body, b"2")
            for c in (one, two):
                check(c.until(b"data: " + text + b"\n\n") is not None)
        one.s.close()
        while p.ask("POST", "/tick", b"x").body != b"1":
            time.sleep(0.01)


@test
def who_does_not_read_events_misses_some():
    with served(max_body=1 << 22) as p, p.raw() as c:
        c.send(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        check(c.until(b"first\n\n") is not None)
        memory = p.memory()
        for i in range(60):
            p.ask("POST", "/tick", b"%d" % i + b"x" * (1 << 20))
        check(p.memory() - memory < 20000, memory, p.memory())
        p.ask("POST", "/tick", b"last")


@test
def there_are_so_many_streams_at_most():
    with served() as p:
        held = [p.raw() for _ in range(64)]
        for c in held:
            c.send(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            check(c.until(b"first\n\n") is not None)
        equal(p.ask("GET", "/events").status, 503)
        for c in held:
            c.s.close()
        while p.ask("POST", "/tick", b"x").body != b"0":
            time.sleep(0.01)


# ---- who may ask ----


def token_file(folder, text, mode=0o600, name="token"):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def bearer(token):
    return [("Authorization", "Bearer " + token)]


def learn(p, *headers, host="localhost"):
    return p.ask("POST", "/learn", b"x", headers=headers, host=host).status


@test
def tokens_are_asked_for():
    with tempfile.TemporaryDirectory() as folder:
        secret, reader = token_file(folder, " \n s3cret\t\n"), token_file(folder, "reader\n", name="reader")
        with served(token_file=secret) as p:
            a = p.ask("POST", "/learn", b"x")
            equal((a.status, a["WWW-Authenticate"]), (401, 'Bearer realm="sluice"'))
            for wrong in ("", "s3cre", "s3cret1", "S3cret", "x" * 3000):
                equal(p.ask("POST", "/learn", b"x", headers=bearer(wrong)).status, 401)
            for header in ("s3cret", "Bearers3cret", "Basic s3cret", "Bearer", "Basic " + "A" * 9000):
                equal(p.ask("POST", "/learn", b"x", headers=[("Authorization", header)]).status, 401)
            equal(p.ask("POST", "/learn", b"x", headers=bearer("s3cret")).status, 200)
            equal(p.ask("POST", "/learn", b"x", headers=[("authorization", "bearer  s3cret ")]).status, 200)
            equal(p.ask("POST", "/learn", b"x", headers=[("Authorization", "Basic YW55Ym9keTpzM2NyZXQ=")]).status, 200)
            equal(p.ask("POST", "/echo", b"x").status, 200)
        with served(token_file=secret, predict_token_file=reader) as p:
            equal(p.ask("POST", "/echo", b"x").status, 401)
            equal(p.ask("POST", "/echo", b"x", headers=bearer("reader")).status, 200)
            equal(p.ask("POST", "/echo", b"x", headers=bearer("s3cret")).status, 200)
            equal(p.ask("POST", "/learn", b"x", headers=bearer("reader")).status, 401)
            equal(p.ask("POST", "/open", b"x").status, 200)
            a = p.ask("GET", "/page")
            equal(a.status, 401)
            equal([v for k, v in a.headers if k == "WWW-Authenticate"], ['Bearer realm="sluice"', 'Basic realm="sluice"'])
            # before a body is sent, and before its size is looked at
            with p.raw() as c:
                c.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
                equal(c.answer().status, 401)


@test
def token_files_are_checked():
    with tempfile.TemporaryDirectory() as folder:
        for text, mode, complaint in (("x", 0o604, "can be read or written by others"), ("", 0o600, "is empty"),
                                      (" \n", 0o600, "is empty"), ("two words", 0o600, "more than one word"),
                                      ("x" * 5000, 0o600, "4096"), ("a\0b", 0o600, "NUL")):
            p = served(token_file=token_file(folder, text, mode))
            p.end()
            check(p.status == 1 and complaint in p.complaints, p.complaints)
        p = served(token_file=os.path.join(folder, "none"))
        p.end()
        check("cannot open the token file" in p.complaints, p.complaints)


@test
def without_a_token_learning_is_taken_from_this_machine_alone():
    with served() as p:
        equal(learn(p), 200)
        equal(learn(p, ("X-Forwarded-For", "10.0.0.1")), 403)
        for header in ("Forwarded", "Via", "X-Real-IP", "X-Forwarded-Proto", "x-forwarded-host"):
            equal((header, learn(p, (header, "something"))), (header, 403))
        equal(learn(p, ("X-Forwarded", "something")), 200)
    own = own_address()
    if not own:
        return
    with served(listen="0.0.0.0:0") as p:
        with p.raw(host=own) as c:
            equal(c.ask("POST", "/learn", b"x", host=own).status, 403)
            equal(c.ask("POST", "/echo", b"x", host=own).status, 200)
            equal(c.ask("POST", "/echo", b"x", host="name.example").status, 200)
        equal(learn(p), 200)
        equal(learn(p, host="rebound.example"), 403)


def own_address():
    """An address of this machine that is not loopback, or None."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        s.connect(("192.0.2.1", 9))
        return s.getsockname()[0]
    except OSError:
        return None
    finally:
        s.close()


@test
def pages_of_other_sites_may_not_ask():
    with served(origin="https://ours.example:8443") as p:
        own = f"localhost:{p.port}"
        for origin, status in (("http://evil.example", 403), ("null", 403), ("https://ours.example", 403), ("", 403),
                               ("https://ours.example:8443.evil.example", 403), ("http://" + own, 200),
                               ("https://ours.example:8443", 200), ("HTTPS://OURS.example:8443", 200)):
            for target in ("/echo", "/learn", "/open"):
                a = p.ask("POST", target, b"x", headers=[("Origin", origin)], host=own)
                equal((origin, target, a.status), (origin, target, status))
                allowed = "ours" in origin.lower() and status == 200
                equal(a["Access-Control-Allow-Origin"], origin if allowed else None)
                equal(a["Vary"], "Origin")
        ask = [("Origin", "https://ours.example:8443"), ("Access-Control-Request-Method", "POST"),
               ("Access-Control-Request-Headers", "authorization")]
        a = p.ask("OPTIONS", "/learn", headers=ask)
        equal((a.status, a["Access-Control-Allow-Origin"]), (204, "https://ours.example:8443"))
        check("POST" in a["Access-Control-Allow-Methods"] and "Authorization" in a["Access-Control-Allow-Headers"], a)
        a = p.ask("OPTIONS", "/learn", headers=[("Origin", "http://evil.example")] + ask[1:])
        equal((a.status, a["Access-Control-Allow-Origin"]), (403, None))
    p = served(origin="ours.example")
    p.end()
    check(p.status == 2 and "is not an origin" in p.complaints, p.complaints)


@test
def names_that_were_pointed_at_this_machine_are_refused():
    with served(origin="http://model.example") as p:
        for host, status in (("localhost", 200), (f"localhost:{p.port}", 200), ("127.0.0.1:80", 200), ("[::1]:80", 200),
                             ("model.example", 200), ("LOCALHOST", 200), ("evil.example", 403), ("127.0.0.1.evil.example", 403),
                             ("localhost.evil.example", 403), ("[::1].evil.example", 403), ("", 403), ("[", 403)):
            equal((host, p.ask("GET", "/", headers=[("Host", host)], host=None).status), (host, status))


@test
def tls_is_of_a_version_that_is_not_withdrawn():
    if not shutil.which("openssl"):
        print("skipped: tls (no openssl to make a certificate with)")
        return
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = os.path.join(folder, "certificate"), os.path.join(folder, "key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost", "-out", certificate, "-keyout", key],
                       check=True, stderr=subprocess.DEVNULL)
        os.chmod(key, 0o600)
        with served(certificate=certificate, key=key) as p:
            check(p.url.startswith("https://"), p.url)

            def connect(version):
                how = ssl.create_default_context(cafile=certificate)
                how.set_ciphers("DEFAULT:@SECLEVEL=0")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    how.minimum_version = how.maximum_version = version
                return p.raw(wrap=lambda s: how.wrap_socket(s, server_hostname="localhost"))

            for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
                with connect(version) as c:
                    for n in (0, 100, 300000):
                        equal(c.ask("POST", "/echo", b"x" * n).body, b"x" * n)
            for version in ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1:
                try:
                    with connect(version) as c:
                        check(False, "taken:", version, c.ask("GET", "/"))
                except OSError:
                    pass
            with p.raw() as c:  # without TLS: closed, and the others are served on
                c.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                check(c.is_closed())
            with connect(ssl.TLSVersion.TLSv1_3) as c:
                equal(c.ask("GET", "/").status, 200)


@test
def the_access_log_has_a_line_for_each_answer_and_no_secrets():
    with tempfile.TemporaryDirectory() as folder:
        secret, log = token_file(folder, "s3cret\n"), os.path.join(folder, "log")
        with served(token_file=secret, access_log=log, max_body=1000) as p, p.raw() as c:
            equal(c.ask("POST", "/learn?token=s3cret", b"hello s3cret", headers=bearer("s3cret")).status, 200)
            equal(c.ask("POST", "/echo", b"x" * 5000).status, 413)
            equal(c.ask("POST", "/learn", b"x", headers=bearer("s3cret-not")).status, 401)
            equal(c.ask("GET", "/show/%C3%A9%22").status, 200)
            moved = log + ".1"

            def lines(path):
                with open(path, encoding="utf-8") as f:
                    return [json.loads(line) for line in f]

            while len(lines(log)) < 4:
                time.sleep(0.05)
            with open(log, encoding="utf-8") as f:
                check("s3cret" not in f.read(), "a secret")
            got = [(x["method"], x["path"], x.get("route"), x["status"], x["bytes_in"], x["address"]) for x in lines(log)]
            equal(got, [("POST", "/learn", "learn", 200, 12, "127.0.0.1"), ("POST", "/echo", "echo", 413, 5000, "127.0.0.1"),
                        ("POST", "/learn", "learn", 401, 1, "127.0.0.1"), ("GET", "/show/\u00e9\"", "show", 200, 0, "127.0.0.1")])
            first = lines(log)[0]
            equal((first["model"], first["rows"], first["bytes"]), ("probe", 7, 12))
            check(first["seconds"] >= 0 and first["time"].endswith("Z"), first)
            os.rename(log, moved)  # as logrotate does
            while not os.path.exists(log):
                time.sleep(0.05)
            equal(c.ask("GET", "/").status, 200)
            while not lines(log):
                time.sleep(0.05)
            equal((len(lines(moved)), lines(log)[0]["path"]), (4, "/"))


# ---- where it listens ----


@test
def addresses_to_listen_on():
    for listen, begin in (("127.0.0.1:0", "http://127.0.0.1:"), ("localhost:0", "http://"), ("0", "http://127.0.0.1:"),
                          (":0", "http://"), ("*:0", "http://"), ("[::1]:0", "http://[::1]:")):
        p = served(listen=listen)
        if listen.startswith("[") and not p.url:  # a machine without IPv6
            p.end()
            continue
        with p:
            check(p.url.startswith(begin), p.url)
            if not listen.startswith("["):
                equal(p.ask("GET", "/").status, 200)
    with served() as p:
        for listen, complaint, status in ((f"127.0.0.1:{p.port}", "another program has this port", 1),
                                          ("host", "--listen takes", 2), ("1.2.3.4:99999", "--listen takes", 2),
                                          ("::1", "--listen takes", 2), ("[::1]", "--listen takes", 2), ("a:1x", "--listen takes", 2),
                                          ("nosuch.invalid:1", "cannot listen on", 1), ("192.0.2.1:1", "cannot listen on", 1)):
            other = served(listen=listen)
            other.end()
            check(other.status == status and complaint in other.complaints, listen, other.status, other.complaints)


def main():
    global PROBE
    parser = argparse.ArgumentParser()
    parser.add_argument("--probe", required=True)
    parser.add_argument("--filter", default="")
    a = parser.parse_args()
    PROBE = a.probe
    failed = 0
    for t in TESTS:
        if a.filter not in t.__name__:
            continue
        try:
            t()
        except Exception as e:  # noqa: BLE001: every test is to run
            failed += 1
            print(f"FAILED {t.__name__}: {type(e).__name__}: {e} (line {e.__traceback__.tb_next.tb_lineno})", flush=True)
        else:
            print("ok", t.__name__, flush=True)
    print(f"{failed} failed" if failed else "all passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
