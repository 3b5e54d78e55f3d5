"""A page in headless Chromium that runs client.mjs.

This program serves the page itself, so that the page's origin is known.
"""
import contextlib
import http.server
import json
import os
import queue
import shutil
import subprocess
import threading

from running import PATIENCE, Failed

HERE = os.path.dirname(os.path.abspath(__file__))
HTML = (b'<!doctype html><meta charset="utf-8"><title>a client</title>'
        b'<script type="module" src="/client.mjs"></script>')


class Page:
    """Serves the page in a `with` block. `origin` is the page's origin."""

    def __enter__(self):
        page = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                with open(os.path.join(HERE, "client.mjs"), "rb") as file:
                    script = file.read()
                answers = {"/": ("text/html", HTML), "/client.mjs": ("text/javascript", script),
                           "/task": ("application/json", json.dumps(page.task).encode())}
                kind, body = answers.get(self.path, ("text/plain", b""))
                self.send_response(200 if self.path in answers else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                page.results.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.results = queue.Queue()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def run(self, folder, *task):
        """Runs a task in the page. Returns the error, or an empty string."""
        self.task = task
        profile = os.path.join(folder, "chromium")
        with open(os.path.join(folder, "chromium.log"), "wb") as log:
            browser = subprocess.Popen(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={profile}",
                 self.origin + "/"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            return self.results.get(timeout=3 * PATIENCE)
        except queue.Empty:
            raise Failed(f"the page did not respond; see {folder}/chromium.log") from None
        finally:
            browser.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                browser.wait(PATIENCE)
            browser.kill()
            browser.wait()
            shutil.rmtree(profile, ignore_errors=True)
