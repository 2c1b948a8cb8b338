"""A server that is measured, with the processor time and the memory of all its processes."""

import glob
import os
import signal
import socket
import subprocess
import time

TICK = os.sysconf("SC_CLK_TCK")


def processes(root):
    """A process and all that descend from it, with the fields of their `stat`: those of isolation have sessions of their own."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                found[int(path.split("/")[2])] = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
    children = {}
    for number, fields in found.items():
        children.setdefault(int(fields[1]), []).append(number)
    rest = [root]
    while rest:
        number = rest.pop()
        rest += children.get(number, [])
        if number in found:
            yield number, found[number]


class Subject:
    """A server with all its processes."""

    def __init__(self, name, command, port, path, environment=None, folder=None, health=None):
        self.name, self.port, self.path, self.health = name, port, path, health
        self.log = open(os.path.join(folder, f"{port}.log"), "w+")
        self.process = subprocess.Popen(
            command, env=os.environ | (environment or {}), start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self.log)

    def wait(self):
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        self.log.seek(0)
        raise SystemExit(f"{self.name} did not start: {self.log.read()[-400:]}")

    def cpu(self):
        """Milliseconds of processor time until now."""
        ticks = 0
        for _, fields in processes(self.process.pid):
            ticks += sum(int(field) for field in fields[11:15])
        return 1000 * ticks / TICK

    def memory(self):
        """Bytes that its processes take, shared ones once."""
        total = 0
        for number, _ in processes(self.process.pid):
            try:
                with open(f"/proc/{number}/smaps_rollup") as file:
                    total += next(int(line.split()[1]) for line in file if line.startswith("Pss:")) << 10
            except (OSError, StopIteration):
                pass
        return total

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(30)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.log.close()


def free_ports():
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            number = probe.getsockname()[1]
        yield number
