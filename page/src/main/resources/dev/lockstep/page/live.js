// Shows a run while it goes on, by the events of the server that the page came from.
"use strict";
(() => {
  const { MISSING, MIB, el, section, digits, seconds } = plots;
  const run = JSON.parse(document.getElementById("data").textContent);
  const names = run.names;
  const view = {
    names, baseline: run.baseline, caps: new Set(run.caps.filter(Boolean)), series: names.map(() => ({ t: [] })),
    warmUps: [], stretches: [], range: [0, 1], missing: "Nothing yet.",
  };
  /** Whether the plots stand, and whether they lack something since nobody looks. */
  let begun = false;
  let behind = false;
  let over = false;
  let told = null;

  // The token has done its work.
  history.replaceState(null, "", "/");
  plots.show(view);

  // ---- head -------------------------------------------------------------------------------------------------------

  // Servers that run already get blocks of load.
  const unit = run.blocks ? "block" : "launch";
  const units = run.blocks ? "blocks" : "launches";

  document.title = "Lockstep live: " + names.join(", ");
  document.getElementById("title").textContent = names.length > 1
    ? names.filter(name => name !== run.baseline).join(", ") + " against " + run.baseline : names[0];
  document.getElementById("subtitle").textContent = [
    run.capture + " (" + run.requests.toLocaleString("en-US") + (run.requests === 1 ? " request)" : " requests)"),
    run.mostLaunches > run.launches ? run.launches + " to " + run.mostLaunches + " " + units
      : run.launches === 1 ? "1 " + unit : run.launches + " " + units,
    "pace " + run.pace,
    run.schedule === "together" ? "targets together" : "targets in turns",
  ].join(" · ");
  const badge = document.getElementById("status");

  function status(tone, word, ...text) {
    const said = word + text.join(" ");
    // Said again, a screen reader would read it again.
    if (badge.dataset.said !== said) {
      badge.dataset.said = said;
      badge.replaceChildren(el("span", { class: "badge " + tone }, word), " ", ...text);
    }
  }

  status("doubt", "CONNECTING");

  // ---- what goes on -----------------------------------------------------------------------------------------------

  const phase = el("h2", { id: "phase" }, "The run begins");
  const bar = el("progress", { "aria-labelledby": "phase" });
  const left = el("p", {});
  const line = el("p", { class: "soft" });
  const answered = el("span", { role: "status" });
  const stop = el("button", { type: "button", onclick: () => {
    if (confirm("Stop the run now? What was measured until now is its result, marked INTERRUPTED.")) {
      ask("stop");
    }
  } }, "Stop");
  const conclude = el("button", { type: "button", onclick: () => ask("conclude") }, "Enough, conclude now");
  conclude.hidden = run.mostLaunches === 1;
  const main = document.getElementById("main");
  main.append(el("section", { id: "now", "aria-labelledby": "phase" }, phase, bar, left, line,
    el("div", { class: "actions" }, stop, conclude, answered)));

  function ask(what) {
    answered.textContent = "";
    fetch("/" + what, { method: "POST" })
      .then(answer => { answered.textContent = answer.ok ? "" : "Refused: this page may not end the run; press Ctrl-C in its terminal."; })
      .catch(() => { answered.textContent = "No connection to the run; press Ctrl-C in its terminal."; });
  }

  function went(now) {
    const { title, lengthS, elapsedS, turn } = now.phase;
    phase.textContent = title;
    const length = lengthS === undefined ? undefined : turn ? lengthS * turn.targets * turn.rounds : lengthS;
    const gone = turn && lengthS !== undefined ? lengthS * turn.number + Math.min(elapsedS, lengthS) : elapsedS;
    if (length === undefined) {
      bar.removeAttribute("value");
      left.textContent = elapsedS ? "for " + seconds(elapsedS) : "";
    } else {
      bar.max = length;
      bar.value = Math.min(gone, length);
      left.textContent = seconds(Math.max(0, length - gone)) + " left of " + seconds(length) + (turn ? " (all turns)" : "");
    }
    bar.hidden = !title;
    line.textContent = now.line || "";
    line.hidden = !now.line;
    stop.disabled = now.stopping;
    stop.textContent = now.stopping ? "Stopping …" : "Stop";
    conclude.disabled = now.stopping || now.concluding;
    conclude.textContent = now.concluding ? "Ends after this " + unit : "Enough, conclude now";
  }

  // ---- targets ----------------------------------------------------------------------------------------------------

  const HEADINGS = ["target", "state", unit, "requests/s", "p50 ms", "p99 ms", "errors/s", "application CPU %", "JIT CPU %", "memory MiB"];
  const rows = names.map(() => HEADINGS.slice(1).map((heading, i) => el("td", { class: i === 0 ? "state text" : "" })));
  section("targets", "Targets", plots.scrolled("The last second of each target; CPU in percent of one processor.",
    el("thead", {}, el("tr", {}, HEADINGS.map((text, i) => el("th", { scope: "col", class: i < 2 ? "text" : "" }, text)))),
    el("tbody", {}, names.map((name, i) => el("tr", {}, el("th", { scope: "row", class: "text" }, name), rows[i])))));

  function memory(bytes, cap) {
    const text = bytes === undefined ? MISSING : digits(bytes / MIB);
    if (bytes === undefined || !cap) {
      return [text];
    }
    const share = Math.round(100 * bytes / cap);
    return [text + " of " + digits(cap / MIB), el("meter", { min: 0, max: 1, high: 0.9, value: Math.min(1, bytes / cap), "aria-label": share + " % of its cap" })];
  }

  function targets(all) {
    all.forEach((target, i) => {
      const now = target.now || {};
      const launch = target.launch ? target.launch + " of " + (run.mostLaunches > run.launches ? "at most " : "") + run.mostLaunches : MISSING;
      const texts = [target.state, launch, digits(now.rate), digits(now.p50), digits(now.p99), digits(now.errors), digits(now.appCpu), digits(now.jitCpu)];
      texts.forEach((text, column) => {
        if (rows[i][column].textContent !== text) {
          rows[i][column].textContent = text;
        }
      });
      rows[i][texts.length].replaceChildren(...memory(now.memory, run.caps[i]));
    });
  }

  // ---- what came of it --------------------------------------------------------------------------------------------

  const soFar = section("answer", "So far");
  soFar.hidden = true;
  const messages = el("ul", { class: "notes" });

  function came(data) {
    plots.clear(soFar);
    soFar.hidden = false;
    const dots = el("div", { class: "plots" });
    soFar.append(el("h2", { id: "answer-title" }, data.final ? "The answer" : "So far, after " + data.done + " " + (data.done === 1 ? unit : units)),
      data.final ? "" : el("p", { class: "soft" }, "A look at a part of the run decides nothing: the answer comes at its end."));
    plots.answers(soFar, data.text);
    soFar.append(dots);
    plots.launches(dots, data.launches, unit);
    if (data.percentiles.some(one => one.x.length)) {
      plots.percentiles(dots, data.percentiles);
    }
  }

  function note(all) {
    messages.replaceChildren(...all.map(text => el("li", {}, text)));
  }

  // ---- events -----------------------------------------------------------------------------------------------------

  /** Takes the columns that follow the rows that are known. */
  function grow(data) {
    data.series.forEach((one, i) => {
      const series = view.series[i];
      Object.keys(series).filter(key => !(key in one.columns)).forEach(key => delete series[key]);
      for (const [key, rest] of Object.entries(one.columns)) {
        const column = series[key] || (series[key] = []);
        column.length = one.at;
        rest.forEach(value => column.push(value));
      }
    });
    Object.assign(view, { range: data.range, warmUps: data.warmUps, stretches: data.stretches });
  }

  function begin() {
    begun = true;
    const latency = el("div", { class: "plots" });
    section("latency", "Latency", latency);
    plots.latencies(latency);
    plots.costs();
    section("messages", "Messages", messages);
    plots.controls();
    plots.begin();
  }

  function draw() {
    behind = document.hidden;
    if (!behind) {
      plots.update();
    }
  }

  function take(event) {
    status("good", "RUNNING");
    told = event.directory || told;
    went(event.now);
    targets(event.now.targets);
    if (event.messages) {
      note(event.messages);
    }
    if (event.data) {
      grow(event.data);
    }
    if (!begun) {
      begin();
    }
    if (event.soFar) {
      came(event.soFar);
      plots.redraw();
    }
    if (event.data) {
      draw();
    }
    if (event.over) {
      end(event.over);
    }
    plots.ready();
  }

  function end(how) {
    over = true;
    stop.disabled = conclude.disabled = true;
    bar.hidden = left.hidden = line.hidden = true;
    phase.textContent = "The run is over";
    if (how.report) {
      status(how.status === "VALID" ? "good" : "bad", "OVER", "The run is over (" + how.status + "). Its report follows; it stays in " + told + "/report.html.");
      location.replace("/report");
    } else {
      status("bad", "OVER", "The run ended without a report; its terminal says why.");
    }
  }

  function connect() {
    const events = new EventSource("/events");
    events.onmessage = message => {
      take(JSON.parse(message.data));
      if (over) {
        events.close();
      }
    };
    events.onerror = () => {
      status("bad", "NO CONNECTION", "Trying again." + (told ? " If the run is over, its report is in " + told + "/report.html." : ""));
      // The browser tries again by itself, unless it was refused.
      if (events.readyState === EventSource.CLOSED) {
        setTimeout(connect, 2000);
      }
    };
  }

  document.addEventListener("visibilitychange", () => {
    if (behind && begun) {
      draw();
    }
  });
  connect();
})();
