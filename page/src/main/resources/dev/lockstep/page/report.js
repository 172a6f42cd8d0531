// Draws the report of a run from the data in the page.
"use strict";
(() => {
  const { TONES, MISSING, plain, el, section, table, digits } = plots;
  const data = JSON.parse(document.getElementById("data").textContent);
  const run = data.run;
  const names = run.targets.map(target => target.name);
  plots.show({
    names, baseline: run.plan.baseline, caps: new Set(run.targets.map(target => target.memoryLimitBytes).filter(Boolean)),
    // When each launch of each target that got steady did so, in seconds of load.
    steady: run.targets.map(target => (target.launches || [])
      .filter(launch => launch.warmup && launch.warmup.state === "steady" && launch.warmup.durationNs !== undefined)
      .map(launch => [launch.launch, launch.warmup.durationNs / 1e9])),
    series: data.series, warmUps: data.warmUps, stretches: data.stretches, range: data.range,
    deaths: data.deaths,
  });

  // ---- head -------------------------------------------------------------------------------------------------------

  // Servers that run already get blocks of load.
  const unit = run.plan.targets.every(target => target.address) ? "block" : "launch";
  const units = unit === "block" ? "blocks" : "launches";
  const launched = run.launchesDone ?? (run.interrupted ? 0 : run.plan.launches);

  document.title = plain("Lockstep: " + names.join(", "));
  document.getElementById("title").textContent = plain(names.length > 1
    ? names.filter(name => name !== run.plan.baseline).join(", ") + " against " + run.plan.baseline : names[0]);
  document.getElementById("subtitle").textContent = plain([
    run.capture.path + " (" + run.capture.requests.toLocaleString("en-US") + (run.capture.requests === 1 ? " request)" : " requests)"),
    data.text.began,
    launched < run.plan.launches ? launched + " of " + run.plan.launches + " " + (run.plan.launches === 1 ? unit : units)
      : launched + " " + (launched === 1 ? unit : units),
    "pace " + run.plan.pace,
    run.plan.schedule === "together" ? "targets together" : "targets in turns",
  ].join(" · "));
  document.getElementById("status").append(
    el("span", { class: "badge " + TONES[data.text.outcome.tone] }, data.text.outcome.text),
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
  // What such servers tell, they are asked for at the borders of blocks.
  plots.costs(unit === "launch" ? "" : run.plan.targets.some(target => target.metrics)
    ? "What the servers tell of it, by block: in the figures above."
    : "Not known of servers that run already, unless they tell it: metrics in the targets file (docs/targets.md).");

  // ---- trends of a soak -------------------------------------------------------------------------------------------

  if (data.text.trends.length) {
    section("trends", "Leaks and drifts", el("p", { class: "soft" }, data.text.trends[0]),
      el("ul", { class: "notes" }, data.text.trends.slice(1).map(line => el("li", {}, line))));
  }

  // ---- start ------------------------------------------------------------------------------------------------------

  if (unit === "launch") {
    const started = run.targets.filter(target => target.startup && target.startup.firstAnswerNs);
    const start = el("div", { class: "plots" });
    section("start", "Start", start);
    plots.starts(start, run.targets, "Grey: until the JVM was ready, orange: until the port was open, blue: until the first good answer"
      + (run.plan.launches > 1 ? " (medians of the launches)" : "")
      + started.map((target, i) => (i ? ", " : ": ") + target.name + " after " + digits(target.startup.firstAnswerNs / 1e6) + " ms").join("") + ".");
  }

  // ---- answers ----------------------------------------------------------------------------------------------------

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
  // ---- profile ----------------------------------------------------------------------------------------------------

  const methods = section("methods", "Hot methods");
  if (run.profile) {
    const hot = data.text.hotMethods;
    const profiled = run.profile.targets.filter(target => target.absent === undefined);
    methods.append(el("p", { class: "soft" }, "Profiled apart from the run: no figure of the run comes from it. " + hot.legend));
    if (hot.rows.length) {
      methods.append(table("The hottest methods, side by side", ["method", "kind", ...hot.headings], hot.rows, 2));
      methods.append(el("ul", { class: "notes" }, [hot.more, ...hot.lists].filter(Boolean).map(line => el("li", {}, line))));
    }
    run.profile.targets.filter(target => target.absent !== undefined)
      .forEach(target => methods.append(el("p", { class: "soft" }, hot.targets[target.name] + ".")));
    const graphs = el("div", { class: "plots" });
    methods.append(graphs);
    for (const target of profiled) {
      if (data.flames[target.name]) {
        flames.flame(graphs, target.name, data.flames[target.name], hot.targets[target.name] + ".");
      } else {
        methods.append(el("p", { class: "soft" }, target.name + ": no flame graph: its stacks are not in the run directory."));
      }
    }
    if (data.flameGraphs.length) {
      // The live view serves this page for a moment, without its folder.
      const beside = location.pathname.endsWith(".html");
      methods.append(el("p", {}, beside ? "With all frames, beside this file: " : "With all frames, in the run directory: ",
        data.flameGraphs.map((file, i) =>
          [i ? ", " : "", beside ? el("a", { href: encodeURIComponent(file) }, file) : el("code", {}, file)]).flat()));
    }
  } else {
    methods.append(el("p", { class: "soft" }, "Not measured in this run: --profile finds them, and draws flame graphs."));
  }

  // ---- environment ------------------------------------------------------------------------------------------------

  const environment = run.environment;
  const pairs = [
    ["Machine", data.text.machine],
    ["Lockstep", [environment.lockstepVersion, environment.jvmName, environment.jvmVersion, environment.transport,
      environment.cgroup && "control groups " + environment.cgroup].filter(Boolean).join(", ")],
    ["Capture", "SHA-256 " + run.capture.sha256],
  ];
  for (const target of run.targets) {
    pairs.push([target.name, data.text.targets[target.name]]);
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
