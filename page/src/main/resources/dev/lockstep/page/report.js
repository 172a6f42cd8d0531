// Draws the report of a run from the data in the page.
"use strict";
(() => {
  const { MISSING, MIB, plain, el, section, color, table, digits } = plots;
  const data = JSON.parse(document.getElementById("data").textContent);
  const run = data.run;
  const names = run.targets.map(target => target.name);
  plots.show({
    names, baseline: run.plan.baseline, caps: new Set(run.targets.map(target => target.memoryLimitBytes).filter(Boolean)),
    series: data.series, width: data.width, warmUps: data.warmUps, stretches: data.stretches, range: data.range,
  });

  // ---- head -------------------------------------------------------------------------------------------------------

  // Servers that run already get blocks of load.
  const unit = run.plan.targets.every(target => target.address) ? "block" : "launch";
  const units = unit === "block" ? "blocks" : "launches";

  document.title = plain("Lockstep: " + names.join(", "));
  document.getElementById("title").textContent = plain(names.length > 1
    ? names.slice(1).join(", ") + " against " + run.plan.baseline : names[0]);
  document.getElementById("subtitle").textContent = plain([
    run.capture.path + " (" + run.capture.requests.toLocaleString("en-US") + " requests)",
    run.startedAt.replace("T", " ").replace(/\.\d+/, ""),
    run.plan.launches === 1 ? "1 " + unit : (run.launchesDone || run.plan.launches) + " " + units,
    "pace " + run.plan.pace,
    run.plan.schedule === "together" ? "targets together" : "targets in turns",
  ].join(" · "));
  document.getElementById("status").append(
    el("span", { class: "badge " + (run.status === "VALID" ? "good" : "bad") }, run.status),
    run.interrupted ? el("span", { class: "badge doubt" }, "INTERRUPTED") : "");
  document.getElementById("made").textContent = "Made by Lockstep " + run.environment.lockstepVersion
    + " from the files of the run directory; field names are those of run.json.";

  plots.answers(section("answer", "The answer"), data.text);
  plots.figures(section("figures", "Figures"), data.text);

  // ---- plots ------------------------------------------------------------------------------------------------------

  if (data.launches.length) {
    const launches = el("div", { class: "plots" });
    section("launches", "The " + units, launches);
    plots.launches(launches, data.launches, unit);
  }
  const latency = el("div", { class: "plots" });
  section("latency", "Latency", latency);
  plots.percentiles(latency, data.percentiles);
  plots.latencies(latency);
  plots.costs();

  // ---- start ------------------------------------------------------------------------------------------------------

  const started = run.targets.filter(target => target.startup && target.startup.firstAnswerNs);
  if (started.length) {
    const longest = Math.max(...started.map(target => target.startup.firstAnswerNs));
    const gantt = el("div", { class: "gantt", role: "img", "aria-label": "Start-up: " + started.map(target => target.name + " "
      + digits(target.startup.firstAnswerNs / 1e6) + " ms to the first answer").join(", ") });
    for (const target of started) {
      const bar = el("div", { class: "bar" });
      let before = 0;
      for (const [key, name] of [["jvmNs", "rest"], ["portNs", "jit"], ["firstAnswerNs", "app"]]) {
        const until = target.startup[key];
        if (until !== undefined && until > before) {
          const part = el("i", { title: digits(until / 1e6) + " ms" });
          part.style.width = 100 * (until - before) / longest + "%";
          part.style.background = color(name);
          bar.append(part);
          before = until;
        }
      }
      gantt.append(el("div", {}, target.name + " " + digits(target.startup.firstAnswerNs / 1e6) + " ms"), bar);
    }
    const key = (name, text) => {
      const made = el("span", {}, el("i", { class: "swatch" }), " " + text);
      made.firstChild.style.background = color(name);
      return made;
    };
    section("start", "Start", gantt, el("p", { class: "keys" }, key("rest", "until the JVM was ready"), key("jit", "until the port was open"),
      key("app", "until the first good answer"), run.plan.launches > 1 ? "medians of the launches" : ""));
  }

  // ---- answers, methods, environment ------------------------------------------------------------------------------

  /** What one target answered. */
  function answered(name, outcome, body) {
    const facts = [outcome];
    if (body) {
      facts.push(body.contentType, body.bytes + " bytes" + (body.cut ? ", of which the first" : ""), body.absent);
    } else {
      facts.push("body not kept");
    }
    const shown = body && (body.text || body.hex);
    return el("div", {}, el("h3", {}, name), el("p", { class: "soft" }, facts.filter(Boolean).join(", ")),
      shown ? el("pre", { tabindex: "0", "aria-label": name }, shown) : "");
  }

  const compared = run.targets.filter(target => target.comparison);
  if (compared.length) {
    const part = section("answers", "Answers that differ");
    for (const target of compared) {
      part.append(el("p", {}, target.name + ": " + target.comparison.different + " of " + target.comparison.compared
        + " compared answers differ from those of " + target.comparison.baseline + "."));
      if (target.comparison.examples && target.comparison.examples.length) {
        part.append(table("Examples: " + target.name, ["request", "name", "differs in", target.comparison.baseline, target.name],
          target.comparison.examples.map(one => [String(one.request), one.name, one.parts.join(", "),
            one.baselineOutcome + (one.baselineBodyBytes === undefined ? "" : ", " + one.baselineBodyBytes + " bytes"),
            one.outcome + (one.bodyBytes === undefined ? "" : ", " + one.bodyBytes + " bytes")]), 5));
      }
      (data.bodies[target.name] || []).forEach(pair => part.append(el("details", {},
        el("summary", {}, "Request " + pair.request + ", " + pair.name + ": both bodies"),
        el("div", { class: "bodies" }, answered(target.comparison.baseline, pair.baselineOutcome, pair.baseline),
          answered(target.name, pair.outcome, pair.answer)))));
    }
    part.append(el("p", { class: "soft" }, Object.keys(data.bodies).length
      ? "Of bodies the beginnings are kept, with tokens in place of the secrets that recordings have replaced too." : "No bodies were kept."));
  }
  if (run.profile) {
    const profiled = run.profile.targets.filter(target => target.absent === undefined).map(target => target.name);
    const part = section("methods", "Hot methods");
    part.append(table("Share of the samples of each target", ["method", "kind", ...profiled],
      run.profile.methods.slice(0, 40).map(method => [method.name, method.kind, ...profiled.map(name =>
        method.share[name] === undefined ? MISSING : (100 * method.share[name]).toFixed(1) + " %")]), 2));
    run.profile.targets.filter(target => target.absent !== undefined)
      .forEach(target => part.append(el("p", { class: "soft" }, target.name + ": no profile: " + target.absent)));
    if (data.flameGraphs.length) {
      // The live view serves this page for a moment, without its folder.
      const beside = location.pathname.endsWith(".html");
      part.append(el("p", {}, beside ? "Flame graphs beside this file: " : "Flame graphs in the run directory: ", data.flameGraphs.map((file, i) =>
        [i ? ", " : "", beside ? el("a", { href: encodeURIComponent(file) }, file) : el("code", {}, file)]).flat()));
    }
  }
  const environment = run.environment;
  const pairs = [
    ["Machine", [environment.cpuModel, environment.cores && environment.cores + " processors",
      environment.memoryBytes && digits(environment.memoryBytes / (1 << 30)) + " GiB", environment.kernel].filter(Boolean).join(", ")],
    ["Lockstep", [environment.lockstepVersion, environment.jvmName, environment.jvmVersion, environment.transport,
      environment.cgroup && "control groups " + environment.cgroup].filter(Boolean).join(", ")],
    ["Capture", "SHA-256 " + run.capture.sha256],
  ];
  for (const target of run.targets) {
    pairs.push([target.name, [target.jvm, target.jit, target.collector && target.collector + " collector",
      target.maxHeapBytes && "heap up to " + digits(target.maxHeapBytes / MIB) + " MiB", target.cpus && "processors " + target.cpus,
      target.memoryLimitBytes && "memory cap " + digits(target.memoryLimitBytes / MIB) + " MiB", target.isolation, target.address]
      .filter(Boolean).join(", ")]);
  }
  if (run.plan.command && run.plan.command.length) {
    pairs.push(["Command", el("code", {}, run.plan.command.join(" "))]);
  }
  section("environment", "Environment", el("dl", {}, pairs.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)])),
    el("details", {}, el("summary", {}, "All notes of the run"), el("ul", { class: "notes" }, data.text.notes.map(text => el("li", {}, text)))),
    el("details", {}, el("summary", {}, "Commands and JVM options of the targets"), el("dl", {}, run.targets.flatMap(target =>
      [el("dt", {}, target.name), el("dd", {}, el("code", {}, target.command.join(" ") || MISSING)), el("dt", {}, ""),
        el("dd", {}, el("code", {}, target.jvmOptions.join(" ") || MISSING))]))));

  plots.controls();
  plots.begin();
  plots.ready();
})();
