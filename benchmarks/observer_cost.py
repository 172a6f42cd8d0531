#!/usr/bin/env python3
"""What it costs a target to be measured: its user CPU per request with all measurement on, to that with all of it off.

    benchmarks/observer_cost.py [pairs of spans: 12] [seconds of a span: 10] [requests/s to each: 6000]

Two target-apps serve the same requests at the same time on one processor, so that whatever else happens on the machine
happens to both. One of them is measured as in a run (garbage collection logged with Lockstep's options, one sample a second
of /proc, counters and log), the other is not; after each span they change places, in the order A B B A. The effect is half the
difference of the log ratios of a pair of spans, which cancels how the two JVMs differ. Published counters (hsperfdata) are
there in both, as the JVM has them without being asked. Logging is switched by jcmd, and what that costs lies outside the spans.
"""
import math
import signal
import statistics
import subprocess
import sys
import time

import rig

SELECTION = "gc,gc+start,gc+heap,gc+phases,gc+ergo,safepoint,gc+init"
STUDENT_95 = {4: 2.776, 5: 2.571, 7: 2.365, 8: 2.306, 9: 2.262, 11: 2.201, 15: 2.131, 19: 2.093, 23: 2.069, 29: 2.045, 39: 2.023}
LIB = rig.ROOT / "cli/target/lockstep/lib"
APP = rig.ROOT / "target-app/target/lockstep/lib/lockstep-target-app-0.1.0.jar"
WARMUP = 60


class Target:
    """A target-app on processor 1, and what watches it on processor 0."""

    def __init__(self, name, port):
        self.port, self.log = port, rig.WORK / f"{name}.gc.log"
        self.process = rig.start(["java", "-Xmx256m", "-jar", str(APP), "--port", str(port)], port)
        self.observer = subprocess.Popen(["taskset", "-c", "0", "java", "-XX:TieredStopAtLevel=1", "-cp", f"{LIB}/*",
                                          rig.HERE / "ObserveTarget.java", str(self.process.pid), str(self.log)])

    def observe(self, on):
        what = (["output=file=" + str(self.log), "what=" + SELECTION, "decorators=timenanos,level,tags",
                 "output_options=filecount=3,filesize=1M"] if on else ["disable"])
        subprocess.run(["taskset", "-c", "0", "jcmd", str(self.process.pid), "VM.log", *what], check=True,
                       stdout=subprocess.DEVNULL)
        self.observer.send_signal(signal.SIGCONT if on else signal.SIGSTOP)

    def user_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            return int(stat.read().rsplit(")", 1)[1].split()[11]) / rig.TICKS

    def close(self):
        self.observer.kill()
        self.observer.wait()
        rig.stop(self.process)


def main():
    pairs, seconds, rate = (int(sys.argv[i + 1]) if len(sys.argv) > i + 1 else d for i, d in enumerate((12, 10, 6000)))
    if pairs - 1 not in STUDENT_95:
        sys.exit(f"pairs must be one of {[n + 1 for n in STUDENT_95]}")
    urls = rig.WORK / "urls.txt"
    urls.write_text("".join(f"http://127.0.0.1/users/{i}\n" for i in range(1000)))
    capture = rig.WORK / "users.bin"
    subprocess.run([rig.ROOT / "replay", "import", "--format", "urls", "-o", capture, urls], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    a, b = Target("a", 18611), Target("b", 18612)
    length = WARMUP + 2 * pairs * (seconds + 4) + 30
    load = subprocess.Popen(
        [rig.ROOT / "replay", "--cores", "0/1", "--targets", f"a=127.0.0.1:{a.port},b=127.0.0.1:{b.port}", "--schedule", "together",
         "--warmup", "1s", "-q", str(rate), "-c", "16", "-z", f"{length}s", "-o", rig.WORK / "run", "--force", capture],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(WARMUP)
        effects, previous = [], None
        for span in range(2 * pairs):
            on, off = (a, b) if span % 4 in (0, 3) else (b, a)
            off.observe(False)
            on.observe(True)
            time.sleep(1.5)
            before = [target.user_seconds() for target in (a, b)]
            time.sleep(seconds)
            used = [target.user_seconds() - start for target, start in zip((a, b), before)]
            if load.poll() is not None:
                sys.exit("the load ended early")
            ratio = math.log(used[0] / used[1])
            print(f"span {span + 1}: a {'on ' if on is a else 'off'} {used[0] / seconds / rate * 1e6:.2f} us, "
                  f"b {'on ' if on is b else 'off'} {used[1] / seconds / rate * 1e6:.2f} us a request", flush=True)
            if span % 2:
                effects.append((previous - ratio) / 2 * (-1 if on is a else 1))
            previous = ratio
        mean, error = statistics.mean(effects), statistics.stdev(effects) / math.sqrt(pairs)
        reach = STUDENT_95[pairs - 1] * error
        print(f"user CPU per request, measured to not measured: {math.exp(mean):.4f} "
              f"(95 % interval {math.exp(mean - reach):.4f} to {math.exp(mean + reach):.4f}, {pairs} pairs of spans)")
    finally:
        load.terminate()
        load.wait()
        a.close()
        b.close()


main()
