"""A client of the measured servers, with sizes and names that no cache has seen."""

import itertools
import socket


class Client:
    """A connection that is kept while the server keeps it. Plain sockets: the client must not take the machine."""

    def __init__(self, port, patience=60):
        self.port, self.patience, self.socket, self.rest = port, patience, None, b""

    def get(self, path):
        """The status and the body."""
        if self.socket is None:
            self.socket, self.rest = socket.create_connection(("127.0.0.1", self.port), self.patience), b""
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: image/jpeg\r\n\r\n".encode())
        while b"\r\n\r\n" not in self.rest:
            self.receive()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        if b"content-length" in fields:
            length = int(fields[b"content-length"])
            while len(self.rest) < length:
                self.receive()
            body, self.rest = self.rest[:length], self.rest[length:]
        else:
            body = b""
            while True:
                while b"\r\n" not in self.rest:
                    self.receive()
                size, self.rest = self.rest.split(b"\r\n", 1)
                size = int(size, 16)
                while len(self.rest) < size + 2:
                    self.receive()
                body, self.rest = body + self.rest[:size], self.rest[size + 2:]
                if size == 0:
                    break
        if fields.get(b"connection") == b"close" or head.startswith(b"HTTP/1.0"):
            self.close()
        return int(head.split(b" ", 2)[1]), body

    def receive(self):
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise RuntimeError("the connection has ended")
        self.rest += piece

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None


class Widths:
    """Sizes and names that no cache has seen: another width, or another query, for each request."""

    def __init__(self, names):
        self.names = itertools.cycle(names)
        self.number = 0

    def next(self):
        self.number += 1
        return 300 + self.number % 41, f"{next(self.names)}?n={self.number}"


def sized(body, width):
    """Whether a JPEG file is so wide; the heights of libraries differ by rounding."""
    place = 2
    while place + 9 < len(body):
        marker, length = body[place + 1], int.from_bytes(body[place + 2:place + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(body[place + 7:place + 9], "big") == width
        place += 2 + length
    return False


def ask(client, subject, width, name):
    status, body = client.get(subject.path(width, name))
    if status != 200 or not sized(body, width):
        raise SystemExit(f"{subject.name}: {subject.path(width, name)}: {status}, {body[:80]!r}")
    return body
