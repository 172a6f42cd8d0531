#!/usr/bin/env python3
"""How long the page of a day takes to open and to zoom: 86,400 seconds of each of four targets.

    ./replay --targets c2,graal -z 60s -o /tmp/run samples/users.bin
    benchmarks/day_page.py /tmp/run [times it is opened: 10]

The seconds of the run are repeated, its two targets twice over, and `replay report` makes the page of them. Chromium (headless)
opens it from disk, each time as a new browser. Told are milliseconds from the start of the navigation until the page says that
all is drawn, and how long it takes from a zoom to the next frame, with all plots over time in step. Needs chromium. The copy of
the page that is opened says when it is ready, and has no policy that would forbid it to.
"""
import http.server
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 86_400
ZOOMS = 30
SCRIPT = """<script>(() => {
  const frame = () => new Promise(requestAnimationFrame);
  const told = async () => {
    const ready = performance.now();
    const zooms = [];
    const press = name => document.querySelector('[aria-label="' + name + '"]').click();
    for (let i = 0; i < ZOOMS; i++) {
      await frame();
      const from = performance.now();
      press(i % 15 === 14 ? 'Show all of the time' : i % 3 ? 'Zoom in' : 'Later');
      await frame();
      zooms.push(performance.now() - from);
    }
    fetch('http://127.0.0.1:PORT/', { method: 'POST', mode: 'no-cors', body: JSON.stringify({ ready, zooms,
      plots: document.querySelectorAll('canvas').length }) });
  };
  new MutationObserver((changes, observer) => {
    if (document.documentElement.dataset.ready === 'true') {
      observer.disconnect();
      told();
    }
  }).observe(document.documentElement, { attributes: true });
})();</script></head>"""


def day(run, directory):
    """Copies a run directory, with four targets for two and a day for some seconds."""
    shutil.copytree(run, directory)
    result = json.loads((directory / "run.json").read_text())
    names = [target["name"] for target in result["targets"]]
    again = {name: name + "-again" for name in names}
    for name in names:
        for file in run.glob(name + ".*"):
            shutil.copy(file, directory / (again[name] + file.name[len(name):]))
    for targets in (result["targets"], result["plan"]["targets"]):
        targets.extend([{**target, "name": again[target["name"]]} for target in targets])
    (directory / "run.json").write_text(json.dumps(result))
    rows = [json.loads(line) for line in open(run / "intervals.jsonl")]
    measured = {name: [row for row in rows if row["target"] == name and "phase" not in row] for name in names}
    start = rows[0]["startMs"]
    with open(directory / "intervals.jsonl", "w") as out:
        for second in range(SECONDS):
            for name in names:
                row = measured[name][second % len(measured[name])]
                length = row["endNs"] - row["startNs"]
                row.update(startMs=start + 1000 * second, endMs=start + 1000 * second + length // 1_000_000,
                           startNs=10**9 * second, endNs=10**9 * second + length)
                for target in (name, again[name]):
                    out.write(json.dumps({**row, "target": target}) + "\n")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    run, times = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory(prefix="lockstep-bench-") as work:
        work = pathlib.Path(work)
        page = work / "report.html"
        day(run, work / "day")
        subprocess.run([ROOT / "replay", "report", "--html", page, work / "day"], check=True)
        print(f"{page.stat().st_size / 1e6:.1f} MB", flush=True)

        heard, answer = threading.Event(), {}

        class Listener(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                answer.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()
                heard.set()

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        html = page.read_text()
        policy = html.index('<meta http-equiv="Content-Security-Policy"')
        html = html[:policy] + html[html.index(">", policy) + 1:]
        script = SCRIPT.replace("PORT", str(server.server_port)).replace("ZOOMS", str(ZOOMS))
        page.write_text(html.replace("</head>", script, 1))

        opened, zooms = [], []
        for i in range(times):
            heard.clear()
            browser = subprocess.Popen(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                 "--disable-component-update", "--disable-sync", f"--user-data-dir={work / str(i)}", page.as_uri()],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                if not heard.wait(60):
                    sys.exit("chromium did not draw the page within 60 s")
            finally:
                browser.terminate()
                browser.wait()
            opened.append(answer["ready"])
            zooms += answer["zooms"]
        print(f"{answer['plots']} plots; opened in {statistics.median(opened):.0f} ms (median of {times}; "
              f"{min(opened):.0f} to {max(opened):.0f})")
        print(f"zoom to next frame: {statistics.median(zooms):.0f} ms (median), "
              f"{sorted(zooms)[int(len(zooms) * 0.95)]:.0f} ms (95 %), {max(zooms):.0f} ms (longest of {len(zooms)})")


if __name__ == "__main__":
    main()
