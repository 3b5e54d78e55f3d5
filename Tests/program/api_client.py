"""A minimal client of `sentrybench run --api SOCKET`, as a library in any language needs it."""
import json
import socket
import subprocess
import time


class Client:
    """Starts a bench with a socket, and sends it requests."""

    started = []

    def __init__(self, bench, path, *options):
        self.path = path
        self.process = subprocess.Popen([bench, "run", "-q", "--api", path, *options],
                                        stdout=subprocess.DEVNULL)
        self.started.append(self.process)
        while True:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(20)
            try:
                self.socket.connect(path)
                break
            except (FileNotFoundError, ConnectionRefusedError) as error:
                self.socket.close()
                if self.process.poll() is not None:
                    raise RuntimeError(f"the bench ended: {self.process.returncode}") from error
                time.sleep(0.001)
        self.lines = self.socket.makefile("rb")
        self.count, self.notes = 0, []

    def ask(self, do, **more):
        """Returns the answer to a request. Notes that arrive before it are kept."""
        self.count += 1
        request = {"id": self.count, "do": do, **more}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = json.loads(self.lines.readline())
            if answer.get("id") == self.count:
                if not answer["ok"]:
                    raise ValueError(answer["error"])
                return answer
            self.notes.append(answer)

    def expect(self, place="", **rule):
        return self.ask("expect", place=place, rule=rule)

    def end(self):
        """Returns the report, after the bench has ended."""
        report = self.ask("end")
        assert self.process.wait(20) == report["status"], "the status is not the one reported"
        return report
