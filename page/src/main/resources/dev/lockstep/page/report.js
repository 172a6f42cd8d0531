// Draws the page from the data in it. Every text is set as text, never as markup: names come from strangers.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const run = data.run;
  const names = run.targets.map(target => target.name);
  const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [1, 2]];
  const TONES = { GOOD: "good", BAD: "bad", DOUBT: "doubt" };
  const MISSING = "–";
  const charts = [];
  const hidden = new Set();
  const main = document.getElementById("main");

  // ---- elements ---------------------------------------------------------------------------------------------------

  function el(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "class") {
        made.className = value;
      } else if (key.startsWith("on")) {
        made.addEventListener(key.slice(2), value);
      } else if (value !== undefined) {
        made.setAttribute(key, value);
      }
    }
    made.append(...children.flat().filter(child => child !== undefined && child !== null));
    return made;
  }

  function section(id, title, ...children) {
    const made = el("section", { id, "aria-labelledby": id + "-title" }, el("h2", { id: id + "-title" }, title), ...children);
    main.append(made);
    return made;
  }

  function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  }

  const colorOf = index => color("t" + index % 6);
  const dashOf = index => DASHES[Math.floor(index / 6) % DASHES.length].length ? DASHES[Math.floor(index / 6)] : DASHES[index % 6];

  function table(caption, headings, rows, textColumns = 1) {
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", {}, el("caption", {}, caption),
        el("thead", {}, el("tr", {}, headings.map((text, i) => el("th", { scope: "col", class: i < textColumns ? "text" : "" }, text)))),
        el("tbody", {}, rows.map(cells => el("tr", {}, cells.map((cell, i) =>
          i === 0 ? el("th", { scope: "row", class: "text" }, cell) : el("td", { class: i < textColumns ? "text" : "" }, cell)))))));
  }

  // ---- numbers ----------------------------------------------------------------------------------------------------

  function digits(value, unit = "") {
    if (value === null || value === undefined || !Number.isFinite(value)) {
      return MISSING;
    }
    const size = Math.abs(value);
    const text = size >= 1000 ? Math.round(value).toLocaleString("en-US") : size >= 100 ? value.toFixed(0) : size >= 10
      ? value.toFixed(1) : size >= 1 ? value.toFixed(2) : size === 0 ? "0" : value.toPrecision(2);
    return unit ? text + " " + unit : text;
  }

  function seconds(value) {
    if (value === null || value === undefined) {
      return MISSING;
    }
    const whole = Math.round(value);
    return whole >= 3600
      ? Math.floor(whole / 3600) + ":" + String(Math.floor(whole / 60) % 60).padStart(2, "0") + ":" + String(whole % 60).padStart(2, "0")
      : Math.floor(whole / 60) + ":" + String(whole % 60).padStart(2, "0");
  }

  // ---- charts -----------------------------------------------------------------------------------------------------

  const sync = uPlot.sync("time");
  let zooming = false;

  /**
   * A plot. Of `make(width)` come the options and the data, anew when the colours change; `series` tells which target
   * each line is of.
   */
  function chart(parent, spec) {
    const box = el("div", {});
    const figure = el("figure", { class: spec.wide ? "wide" : "" },
      el("header", {}, el("h3", {}, spec.title), el("div", { class: "screen" },
        spec.controls,
        el("button", { type: "button", onclick: () => save(made, "png"), "aria-label": "Save as PNG: " + spec.title }, "PNG"),
        el("button", { type: "button", onclick: () => save(made, "csv"), "aria-label": "Save as CSV: " + spec.title }, "CSV"))),
      el("figcaption", {}, spec.caption), box);
    parent.append(figure);
    if (!spec.lines().some(line => line.values.some(value => value !== null && value !== undefined))) {
      box.append(el("p", { class: "soft" }, spec.missing || "Not measured in this run."));
      figure.querySelector("header div").remove();
      return null;
    }
    // Drawn when all figures stand, for only then each has its width.
    const made = { spec, box, plot: null };
    charts.push(made);
    return made;
  }

  function axis(extra) {
    return Object.assign({
      stroke: color("soft"), grid: { stroke: color("grid"), width: 1 }, ticks: { stroke: color("grid"), width: 1 },
      font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 18, size: 52,
    }, extra);
  }

  function draw(made, width) {
    const spec = made.spec;
    const lines = spec.lines();
    const joined = uPlot.join(lines.map(line => [line.x, line.values]), lines.map(() => [0, 2]));
    made.joined = joined;
    made.labels = lines.map(line => line.label);
    const zoom = made.plot && spec.time ? { min: made.plot.scales.x.min, max: made.plot.scales.x.max } : null;
    if (made.plot) {
      if (spec.time) {
        sync.unsub(made.plot);
      }
      made.plot.destroy();
    }
    const options = {
      width: width || Math.max(240, made.box.clientWidth), height: spec.height || 240,
      cursor: { drag: { x: true, y: false, setScale: true }, sync: spec.time ? { key: "time", setSeries: false } : undefined },
      scales: { x: Object.assign({ time: false }, spec.x), y: Object.assign({}, spec.y) },
      axes: [
        axis(Object.assign({ label: spec.xLabel, size: 34 }, spec.xAxis)),
        axis(Object.assign({ label: spec.yLabel, values: (u, ticks) => ticks.map(tick => tick === null ? "" : digits(tick)) }, spec.yAxis)),
      ],
      series: [{ label: spec.xName || "time", value: (u, x) => x === null || x === undefined ? MISSING : (spec.xValue || seconds)(x) }]
        .concat(lines.map(line => ({
          label: line.label, stroke: line.stroke, dash: line.dash, width: line.width === undefined ? 1.6 : line.width, fill: line.fill,
          points: line.points || { show: false }, paths: line.paths, spanGaps: false,
          show: !line.targets || !line.targets.every(target => hidden.has(target)),
          value: (u, value) => digits(value, spec.unit),
        }))),
      bands: spec.bands ? spec.bands(lines) : [],
      hooks: {
        setScale: [(u, key) => {
          if (spec.time && key === "x" && !zooming) {
            zooming = true;
            charts.forEach(other => {
              if (other !== made && other.plot && other.spec.time) {
                other.plot.setScale("x", { min: u.scales.x.min, max: u.scales.x.max });
              }
            });
            zooming = false;
          }
        }],
        drawClear: spec.time ? [shade] : [],
        draw: spec.draw ? [spec.draw] : [],
      },
    };
    made.lines = lines;
    made.plot = new uPlot(options, joined, made.box);
    made.plot.ctx.canvas.setAttribute("role", "img");
    made.plot.ctx.canvas.setAttribute("aria-label", spec.title + ". " + spec.caption);
    if (zoom && Number.isFinite(zoom.min)) {
      zooming = true;
      made.plot.setScale("x", zoom);
      zooming = false;
    }
  }

  /** Warm-up stands on a shaded ground. */
  function shade(u) {
    const ctx = u.ctx;
    ctx.save();
    ctx.fillStyle = color("shade");
    for (const [from, to] of data.warmUps) {
      const left = Math.max(u.bbox.left, u.valToPos(from, "x", true));
      const right = Math.min(u.bbox.left + u.bbox.width, u.valToPos(to, "x", true));
      if (right > left) {
        ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
      }
    }
    ctx.restore();
  }

  function save(made, kind) {
    const name = made.spec.title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    const link = el("a", { download: name + "." + kind });
    if (kind === "png") {
      const from = made.plot.ctx.canvas;
      const canvas = el("canvas", { width: from.width, height: from.height + 60 });
      const ctx = canvas.getContext("2d");
      ctx.fillStyle = color("page");
      ctx.fillRect(0, 0, canvas.width, canvas.height);
      ctx.drawImage(from, 0, 60);
      ctx.fillStyle = color("ink");
      ctx.font = "24px system-ui, sans-serif";
      ctx.fillText(made.spec.title + ": " + made.spec.caption, 12, 38);
      link.href = canvas.toDataURL("image/png");
    } else {
      const cell = value => value === null || value === undefined ? "" : typeof value === "number" ? String(value)
        : '"' + String(value).replace(/^[=+\-@\t\r]/, "'$&").replace(/"/g, '""') + '"';
      const rows = [[made.spec.xName || "seconds", ...made.labels]];
      for (let i = 0; i < made.joined[0].length; i++) {
        rows.push(made.joined.map(column => column[i]));
      }
      link.href = "data:text/csv;charset=utf-8," + encodeURIComponent(rows.map(row => row.map(cell).join(",")).join("\r\n") + "\r\n");
    }
    link.click();
  }

  function redraw(width) {
    charts.forEach(made => draw(made, width));
  }

  function zoomBy(factor) {
    const first = charts.find(made => made.spec.time);
    if (first) {
      const { min, max } = first.plot.scales.x;
      const middle = (min + max) / 2;
      const half = (max - min) * factor / 2;
      first.plot.setScale("x", { min: middle - half, max: middle + half });
    }
  }

  function panBy(share) {
    const first = charts.find(made => made.spec.time);
    if (first) {
      const { min, max } = first.plot.scales.x;
      first.plot.setScale("x", { min: min + (max - min) * share, max: max + (max - min) * share });
    }
  }

  function zoomTo(range) {
    const first = charts.find(made => made.spec.time);
    if (first) {
      first.plot.setScale("x", { min: range[0], max: range[1] });
    }
  }

  // ---- series -----------------------------------------------------------------------------------------------------

  function lineOf(index, values, extra) {
    const series = data.series[index];
    return Object.assign({
      label: names[index], x: series.t, values, stroke: colorOf(index), dash: dashOf(index), targets: [names[index]],
    }, extra);
  }

  /** One line per target; with lowest and highest of a stretch behind it where seconds were drawn together. */
  function linesOf(key, divisor = 1) {
    return () => {
      const lines = [];
      data.series.forEach((series, index) => {
        const scaled = values => values.map(value => value === null ? null : value / divisor);
        if (series[key]) {
          lines.push(lineOf(index, scaled(series[key])));
          if (series[key + "Max"]) {
            lines.push(lineOf(index, scaled(series[key + "Max"]), { label: names[index] + " highest", width: 0.6 }));
          }
        }
      });
      return lines.length ? lines : [{ label: "", x: [0], values: [null] }];
    };
  }

  /** Means of so many seconds of load, over gaps of other targets' turns but not from launch to launch. */
  function moving(series, numerator, denominator, width) {
    const result = [];
    let from = 0;
    let sum = 0;
    let below = 0;
    let load = 0;
    for (let i = 0; i < series.t.length; i++) {
      if (series.t[i] !== null && i > 0 && series.launch[i] !== series.launch[i - 1]) {
        from = i;
        sum = below = load = 0;
      }
      if (series.d[i] === null) {
        result.push(null);
        continue;
      }
      sum += numerator[i] || 0;
      below += denominator[i] || 0;
      load += series.d[i];
      while (load - (series.d[from] || 0) >= width && from < i) {
        sum -= numerator[from] || 0;
        below -= denominator[from] || 0;
        load -= series.d[from] || 0;
        from++;
      }
      result.push(numerator[i] === null || below === 0 ? null : sum / below);
    }
    return result;
  }

  function chooser(label, choices, chosen, changed) {
    const made = el("select", { "aria-label": label, onchange: () => changed(Number(made.value)) },
      choices.map(value => el("option", value === chosen ? { value, selected: "" } : { value }, value + " s")));
    return made;
  }

  // ---- head -------------------------------------------------------------------------------------------------------

  document.title = "Lockstep: " + names.join(", ");
  document.getElementById("title").textContent = names.length > 1
    ? names.slice(1).join(", ") + " against " + run.plan.baseline : names[0];
  document.getElementById("subtitle").textContent = [
    run.capture.path + " (" + run.capture.requests.toLocaleString("en-US") + " requests)",
    run.startedAt.replace("T", " ").replace(/\.\d+/, ""),
    run.plan.launches === 1 ? "1 launch" : (run.launchesDone || run.plan.launches) + " launches",
    "pace " + run.plan.pace,
    run.plan.schedule === "together" ? "targets together" : "targets in turns",
  ].join(" · ");
  document.getElementById("status").append(
    el("span", { class: "badge " + (run.status === "VALID" ? "good" : "bad") }, run.status),
    run.interrupted ? el("span", { class: "badge doubt" }, "INTERRUPTED") : "");
  document.getElementById("made").textContent = "Made by Lockstep " + run.environment.lockstepVersion
    + " from the files of the run directory; field names are those of run.json.";

  const answer = section("answer", "The answer");
  if (data.text.status.length) {
    answer.append(el("ul", { class: "answers" }, data.text.status.map(text => el("li", { class: "bad" }, el("span", {}, text)))));
  }
  answer.append(el("p", { class: "soft" }, data.text.asked));
  answer.append(el("ul", { class: "answers" }, data.text.answers.map(one =>
    el("li", { class: TONES[one.tone] || "soft" }, el("span", {}, one.text)))));
  if (data.text.odd.length) {
    answer.append(el("h3", {}, "What was odd"),
      el("ul", { class: "notes" }, data.text.odd.slice(0, 5).map(text => el("li", {}, text))),
      data.text.odd.length > 5 ? el("details", {}, el("summary", {}, data.text.odd.length - 5 + " more"),
        el("ul", { class: "notes" }, data.text.odd.slice(5).map(text => el("li", {}, text)))) : "");
  }

  // ---- tables -----------------------------------------------------------------------------------------------------

  const figures = section("figures", "Figures");
  for (const one of data.text.tables) {
    figures.append(table(one.caption, ["target", ...one.headings], one.rows.map(row => [row.target, ...row.cells.map((cell, i) =>
      el("span", {}, cell === "-" ? MISSING : cell, row.ratios[i] ? el("span", { class: "ratio" }, row.ratios[i]) : ""))])));
  }
  figures.append(el("p", { class: "soft" }, "Below a figure: its ratio to that of " + run.plan.baseline + ". "
    + MISSING + " stands for what was not measured, or not often enough."));

  // ---- launches ---------------------------------------------------------------------------------------------------

  if (data.launches.length) {
    const launches = el("div", { class: "plots" });
    section("launches", "The launches", launches);
    for (const one of data.launches) {
      const index = names.indexOf(one.target);
      const numbers = one.ratios.map(ratio => ratio.launch);
      const flat = value => numbers.map(() => value);
      chart(launches, {
        title: one.target + " against " + one.baseline + ": " + one.metric,
        caption: "A dot for each launch: the ratio of the two in it" + (one.low !== null ? "; between the lines, the "
          + Math.round(1000 * one.level) / 10 + " % interval that decides" : "") + ". 1 is no difference."
          + (one.ratios.some(ratio => ratio.leftOut) ? " Empty dots were not steady and are left out." : ""),
        xName: "launch", xLabel: "launch", xValue: x => String(x), yLabel: "ratio", height: 220,
        x: { range: [0.5, Math.max(...numbers, 1) + 0.5] },
        xAxis: { splits: () => numbers, values: (u, ticks) => ticks.map(String) },
        y: { range: (u, low, high) => {
          const from = Math.min(low, 1);
          const to = Math.max(high, 1);
          const room = Math.max(0.005, (to - from) * 0.15);
          return [from - room, to + room];
        } },
        lines: () => [
          { label: "ratio", x: numbers, values: one.ratios.map(ratio => ratio.leftOut ? null : ratio.ratio), stroke: colorOf(index),
            width: 0, points: { show: true, size: 10, fill: colorOf(index) } },
          { label: "left out", x: numbers, values: one.ratios.map(ratio => ratio.leftOut ? ratio.ratio : null),
            stroke: colorOf(index), width: 0, points: { show: true, size: 10, fill: color("panel") } },
          { label: "no difference", x: numbers, values: flat(1), stroke: color("soft"), dash: [2, 3], width: 1 },
          { label: "interval from", x: numbers, values: flat(one.low), stroke: color("soft"), width: 1 },
          { label: "to", x: numbers, values: flat(one.high), stroke: color("soft"), width: 1 },
        ],
      });
    }
  }

  // ---- latency ----------------------------------------------------------------------------------------------------

  const latency = el("div", { class: "plots" });
  section("latency", "Latency", latency);
  const PERCENTILES = [50, 90, 99, 99.9, 99.99, 99.999, 99.9999];
  chart(latency, {
    title: "Latency by percentile", wide: true, height: 300,
    caption: "Response time of all requests, from the intended send to the last byte, on HdrHistogram's axis.",
    xName: "percentile", xLabel: "percentile", yLabel: "ms", unit: "ms",
    xValue: x => (100 - 100 / x).toFixed(Math.max(0, Math.min(5, Math.ceil(Math.log10(x)) - 1))) + " %",
    x: { distr: 3, log: 10, range: (u, low, high) => [1, Math.max(10, high)] },
    xAxis: { splits: () => PERCENTILES.map(p => 100 / (100 - p)), filter: (u, splits) => splits,
      values: (u, ticks) => ticks.map(x => x > u.scales.x.max * 1.01 ? "" : +(100 - 100 / x).toFixed(4) + " %") },
    y: { range: (u, low, high) => [0, high * 1.05] },
    lines: () => data.percentiles.map((one, index) => ({
      label: names[index], x: one.x, values: one.y, stroke: colorOf(index), dash: dashOf(index), targets: [names[index]],
    })).filter(line => line.x.length).concat(data.percentiles.every(one => !one.x.length) ? [{ label: "", x: [1], values: [null] }] : []),
  });
  chart(latency, {
    title: "Latency over time", wide: true, time: true, height: 280,
    caption: "Median (line) to 99th percentile (upper edge of the band) of each stretch; dots: how long collections stopped the target.",
    xLabel: "time from the start of the run", yLabel: "ms", unit: "ms", xAxis: { values: (u, ticks) => ticks.map(seconds) },
    y: { range: (u, low, high) => [0, high * 1.05] },
    bands: lines => lines.map((line, i) => line.band ? { series: [i + 1, i], fill: line.band } : null).filter(Boolean),
    lines: () => {
      const lines = [];
      data.series.forEach((series, index) => {
        lines.push(lineOf(index, series.p50, { label: names[index] + " p50" }));
        lines.push(lineOf(index, series.p99, { label: names[index] + " p99", width: 0.8, band: colorOf(index) + "33" }));
      });
      data.series.forEach((series, index) => lines.push(lineOf(index, series.pause,
        { label: names[index] + " GC pause", width: 0, points: { show: true, size: 4, fill: colorOf(index) } })));
      return lines;
    },
  });

  // ---- load and cost ----------------------------------------------------------------------------------------------

  const TIME = { time: true, xLabel: "time from the start of the run", xAxis: { values: (u, ticks) => ticks.map(seconds) },
    y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } };
  const load = el("div", { class: "plots" });
  section("load", "Load", load);
  chart(load, Object.assign({ title: "Requests per second", caption: "Completed requests.", yLabel: "1/s", unit: "/s",
    lines: linesOf("rate") }, TIME));
  chart(load, Object.assign({ title: "Errors per second", caption: "Requests without a good answer.", yLabel: "1/s", unit: "/s",
    lines: linesOf("errors") }, TIME));

  const cost = el("div", { class: "plots" });
  section("cpu", "CPU per request", cost);
  data.series.forEach((series, index) => {
    chart(cost, Object.assign({
      title: "CPU per request: " + names[index], yLabel: "us", unit: "us",
      caption: "Stacked: collector (bottom), JIT compiler, application.",
      missing: "The threads of this target are not known apart.",
      bands: () => [{ series: [3, 2], fill: color("app") + "55" }, { series: [2, 1], fill: color("jit") + "55" }],
      lines: () => {
        const sum = (...keys) => series.t.map((t, i) => keys.some(key => series[key][i] === null) ? null
          : keys.reduce((total, key) => total + series[key][i], 0));
        const of = (label, name, values) => lineOf(index, values, { label, stroke: color(name), dash: [] });
        return [
          Object.assign(of("GC", "gc", sum("gcCpu")), { fill: color("gc") + "55" }),
          of("GC + JIT", "jit", sum("gcCpu", "jitCpu")),
          of("GC + JIT + application", "app", sum("gcCpu", "jitCpu", "appCpu")),
        ];
      },
    }, TIME));
  });
  if (names.length > 1) {
    let width = 10;
    const baseline = names.indexOf(run.plan.baseline);
    const ratio = chart(cost, Object.assign({}, TIME, {
      title: "CPU per request against " + run.plan.baseline, wide: true, yLabel: "ratio",
      controls: chooser("Seconds of load in each mean", [1, 10, 30, 60], width, chosen => { width = chosen; draw(ratio); }),
      caption: "Without the JIT's, means over seconds of load of the same launch. Shaded: warm-up. The dotted line is 1.",
      y: { range: (u, low, high) => [Math.max(0, Math.min(low, 1) * 0.95), Math.min(Math.max(high, 1) * 1.05, 10)] },
      lines: () => {
        const smooth = data.series.map(series => moving(series, series.steadyCpuTotal, series.completed, width));
        const lines = [];
        data.series.forEach((series, index) => {
          if (index === baseline) {
            return;
          }
          const other = data.series[baseline];
          const place = new Map();
          const key = (from, i, at) => from.launch[i] + ":" + from.warm[i] + ":" + at;
          let load = 0;
          other.t.forEach((t, i) => {
            load = i > 0 && (other.launch[i] !== other.launch[i - 1] || other.warm[i] !== other.warm[i - 1]) ? 0 : load;
            load += other.d[i] || 0;
            place.set(key(other, i, Math.round(load / data.width)), i);
          });
          load = 0;
          const values = series.t.map((t, i) => {
            load = i > 0 && (series.launch[i] !== series.launch[i - 1] || series.warm[i] !== series.warm[i - 1]) ? 0 : load;
            load += series.d[i] || 0;
            const at = place.get(key(series, i, Math.round(load / data.width)));
            return at === undefined || smooth[baseline][at] === null || smooth[index][i] === null ? null
              : smooth[index][i] / smooth[baseline][at];
          });
          lines.push(lineOf(index, values));
        });
        const whole = data.series[0].t;
        lines.push({ label: "1", x: [whole[0], whole[whole.length - 1]], values: [1, 1], stroke: color("soft"), dash: [2, 3], width: 1 });
        return lines;
      },
    }));
  }

  // ---- collector and memory ---------------------------------------------------------------------------------------

  const memory = el("div", { class: "plots" });
  section("memory", "Garbage collection and memory", memory);
  let window = 60;
  const cycles = chart(memory, Object.assign({
    title: "Collections", yLabel: "per second of load", wide: true,
    controls: chooser("Seconds of load in each mean", [1, 10, 60, 300], window, chosen => { window = chosen; draw(cycles); }),
    caption: "Moving average of garbage collection cycles.",
    lines: () => data.series.map((series, index) => lineOf(index, moving(series, series.cycles, series.d, window))),
  }, TIME));
  const MIB = 1 << 20;
  chart(memory, Object.assign({ title: "Old generation", caption: "In use at the end of each stretch.", yLabel: "MiB", unit: "MiB",
    lines: linesOf("oldGen", MIB) }, TIME));
  chart(memory, Object.assign({ title: "Resident memory", caption: "Of the process.", yLabel: "MiB", unit: "MiB",
    lines: linesOf("rss", MIB) }, TIME));
  chart(memory, Object.assign({
    title: "Memory of the control group", yLabel: "MiB", unit: "MiB", caption: "Page cache included; the dotted line is the cap.",
    lines: () => {
      const lines = linesOf("memory", MIB)();
      const caps = new Set(run.targets.map(target => target.memoryLimitBytes).filter(Boolean));
      for (const cap of caps) {
        const whole = data.series.find(series => series.t.length).t;
        lines.push({ label: "cap", x: [whole[0], whole[whole.length - 1]], values: [cap / MIB, cap / MIB], stroke: color("bad"), dash: [2, 3] });
      }
      return lines;
    },
  }, TIME));
  chart(memory, Object.assign({ title: "Allocation per request", caption: "On the Java heap.", yLabel: "KiB", unit: "KiB",
    lines: linesOf("allocated", 1024) }, TIME));

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
    }
    part.append(el("p", { class: "soft" }, "Bodies are not kept: answers hold people's data."));
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
      part.append(el("p", {}, "Flame graphs beside this file: ", data.flameGraphs.map((file, i) =>
        [i ? ", " : "", el("a", { href: encodeURIComponent(file) }, file)]).flat()));
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

  // ---- controls ---------------------------------------------------------------------------------------------------

  const controls = document.getElementById("controls");
  const button = (text, label, onclick) => el("button", { type: "button", "aria-label": label, onclick }, text);
  controls.append(
    el("fieldset", {}, el("legend", {}, "Targets"), names.map((name, index) => {
      const box = el("input", { type: "checkbox", checked: "", onchange: () => {
        box.checked ? hidden.delete(name) : hidden.add(name);
        charts.forEach(made => made.lines.forEach((line, i) => {
          if (line.targets) {
            made.plot.setSeries(i + 1, { show: !line.targets.every(target => hidden.has(target)) });
          }
        }));
      } });
      const swatch = el("i", { class: "swatch" });
      swatch.style.background = colorOf(index);
      return el("label", {}, box, swatch, name);
    })),
    el("fieldset", {}, el("legend", {}, "Time"), button("−", "Zoom out", () => zoomBy(2)), button("+", "Zoom in", () => zoomBy(0.5)),
      button("‹", "Earlier", () => panBy(-0.25)), button("›", "Later", () => panBy(0.25)), button("All", "Show all of the run", () => zoomTo(data.range)),
      data.stretches.length > 1 ? data.stretches.map((range, i) => button(String(i + 1), "Show launch " + (i + 1), () => zoomTo(range))) : ""));

  redraw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw());
  let resizing = 0;
  let widthBefore = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== widthBefore) {
      widthBefore = innerWidth;
      clearTimeout(resizing);
      resizing = setTimeout(() => redraw(), 150);
    }
  });
  addEventListener("beforeprint", () => redraw(330));
  addEventListener("afterprint", () => redraw());
  requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.ready = "true"; }));
})();
