// Draws a search for better parameters from the data in the page, and anew from each event where a server tells it some.
"use strict";
(() => {
  const { MISSING, el, section, color, table, digits, chart, plain } = plots;
  let data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main");
  /** More lines than these make a table, or a plot, that nobody reads. */
  const MOST_ROWS = 200;
  const MOST_LINES = 40;
  plots.show({ names: [], series: [], warmUps: [], stretches: [], range: [0, 1], missing: "Nothing yet." });

  const shown = value => value === undefined || value === null ? MISSING : data.ratios ? value.toFixed(4) : digits(value);
  const between = one => one.low === undefined ? MISSING : shown(one.low) + " to " + shown(one.high);
  const count = (number, noun) => number.toLocaleString("en-US") + " " + noun + (number === 1 ? "" : "s");
  /** As in the search's text: whole numbers, such as sizes in bytes, with all their digits. */
  const print = value => typeof value === "number" && !Number.isInteger(value) ? String(+value.toPrecision(6)) : String(value);
  const two = () => data.second !== undefined;
  const unit = () => data.ratios ? "ratio" : "value";

  // ---- head -------------------------------------------------------------------------------------------------------

  /** How good it is, and a word for it. */
  function state() {
    const found = data.verification;
    if (found) {
      return found.holds ? ["good", "VERIFIED"] : found.partly ? ["doubt", "PARTLY CONFIRMED"] : ["bad", "NOT CONFIRMED"];
    }
    if (!data.over) {
      return ["doubt", "SEARCHING"];
    }
    // Values without noise need no verification: the headline's first words say what there is.
    const word = data.noisy ? "NOT VERIFIED" : (/^[A-Z ]*[A-Z]\b/.exec(data.headline) || ["DONE"])[0];
    return [word.startsWith("NO") ? "doubt" : "good", word];
  }

  function head() {
    document.title = "Lockstep: " + plain(data.title);
    document.getElementById("title").textContent = plain(data.title);
    document.getElementById("subtitle").textContent = plain(
      count(data.trials.length, "evaluation") + " of " + data.evaluations.toLocaleString("en-US") + " · " + data.measure
        + (data.maximizes ? ", more is better" : ", less is better")
        + (two() ? " · " + data.second + (data.secondMaximizes ? ", more is better" : ", less is better") : ""));
    const [tone, word] = state();
    document.getElementById("status").replaceChildren(el("span", { class: "badge " + tone }, word));
    document.getElementById("made").textContent = "Made by replay tune from the journal of the search; docs/tuning.md says how it is read."
      + (data.over || data.live ? "" : " It is made anew as the search goes on: load it again.");
  }

  // ---- the answer -------------------------------------------------------------------------------------------------

  function answer() {
    const found = data.verification;
    // What was verified afresh comes first: where values have noise it alone is the result.
    const lines = [el("li", { class: state()[0] }, el("span", {}, found ? found.sentence : data.headline))];
    if (data.best && !two()) {
      lines.push(el("li", { class: "soft" }, el("span", {}, "Held for the best: " + data.best.text + (data.best.value === undefined ? ""
        : ", expected " + unit() + " " + shown(data.best.value) + (data.best.low === undefined ? "" : " (95 % band " + between(data.best) + ")")))));
    }
    const made = section("answer", found || data.over && !data.noisy ? "The answer" : "So far", el("ul", { class: "answers" }, lines));
    if (found && found.directory) {
      made.append(el("p", { class: "soft" }, "The verification is in ", data.live ? found.directory
        : el("a", { href: "verification/report.html" }, found.directory + "/report.html"), "."));
    } else if (!found && data.noisy) {
      made.append(el("p", { class: "soft" }, "The best of many noisy values looks better than it is: only what is measured afresh is a result."));
    }
    if (two()) {
      made.append(data.front.length ? front() : "");
    } else if (data.flags) {
      const said = el("span", { role: "status" });
      const line = el("code", {}, data.flags);
      made.append(el("div", { id: "flags" }, el("p", {}, data.ratios ? "The best as JVM options:" : "The best configuration:"), el("pre", {}, line),
        el("div", { class: "actions screen" }, el("button", { type: "button", onclick: () => copy(line, said) }, "Copy"), said)));
    }
    const facts = Object.entries(data.facts);
    made.append(el("dl", {}, facts.flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, text)])));
  }

  /** The members of the front, each with its options as a line to copy. */
  function front() {
    const made = table("The front: the configurations of which no other is better in one and at least as good in the other. What each is expected to come to, with 95 % in brackets",
      [data.measure, data.second, "which", "parameters", data.ratios ? "as JVM options" : ""].filter(Boolean),
      data.front.map(one => [
        shown(one.value) + (one.low === undefined ? "" : " (" + between(one) + ")"),
        shown(one.second) + (one.secondLow === undefined ? "" : " (" + shown(one.secondLow) + " to " + shown(one.secondHigh) + ")"),
        one.role || "", one.text].concat(data.ratios ? [el("code", {}, one.flags)] : [])));
    made.querySelectorAll("tr").forEach(row => [...row.children].slice(2).forEach(cell => cell.classList.add("text")));
    return made;
  }

  function copy(element, said) {
    const done = () => { said.textContent = "Copied."; };
    // A page from a file may not reach the clipboard otherwise.
    const otherwise = () => {
      getSelection().selectAllChildren(element);
      said.textContent = document.execCommand("copy") ? "Copied." : "Marked: copy it with the keyboard.";
    };
    if (navigator.clipboard) {
      navigator.clipboard.writeText(element.textContent).then(done, otherwise);
    } else {
      otherwise();
    }
  }

  // ---- the evaluations --------------------------------------------------------------------------------------------

  /** What is to be said of an evaluation beside its value. */
  function remarks(one) {
    return [
      ...one.violated.map(limit => "violates " + limit.name + " (by " + digits(limit.by) + ")"),
      one.failed === undefined ? null : "failed: " + one.failed,
      one.skipped === undefined ? null : "not evaluated: " + one.skipped,
      one.stoppedEarly ? "stopped early" : null,
      ...one.notes,
    ].filter(Boolean);
  }

  function evaluations() {
    const best = data.ranked.length && data.trials[data.ranked[0]].feasible ? data.ranked[0] : -1;
    const rows = data.running.map(one => [String(one.trial), MISSING, MISSING, ...(two() ? [MISSING] : []), one.text, one.origin, "in progress"]);
    data.ranked.slice(0, MOST_ROWS).forEach(i => {
      const one = data.trials[i];
      const said = (i === best ? ["best value"] : []).concat(remarks(one));
      rows.push([String(one.trial), shown(one.value), between(one), ...(two() ? [shown(one.second)] : []), one.text, one.origin, said.join("; ") || MISSING]);
    });
    const made = table("Best first" + (two() ? " by " + data.measure : "") + ", then what violated a constraint, failed or was skipped. " + (data.ratios
      ? "The ratio is that of candidate to control; the interval (95 %) is within one launch of each, and launches differ by more." : "The interval (95 %) rests on the variance that was told."),
      ["evaluation", two() ? data.measure : unit(), "interval", ...(two() ? [data.second] : []), "parameters", "chosen by", "remarks"], rows);
    made.querySelectorAll("tr").forEach(row => [...row.children].slice(two() ? 4 : 3).forEach(cell => cell.classList.add("text")));
    if (best >= 0) {
      made.querySelectorAll("tbody tr")[data.running.length].className = "best";
    }
    section("evaluations", "Evaluations", rows.length ? made : el("p", { class: "soft" }, "None yet."),
      data.ranked.length > MOST_ROWS ? el("p", { class: "soft" }, (data.ranked.length - MOST_ROWS).toLocaleString("en-US")
        + " more are in journal.jsonl.") : "");
  }

  // ---- plots ------------------------------------------------------------------------------------------------------

  const dots = (stroke, fill) => ({ width: 0, stroke, paths: () => null, points: { show: true, size: 8, width: 1.5, stroke, fill } });

  /** Draws what a plot of lines cannot: bars of uncertainty, uprights with a word, and marks at the foot. */
  function drawn(u, bars, uprights, feet) {
    const ctx = u.ctx;
    const scale = devicePixelRatio;
    const { left, top, width, height } = u.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.lineWidth = 1.2 * scale;
    for (const one of bars) {
      const x = u.valToPos(one.x, "x", true);
      ctx.strokeStyle = one.stroke;
      ctx.beginPath();
      ctx.moveTo(x, u.valToPos(one.low, "y", true));
      ctx.lineTo(x, u.valToPos(one.high, "y", true));
      ctx.stroke();
    }
    ctx.font = 12 * scale + "px system-ui, sans-serif";
    uprights.forEach((one, i) => {
      const x = u.valToPos(one.x, "x", true);
      const right = x > left + width * 0.8;
      ctx.strokeStyle = ctx.fillStyle = one.stroke;
      ctx.setLineDash(one.dash.map(length => length * scale));
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + height);
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.textAlign = right ? "right" : "left";
      ctx.fillText(one.word, x + (right ? -4 : 4) * scale, top + (13 + 14 * i) * scale);
    });
    ctx.strokeStyle = color("bad");
    ctx.lineWidth = 2 * scale;
    for (const at of feet) {
      const x = u.valToPos(at, "x", true);
      ctx.beginPath();
      ctx.moveTo(x, top + height);
      ctx.lineTo(x, top + height - 9 * scale);
      ctx.stroke();
    }
    ctx.restore();
  }

  /** The scale of values: about what was measured, however wide some intervals are. */
  function room(values) {
    const known = values.filter(value => Number.isFinite(value));
    const from = Math.min(...known);
    const to = Math.max(...known);
    const more = (to - from) * 0.12 || Math.abs(to) * 0.02 || 1;
    return [from - more, to + more];
  }

  const yAxis = () => ({ values: (u, ticks) => ticks.map(tick => tick === null ? "" : data.ratios ? String(+tick.toFixed(4)) : digits(tick)) });

  /** What is drawn of an objective: its name, and its values of an evaluation and of the model. */
  const FIRST = { label: () => data.measure, maximizes: () => data.maximizes, values: one => one, slice: one => one.slice };
  const SECOND = { label: () => data.second, maximizes: () => data.secondMaximizes, slice: one => one.secondSlice || [],
    values: one => Object.assign({}, one, { value: one.second, low: one.secondLow, high: one.secondHigh }) };
  const sides = () => two() ? [FIRST, SECOND] : [FIRST];

  /** Both objectives of all evaluations, and the front. */
  function scatter(parent) {
    const valued = data.trials.filter(one => one.value !== undefined && one.second !== undefined);
    const point = one => ({ x: one.value, y: one.second });
    const members = [...data.front].sort((a, b) => a.value - b.value);
    const xs = valued.map(one => one.value).concat(members.map(one => one.value), data.ratios ? [1] : []);
    const ys = valued.map(one => one.second).concat(members.map(one => one.second), data.ratios ? [1] : []);
    chart(parent, {
      title: "Both objectives", wide: true, height: 380, yLabel: data.second, legend: false, missing: "No evaluation has both values yet.",
      caption: "A dot for each evaluation; empty: violates a constraint. Rings and line: the front, at what the model expects of its members"
        + " with noise taken off." + (data.ratios ? " At 1 and 1 is the control." : ""),
      xName: data.measure, xLabel: data.measure, xValue: shown, x: { range: () => room(xs) },
      xAxis: { values: (u, ticks) => ticks.map(tick => tick === null ? "" : digits(tick)) },
      y: { range: () => room(ys) }, yAxis: yAxis(),
      draw: u => drawn(u, [], data.front.filter(one => one.role).map(one => ({ word: one.role, x: one.value, stroke: color("good"), dash: [2, 4] })), []),
      lines: () => [
        ...stacked(valued.filter(one => one.feasible).map(point), { label: "keeps all constraints", look: dots(color("t0"), color("t0")) }),
        ...stacked(valued.filter(one => !one.feasible).map(point), { label: "violates one", look: dots(color("bad"), color("panel")) }),
        { label: "the front", x: members.map(one => one.value), values: members.map(one => one.second), stroke: color("good"), width: 2,
          paths: uPlot.paths.stepped({ align: data.maximizes ? -1 : 1 }),
          points: { show: true, size: 12, width: 2, stroke: color("good"), fill: "transparent" } },
        ...(data.ratios ? [Object.assign({ label: "the control", x: [1], values: [1] }, dots(color("soft"), color("soft")))] : []),
      ],
    });
  }

  function objective(parent, side) {
    const valued = data.trials.map(side.values).filter(one => one.value !== undefined);
    const better = (a, b) => side.maximizes() ? Math.max(a, b) : Math.min(a, b);
    const numbers = data.trials.map(one => one.trial);
    chart(parent, {
      title: side.label() + " over evaluations", wide: true, height: 300, yLabel: unit(), legend: false,
      caption: "Full dots keep all constraints, empty ones do not; bars are 95 % intervals" + (data.ratios ? " within one launch of each, and launches differ by more" : "") + "; ticks at the foot failed. The line is the best value so far: with noise, lower than the truth."
        .replace("lower", side.maximizes() ? "higher" : "lower"),
      xName: "evaluation", xLabel: "evaluation", xValue: String,
      x: { range: [0, Math.max(data.evaluations, ...numbers, 1) + 0.9] },
      xAxis: { values: (u, ticks) => ticks.map(tick => Number.isInteger(tick) ? String(tick) : "") },
      y: { range: () => room(valued.flatMap(one => [one.value]).concat(data.ratios ? [1] : [])) }, yAxis: yAxis(),
      draw: u => drawn(u, valued.filter(one => one.low !== undefined).map(one => ({ x: one.trial, low: one.low, high: one.high,
        stroke: color(one.feasible ? "t0" : "bad") })), [], data.trials.filter(one => one.failed !== undefined).map(one => one.trial)),
      lines: () => {
        let best = null;
        const line = valued.map(one => (best = !one.feasible ? best : best === null ? one.value : better(best, one.value)));
        const x = valued.map(one => one.trial);
        return [
          Object.assign({ label: "keeps all constraints", x, values: valued.map(one => one.feasible ? one.value : null) }, dots(color("t0"), color("t0"))),
          Object.assign({ label: "violates one", x, values: valued.map(one => one.feasible ? null : one.value) }, dots(color("bad"), color("panel"))),
          { label: "best so far", x, values: line, stroke: color("good"), width: 2, paths: uPlot.paths.stepped({ align: 1 }) },
          ...(data.ratios ? [{ label: "no difference", x: [0, data.evaluations + 1], values: [1, 1], mark: true, stroke: color("soft"), dash: [2, 3], width: 1 }] : []),
        ];
      },
    });
  }

  /** Where the values of a parameter stand on its axis, and what stands below them. */
  function places(one) {
    const listed = one.min === undefined;
    const key = value => typeof value + ":" + value;
    const all = new Map();
    const labels = [];
    const place = (value, at) => {
      if (!all.has(key(value))) {
        all.set(key(value), at);
        labels.push([at, print(value)]);
      }
    };
    if (listed) {
      one.values.concat(one.special).forEach((value, i) => place(value, i));
      const ticks = [...labels];
      return { listed, log: false, at: value => all.get(key(value)), apart: () => true, ticks, range: [-0.6, ticks.length - 0.4] };
    }
    // Special values, such as 0 for automatic, stand before the others: between them is nothing.
    const { min, max } = one;
    const step = one.log ? Math.pow(max / min, 0.1) : (max - min) * 0.1;
    one.special.filter(value => typeof value !== "number" || value < min || value > max)
      .forEach((value, i) => place(value, one.log ? min / Math.pow(step, i + 1) : min - step * (i + 1)));
    const lowest = Math.min(min, ...labels.map(([at]) => at));
    return {
      listed, log: one.log, at: value => all.has(key(value)) ? all.get(key(value)) : value, apart: value => all.has(key(value)),
      range: one.log ? [lowest / Math.pow(step, 0.4), max * Math.pow(step, 0.4)] : [lowest - step * 0.4, max + step * 0.4],
      ticks: labels.concat(roundNumbers(min, max, one.log).map(at => [at, print(at)])),
    };
  }

  /** Some round numbers of a range. */
  function roundNumbers(min, max, log) {
    if (log) {
      const round = max / min > 2000 ? [1] : [1, 2, 5];
      const all = [];
      for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power++) {
        round.forEach(one => all.push(one * Math.pow(10, power)));
      }
      const inside = all.filter(at => at >= min && at <= max);
      return inside.length >= 2 ? inside : [min, max];
    }
    const rough = (max - min) / 5;
    const size = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = size * [1, 2, 5, 10].find(times => times * size >= rough * (1 - 1e-9));
    const all = [];
    for (let i = Math.ceil(min / step); i * step <= max * (1 + 1e-12); i++) {
      all.push(+(i * step).toPrecision(12));
    }
    return all;
  }

  /** As many lines as evaluations at one value, for a line has one point there. */
  function stacked(points, style) {
    const lines = [];
    const used = new Map();
    points.forEach(({ x, y }) => {
      const n = used.get(x) || 0;
      used.set(x, n + 1);
      (lines[n] || (lines[n] = { x: [], y: [] })).x.push(x);
      lines[n].y.push(y);
    });
    return lines.slice(0, MOST_LINES).map((line, n) => {
      const order = line.x.map((x, i) => i).sort((a, b) => line.x[a] - line.x[b]);
      return Object.assign({ label: style.label + (n ? " " + (n + 1) : ""), x: order.map(i => line.x[i]), values: order.map(i => line.y[i]) }, style.look);
    });
  }

  function parameter(parent, one, side) {
    const scale = places(one);
    const points = data.trials.map(side.values).filter(trial => trial.value !== undefined && trial.values[one.name] !== undefined)
      .map(trial => ({ x: scale.at(trial.values[one.name]), y: trial.value, low: trial.low, high: trial.high, feasible: trial.feasible }));
    const feet = data.trials.filter(trial => trial.failed !== undefined && trial.values[one.name] !== undefined)
      .map(trial => scale.at(trial.values[one.name]));
    const slice = side.slice(one).map(at => ({ x: scale.at(at.value), apart: scale.apart(at.value), mean: at.mean, low: at.low, high: at.high }))
      .sort((a, b) => a.x - b.x);
    const curve = slice.filter(at => !at.apart);
    const rings = slice.filter(at => at.apart);
    const uprights = [["default", "soft", [5, 4]], ["best", "good", []]].filter(([name]) => one[name] !== undefined)
      .map(([word, name, dash]) => ({ word: word + " " + print(one[word]), x: scale.at(one[word]), stroke: color(name), dash }));
    const many = Math.max(0, ...[...points.reduce((all, { x }) => all.set(x, (all.get(x) || 0) + 1), new Map()).values()]) > MOST_LINES;
    chart(parent, {
      title: one.name + (two() ? ": " + side.label() : ""), yLabel: unit(), legend: false, height: 260, missing: "No evaluation with a value has it yet.",
      caption: "A dot for each evaluation" + (one.when === undefined ? "" : " in which " + one.when)
        + (many ? ", at most " + MOST_LINES + " at one value" : "") + "; empty: violates a constraint"
        + (feet.length ? "; ticks at the foot: failed" : "") + (slice.length
          ? ". " + (curve.length ? "Line and band" : "") + (curve.length && rings.length ? ", " : "") + (rings.length ? (curve.length ? "ring" : "Ring") + " and bar" : "")
            + ": what the model expects there beside the best, with 95 %." : "."),
      xName: one.name, xLabel: one.name + (one.log ? " (logarithmic)" : ""), xValue: print,
      x: Object.assign({ range: scale.range }, scale.log ? { distr: 3, log: 10 } : {}),
      xAxis: { splits: () => scale.ticks.map(([at]) => at), filter: (u, splits) => splits,
        values: () => scale.ticks.map(([, label]) => label.length > 12 ? label.slice(0, 11) + "…" : label) },
      y: { range: () => room(points.map(({ y }) => y).concat(slice.map(({ mean }) => mean))) }, yAxis: yAxis(),
      bands: lines => lines.some(line => line.band) ? [{ series: [2, 1], fill: color("t1") + "33" }] : [],
      draw: u => drawn(u, rings.map(at => ({ x: at.x, low: at.low, high: at.high, stroke: color("t1") })), uprights, feet),
      lines: () => {
        const x = curve.map(at => at.x);
        const smooth = curve.length ? [
          { label: "model, low", x, values: curve.map(at => at.low), stroke: color("t1") + "66", width: 0.5, band: true },
          { label: "model, high", x, values: curve.map(at => at.high), stroke: color("t1") + "66", width: 0.5 },
          { label: "model", x, values: curve.map(at => at.mean), stroke: color("t1"), width: 1.8 },
        ] : [];
        const steps = rings.length ? [Object.assign({ label: "model", x: rings.map(at => at.x), values: rings.map(at => at.mean) },
          dots(color("t1"), color("panel")), { points: { show: true, size: 12, width: 2, stroke: color("t1"), fill: "transparent" } })] : [];
        return smooth.concat(steps,
          stacked(points.filter(point => point.feasible), { label: "keeps all constraints", look: dots(color("t0"), color("t0")) }),
          stacked(points.filter(point => !point.feasible), { label: "violates one", look: dots(color("bad"), color("panel")) }),
          points.length || slice.length ? [] : [{ label: "", x: [1], values: [null] }]);
      },
    });
  }

  function parameters() {
    const byImportance = [...data.parameters].sort((a, b) => (b.importance || 0) - (a.importance || 0));
    const known = byImportance.some(one => one.importance !== undefined);
    const share = one => {
      if (one.importance === undefined) {
        return MISSING;
      }
      const bar = el("i", { class: "share" });
      bar.style.width = Math.round(60 * one.importance) / 10 + "rem";
      return el("span", {}, bar, (100 * one.importance).toFixed(0) + " %" + (one.importanceLow === undefined ? ""
        : " (" + (100 * one.importanceLow).toFixed(0) + " to " + (100 * one.importanceHigh).toFixed(0) + ")"));
    };
    const range = one => one.min === undefined ? one.values.map(print).join(", ")
      : print(one.min) + " to " + print(one.max) + (one.special.length ? ", or " + one.special.map(print).join(", ") : "");
    const text = value => value === undefined ? MISSING : print(value);
    const dotted = el("div", { class: "plots" });
    section("parameters", "Parameters", table(known ? "Importance: the part of what the value varies by, as the model has it, that is due to each; in brackets, where it lies with 90 %"
      : "Their importance is not known yet", ["parameter", "values", "default", two() && data.bestRole || "best", "importance",
        ...(two() ? ["for " + data.second] : [])],
      byImportance.map(one => [one.name, range(one) + (one.when === undefined ? "" : ", when " + one.when), text(one.default), text(one.best), share(one),
        ...(two() ? [one.secondImportance === undefined ? MISSING : (100 * one.secondImportance).toFixed(0) + " %"] : [])]), two() ? 6 : 5),
      data.noiseSd === undefined ? "" : el("p", { class: "soft" }, "From evaluation to evaluation of one configuration, the model holds a standard deviation of "
        + (data.ratios ? (100 * data.noiseSd).toFixed(2) + " %" : digits(data.noiseSd)) + " beside what each knows of itself."),
      dotted);
    byImportance.forEach(one => sides().forEach(side => parameter(dotted, one, side)));
  }

  // ---- a search that goes on --------------------------------------------------------------------------------------

  const answered = el("span", { role: "status" });
  let last = "";

  function ask(what) {
    answered.textContent = "";
    fetch("/" + what, { method: "POST" })
      .then(answer => { answered.textContent = answer.ok ? "" : "Refused; use replay tune --control."; })
      .catch(() => { answered.textContent = "No connection to the search; use replay tune --control."; });
  }

  function now() {
    if (!data.live || data.over) {
      return;
    }
    if (data.verifying) {
      main.append(el("section", { id: "now", "aria-labelledby": "now-title" }, el("h2", { id: "now-title" }, "In progress"),
        el("p", {}, "The best is compared with the default afresh. Only Ctrl-C ends that; the same command goes on.")));
      return;
    }
    const button = (text, what, id = what) => el("button", { type: "button", id: "ask-" + id, onclick: () => ask(what) }, text);
    main.append(el("section", { id: "now", "aria-labelledby": "now-title" }, el("h2", { id: "now-title" }, data.paused ? "Paused" : "In progress"),
      data.running.length ? data.running.map(one => el("p", {}, "Evaluation " + one.trial + " (" + one.origin + "): " + one.text)) : el("p", {}, "Nothing."),
      el("div", { class: "actions" }, data.paused ? button("Resume", "resume", "pause") : button("Pause after this", "pause"),
        button("Skip this evaluation", "skip"), button("Enough, conclude", "conclude"), answered)));
  }

  function render() {
    plots.clear(main);
    head();
    now();
    answer();
    evaluations();
    if (two()) {
      const both = el("div", { class: "plots" });
      section("front", "Both objectives", both);
      scatter(both);
    }
    const over = el("div", { class: "plots" });
    section("objective", "Over evaluations", over);
    sides().forEach(side => objective(over, side));
    parameters();
  }

  /** Draws all anew; whoever is at a button or has scrolled stays there. */
  function renew() {
    const list = () => document.querySelector("#evaluations .scroll") || {};
    const down = list().scrollTop;
    const button = document.activeElement.id;
    const [left, top] = [scrollX, scrollY];
    render();
    plots.redraw();
    list().scrollTop = down;
    document.getElementById(button)?.focus({ preventScroll: true });
    scrollTo(left, top);
  }

  function connect() {
    const events = new EventSource("/events");
    events.onopen = () => { answered.textContent = ""; };
    events.onmessage = message => {
      if (message.data !== last) {
        last = message.data;
        data = JSON.parse(message.data);
        renew();
      }
      if (data.over) {
        events.close();
      }
    };
    events.onerror = () => {
      answered.textContent = "No connection to the search; trying again.";
      // The browser tries again by itself, unless it was refused.
      if (events.readyState === EventSource.CLOSED) {
        setTimeout(connect, 2000);
      }
    };
  }

  document.getElementById("controls").remove();
  render();
  plots.begin();
  plots.ready();
  if (data.live) {
    history.replaceState(null, "", "/");
    connect();
  }
})();
