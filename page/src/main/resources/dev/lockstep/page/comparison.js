// Draws runs beside each other, or over time, from the data in the page.
"use strict";
(() => {
  const { TONES, distrust, el, section, color, colorOf, table, digits, axis, upright, download, drawing, keys, ready } = plots;
  const data = JSON.parse(document.getElementById("data").textContent);
  const result = data.result;
  const charts = [];
  /** What the plots of ratios show at most. */
  const LEAST_RATIO = 0.5;
  const MOST_RATIO = 2;
  const DAY = 86400;
  /** Returns the day of a time in UTC, and the time of the day where others are less than a day apart. */
  const dayOf = (seconds, apart) => new Date(seconds * 1000).toISOString().slice(5, apart < DAY ? 16 : 10).replace("T", " ");

  // ---- charts -----------------------------------------------------------------------------------------------------

  /** A plot: of `options()` come uPlot's options without the size, of `columns` its data. */
  function chart(parent, spec) {
    const box = el("div", {});
    const said = el("p", { class: "soft", "aria-live": "polite" }, spec.hint || "");
    parent.append(el("figure", { class: spec.wide ? "wide" : "" },
      el("header", {}, el("h3", {}, spec.title), el("div", { class: "screen" },
        el("button", { type: "button", onclick: () => download(made, "png", spec.rows), "aria-label": "Save as PNG: " + spec.title }, "PNG"),
        el("button", { type: "button", onclick: () => download(made, "csv", spec.rows), "aria-label": "Save as CSV: " + spec.title }, "CSV"))),
      el("figcaption", {}, spec.caption), box, said));
    const made = { spec, box, said, plot: null };
    charts.push(made);
    keys(made);
  }

  function draw(made, width) {
    if (made.plot) {
      made.plot.destroy();
    }
    const options = made.spec.options(text => { made.said.textContent = text || made.spec.hint || ""; });
    options.width = width || Math.max(240, made.box.clientWidth);
    options.height = made.spec.height || 260;
    made.plot = new uPlot(options, made.spec.columns, made.box);
    made.plot.ctx.canvas.setAttribute("role", "img");
    made.plot.ctx.canvas.setAttribute("aria-label", made.spec.title + ". " + made.spec.caption);
  }

  // ---- head -------------------------------------------------------------------------------------------------------

  const isHistory = result.groups !== undefined;
  document.title = "Lockstep: " + document.getElementById("title").textContent.toLowerCase();
  document.getElementById("subtitle").textContent = isHistory
    ? result.folder + " · " + result.groups.reduce((sum, group) => sum + group.runs.length, 0) + " runs"
    : result.runs.map((run, i) => i + 1 + ": " + run.directory + " (" + data.text.began[i] + ")").join(" · ");
  const outcome = data.text.outcome;
  const badge = (tone, text) => el("span", { class: "badge " + tone }, text);
  const status = document.getElementById("status");
  status.append(badge(TONES[outcome.tone], outcome.text));
  // Also where what decides is right all the same, as CPU is in a run that was late.
  const shownRuns = isHistory ? result.groups[0].runs.slice(-1) : result.runs;
  shownRuns.forEach((run, i) => {
    if (run.status !== "VALID") {
      status.append(" ", badge("bad", (isHistory ? "NEWEST RUN" : "RUN " + (i + 1)) + ": " + run.status));
    }
    for (const name of run.died || []) {
      status.append(" ", badge("bad", (isHistory ? "NEWEST RUN" : "RUN " + (i + 1)) + ": " + name + " DIED"));
    }
  });
  document.getElementById("made").textContent = "Made by Lockstep from the files of the run directories; docs/trend.md has the rules.";

  const answer = section("answer", "The answer");
  if (data.text.banner.length) {
    answer.append(el("ul", { class: "answers" }, data.text.banner.map(text => el("li", { class: "bad" }, el("span", {}, text)))));
  }
  answer.append(el("ul", { class: "answers" }, data.text.answers.map(one =>
    el("li", { class: TONES[one.tone] || "soft" }, el("span", {}, one.text)))));

  // ---- a few runs -------------------------------------------------------------------------------------------------

  function compareRuns() {
    if (data.text.differences.length) {
      answer.append(el("h3", {}, "What differs"),
        el("ul", { class: "notes" }, data.text.differences.map(text => el("li", {}, text))));
    }
    const drawn = el("div", { class: "plots" });
    section("ratios", "Ratios to run 1", drawn);
    for (const run of result.runs.slice(1)) {
      const targets = [...new Set(result.verdicts.filter(one => one.run === run.directory).map(one => one.target))];
      targets.forEach((target, index) => ratios(drawn, run, target, index));
    }
    const verdicts = table("Every metric of every target, against run 1",
      ["run", "target", "metric", "ratio", "interval", "finding"], data.text.verdicts, 6);
    const invalid = result.verdicts.map(one => Boolean(one.invalid));
    distrust(verdicts, data.text.distrust, invalid.every(Boolean));
    verdicts.querySelectorAll("tbody tr").forEach((row, i) => row.classList.toggle("spoilt", invalid[i]));
    section("verdicts", "Verdicts", verdicts);
    const heads = ["what", ...result.runs.map((run, i) => "run " + (i + 1))];
    const facts = list => list.map(fact => [(fact.differs ? "≠ " : "") + fact.name, ...fact.values]);
    const were = section("were", "What the runs were");
    were.append(table("Runs", heads, [["directory", ...result.runs.map(run => run.directory)],
      ["began", ...data.text.began], ["status", ...result.runs.map(run => run.status + (run.died || []).map(name => ", " + name + " DIED").join(""))],
      ["launches", ...result.runs.map(run => String(run.launches))]], 9));
    for (const target of result.targets) {
      were.append(table("Target " + target.target + (target.same ? ": the same in all runs" : ""), heads, facts(target.facts), 9));
    }
    if (result.plans) {
      were.append(table("Plans, where they differ", heads, facts(result.plans), 9));
    }
    were.append(table("Machines", heads, facts(result.machines), 9));
    if (result.captures) {
      were.append(table("Captures", heads, facts(result.captures), 9));
    }
    were.append(el("p", { class: "soft" }, "≠ marks what differs."));
  }

  /** Marks, at the edge of a plot, where a dot would be that does not fit, and says its value. */
  function arrow(u, x, ratio, stroke) {
    const ctx = u.ctx;
    const unit = devicePixelRatio;
    const up = ratio > 1;
    const tip = up ? u.bbox.top + unit : u.bbox.top + u.bbox.height - unit;
    const down = up ? unit : -unit;
    ctx.save();
    ctx.fillStyle = stroke;
    ctx.beginPath();
    ctx.moveTo(x, tip);
    ctx.lineTo(x - 6 * unit, tip + 10 * down);
    ctx.lineTo(x + 6 * unit, tip + 10 * down);
    ctx.fill();
    ctx.font = "bold " + 12 * unit + "px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    const last = x > u.bbox.left + u.bbox.width - 60 * unit;
    ctx.textAlign = last ? "right" : "left";
    ctx.fillText(digits(ratio), x + (last ? -9 : 9) * unit, tip + 6 * down);
    ctx.restore();
  }

  function ratios(parent, run, target, index) {
    const all = result.verdicts.filter(one => one.run === run.directory && one.target === target && one.ratio !== undefined);
    const number = result.runs.indexOf(run) + 1;
    const dead = [result.runs[0], run].filter(one => (one.died || []).includes(target)).map(one => result.runs.indexOf(one) + 1);
    const died = dead.length ? target + " died in run " + dead.join(" and in run ") : "";
    if (!all.length) {
      if (died) {
        parent.append(el("p", { class: "soft" }, "No plot of " + target + ", run " + number + " over run 1: " + died + "."));
      }
      return;
    }
    const lacking = result.verdicts.some(one => one.run === run.directory && one.target === target && one.ratio === undefined && one.count === undefined);
    const places = all.map((one, i) => i);
    const low = all.map(one => one.interval ? one.interval.low : null);
    const high = all.map(one => one.interval ? one.interval.high : null);
    const control = all.map(one => one.control).find(Boolean);
    const beyond = ratio => ratio < LEAST_RATIO || ratio > MOST_RATIO;
    chart(parent, {
      title: target + ", run " + number + " over run 1", wide: all.length > 6, height: 300,
      caption: "A dot for each metric, with the interval that decides, as far as it fits from 0.5 to 2; the shaded band is the margin."
        + (all.some(one => beyond(one.ratio)) ? " An arrow with a figure: a ratio beyond the plot." : "")
        + (died && lacking ? " Metrics without a dot are left out: " + died + "." : "")
        + (control ? " Against " + control + ", which takes out the day." : ""),
      hint: "Point at a dot for its figures.",
      columns: [places, all.map(one => one.ratio), low, high],
      rows: () => [["metric", "ratio", "low", "high", "finding"],
        ...all.map((one, i) => [one.metric, one.ratio, low[i], high[i], one.verdict])],
      options: say => ({
        scales: { x: { time: false, range: [-0.5, all.length - 0.5] }, y: { range: (u, from, to) => {
          const least = Math.min(from, 1 / (1 + result.margin));
          const most = Math.max(to, 1 + result.margin);
          const room = (most - least) * 0.1;
          return [Math.max(LEAST_RATIO, least - room), Math.min(most + room, MOST_RATIO)];
        } } },
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        axes: [axis({ size: 60, rotate: -30, splits: () => places, values: (u, ticks) => ticks.map(i => data.columns[all[i].metric].heading) }),
          axis({ label: "ratio", size: upright, values: (u, ticks) => ticks.map(tick => tick.toFixed(2)) })],
        series: [{}, { label: "ratio", stroke: colorOf(index), width: 0, paths: () => null, points: { show: true, size: 9, fill: colorOf(index) } },
          { label: "low", show: true, paths: () => null, points: { show: false } }, { label: "high", paths: () => null, points: { show: false } }],
        hooks: {
          drawClear: [u => {
            const top = u.valToPos(1 + result.margin, "y", true);
            u.ctx.fillStyle = color("shade");
            u.ctx.fillRect(u.bbox.left, top, u.bbox.width, u.valToPos(1 / (1 + result.margin), "y", true) - top);
          }],
          draw: [u => {
            const ctx = u.ctx;
            ctx.save();
            ctx.beginPath();
            ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
            ctx.clip();
            ctx.strokeStyle = colorOf(index);
            ctx.lineWidth = 2 * devicePixelRatio;
            places.filter(i => low[i] !== null).forEach(i => {
              const x = u.valToPos(i, "x", true);
              ctx.beginPath();
              ctx.moveTo(x, u.valToPos(low[i], "y", true));
              ctx.lineTo(x, u.valToPos(high[i], "y", true));
              ctx.stroke();
            });
            ctx.restore();
            places.filter(i => beyond(all[i].ratio)).forEach(i => arrow(u, u.valToPos(i, "x", true), all[i].ratio, colorOf(index)));
          }],
          setCursor: [u => {
            const one = all[u.cursor.idx];
            say(one && data.columns[one.metric].label + ": " + one.ratio.toFixed(3)
              + (one.interval ? ", " + one.interval.low.toFixed(3) + " to " + one.interval.high.toFixed(3) : ", no interval") + ": " + one.verdict);
          }],
        },
      }),
    });
  }

  // ---- many runs --------------------------------------------------------------------------------------------------

  function showHistory() {
    result.groups.forEach((group, g) => {
      const text = data.text.groups[g];
      const part = section("group" + g, text.title);
      part.append(table("The newest value of each metric, its last change, its drift since then and its newest runs. " + data.text.legend + ".",
        ["target", ...data.text.headings], text.rows, 2));
      if (text.leftOut.length) {
        part.append(el("h3", {}, "Left out"), el("ul", { class: "notes" }, text.leftOut.map(one => el("li", {}, one.replace(/^Left out: /, "")))));
      }
      const drawn = el("div", { class: "plots" });
      part.append(drawn);
      const targets = [...new Set(group.series.map(series => series.target))];
      group.series.forEach((series, s) => over(drawn, group, series, targets.indexOf(series.target), text, text.changes[s]));
      const changes = text.changes.flat();
      part.append(el("h3", {}, "Changes"), changes.length
        ? el("ul", { class: "notes" }, changes.map(one => el("li", {}, one))) : el("p", { class: "soft" }, "None was found."));
      part.append(el("details", {}, el("summary", {}, "The runs"), table("In the order of their start", ["run", "began", "status", "launches", "machine"],
        group.runs.map((run, i) => [run.directory + (i === group.runs.length - 1 ? " (the newest)" : ""), text.began[i], run.status, String(run.launches), run.machine]), 5)));
    });
    if (data.text.notes.length) {
      section("notes", "Notes", el("ul", { class: "notes" }, data.text.notes.map(text => el("li", {}, text))));
    }
    if (result.skipped.length) {
      section("skipped", "Skipped", table("Folders that hold no finished run", ["folder", "why"],
        result.skipped.map(one => [one.directory, one.why]), 2));
    }
  }

  function over(parent, group, series, index, text, changes) {
    const column = data.columns[series.metric];
    const points = series.points;
    const unit = column.unit;
    const scaled = value => value === null || value === undefined ? null : value / column.size;
    const x = points.map(point => Date.parse(group.runs[point.run].startedAt) / 1000);
    const used = points.map(point => point.leftOut === undefined ? scaled(point.value) : null);
    const out = points.map(point => point.leftOut === undefined ? null : scaled(point.value));
    const low = points.map(point => point.interval && point.leftOut === undefined ? scaled(point.interval.low) : null);
    const high = points.map(point => point.interval && point.leftOut === undefined ? scaled(point.interval.high) : null);
    const newest = points.length && points[points.length - 1].run === group.runs.length - 1;
    chart(parent, {
      title: series.target + ": " + column.label, wide: series.primary,
      caption: "A dot for each run, by when it began (UTC), with the 95 % interval over its launches if it has several"
        + (series.changes.length ? "; vertical lines: changes" : "; no change was found") + (out.some(value => value !== null)
          ? "; empty dots are left out" : "") + (newest ? "; ringed: the newest run." : ". The newest run has no such value."),
      hint: "Point at a dot for its run.",
      columns: [x, used, low, high, out],
      rows: () => [["run", "began", "value" + (unit ? " " + unit : ""), "low", "high", "launches", "fingerprint", "left out"],
        ...points.map((point, i) => [group.runs[point.run].directory, group.runs[point.run].startedAt, scaled(point.value), low[i], high[i],
          point.launches, point.fingerprint, point.leftOut])],
      options: say => ({
        scales: { x: { time: true }, y: { range: (u, from, to) => {
          const room = Math.max((to - from) * 0.1, Math.abs(to) * 0.02) || 1;
          return [Math.max(0, from - room), to + room];
        } } },
        legend: { show: false },
        cursor: { y: false, drag: { x: true, y: false }, sync: { key: "history", setSeries: false } },
        bands: [{ series: [3, 2], fill: colorOf(index) + "33" }],
        // Ticks are where days begin by this clock, and named by the same.
        tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
        axes: [axis({ size: 40, space: 90, values: (u, ticks, at, space, apart) => ticks.map(tick => dayOf(tick, apart)) }),
          axis({ label: unit, size: upright, values: (u, ticks) => ticks.map(tick => digits(tick)) })],
        series: [{}, { label: column.label, stroke: colorOf(index), width: 1.2, points: { show: true, size: 7, fill: colorOf(index) }, spanGaps: true },
          { label: "low", stroke: colorOf(index) + "66", width: 0.5, points: { show: false }, spanGaps: true },
          { label: "high", stroke: colorOf(index) + "66", width: 0.5, points: { show: false }, spanGaps: true },
          { label: "left out", stroke: color("soft"), width: 0, paths: () => null, points: { show: true, size: 7, fill: color("panel") } }],
        hooks: {
          draw: [u => {
            const ctx = u.ctx;
            ctx.save();
            ctx.lineWidth = 2 * devicePixelRatio;
            if (newest) {
              const last = points.length - 1;
              ctx.strokeStyle = color("ink");
              ctx.beginPath();
              ctx.arc(u.valToPos(x[last], "x", true), u.valToPos(scaled(points[last].value), "y", true), 8 * devicePixelRatio, 0, 2 * Math.PI);
              ctx.stroke();
            }
            ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
            for (const change of series.changes) {
              const before = Date.parse(group.runs[change.after].startedAt) / 1000;
              const after = Date.parse(group.runs[change.run].startedAt) / 1000;
              const at = u.valToPos((before + after) / 2, "x", true);
              if (at >= u.bbox.left && at <= u.bbox.left + u.bbox.width) {
                ctx.strokeStyle = color(change.better ? "good" : "bad");
                ctx.fillStyle = ctx.strokeStyle;
                ctx.font = 12 * devicePixelRatio + "px system-ui, sans-serif";
                ctx.beginPath();
                ctx.moveTo(at, u.bbox.top);
                ctx.lineTo(at, u.bbox.top + u.bbox.height);
                ctx.stroke();
                ctx.textAlign = "left";
                ctx.fillText((change.ratio > 1 ? "+" : "") + (100 * (change.ratio - 1)).toFixed(1) + " %",
                  at + 4 * devicePixelRatio, u.bbox.top + 12 * devicePixelRatio);
              }
            }
            ctx.restore();
          }],
          setCursor: [u => {
            const i = u.cursor.idx;
            const point = i === null || i === undefined || u.cursor.left < 0 ? null : points[i];
            if (!point) {
              say("");
              return;
            }
            const run = group.runs[point.run];
            const change = series.changes.findIndex(one => one.run === point.run);
            say(run.directory + ", " + text.began[point.run] + ": " + digits(scaled(point.value), unit)
              + (low[i] === null ? "" : " (" + digits(low[i]) + " to " + digits(high[i]) + ")")
              + ", " + point.launches + (point.launches === 1 ? " launch" : " launches") + "; " + point.fingerprint
              + (point.leftOut === undefined ? "" : "; left out: " + point.leftOut) + (change < 0 ? "" : "; CHANGE " + changes[change]));
          }],
        },
      }),
    });
  }

  if (isHistory) {
    showHistory();
  } else {
    compareRuns();
  }
  document.getElementById("controls").remove();

  drawing(width => charts.forEach(made => draw(made, width)));
  ready();
})();
