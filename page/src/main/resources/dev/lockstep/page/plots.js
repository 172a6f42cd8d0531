// What the report of a run and its live page draw with: elements, numbers, tables and plots. Every text is set as text, never
// as markup: names come from strangers.
"use strict";
const plots = (() => {
  const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [1, 2]];
  const TONES = { GOOD: "good", BAD: "bad", DOUBT: "doubt" };
  const MISSING = "-";
  const MIB = 1 << 20;
  const charts = [];
  const hidden = new Set();
  const followers = [];
  const main = document.getElementById("main");
  /**
   * What is drawn: the targets' names, the baseline, the memory caps, for each target its columns over time (series), and where
   * warm-ups, launches (stretches, with their numbers), deaths of targets and the whole (range) lie in time. A page that grows has
   * `missing`, what stands in place of a plot that has no value yet.
   */
  let view = null;

  // ---- elements ---------------------------------------------------------------------------------------------------

  /** Returns text of others without what would turn its direction, or is no character at all. */
  const plain = text => typeof text !== "string" ? text
    : text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");

  function el(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "class") {
        made.className = value;
      } else if (key.startsWith("on")) {
        made.addEventListener(key.slice(2), value);
      } else if (value !== undefined) {
        made.setAttribute(key, plain(value));
      }
    }
    made.append(...children.flat().filter(child => child !== undefined && child !== null).map(plain));
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
  // The seventh has the colour of the first, so its dashes are others.
  const dashOf = index => DASHES[(index + Math.floor(index / 6)) % DASHES.length];

  /** Returns the background of what stands for a target: its line, with its dashes. */
  function groundOf(index) {
    const ink = "var(--t" + index % 6 + ")";
    let at = 0;
    const parts = dashOf(index).map((length, i) => (i % 2 ? "transparent " : ink + " ") + at + "px " + (at += length) + "px");
    return parts.length ? "repeating-linear-gradient(90deg, " + parts.join(", ") + ")" : ink;
  }

  function table(caption, headings, rows, textColumns = 1) {
    return scrolled(caption,
      el("thead", {}, el("tr", {}, headings.map((text, i) => el("th", { scope: "col", class: i < textColumns ? "text" : "" }, text)))),
      el("tbody", {}, rows.map(cells => el("tr", {}, cells.map((cell, i) =>
        i === 0 ? el("th", { scope: "row", class: "text" }, cell) : el("td", { class: i < textColumns ? "text" : "" }, cell))))));
  }

  /** A table that scrolls where the page has no room for it, and says so then; a keyboard scrolls it too. */
  function scrolled(caption, ...parts) {
    const made = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", {}, el("caption", {}, el("span", {}, caption), el("span", { class: "more" }, "Scroll sideways for more columns →")), parts));
    widths.observe(made);
    return made;
  }

  // Not at once: what says so changes the height, which the observer would take for a loop.
  const widths = new ResizeObserver(changes => requestAnimationFrame(() => changes.forEach(({ target }) => isCut(target))));

  /** Marks a table of which a part is out of sight. */
  function isCut(made) {
    made.classList.toggle("cut", made.scrollWidth > made.clientWidth + 1);
  }

  /** Says at a table itself why its figures are not to be trusted, and strikes them through; nothing without a warning. */
  function distrust(made, warning, spoilt) {
    if (warning) {
      made.querySelector("caption").append(el("strong", { class: spoilt ? "remark bad" : "remark" }, warning));
      made.classList.toggle("spoilt", spoilt);
    }
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

  /** A round number at an axis. */
  function tick(value) {
    return value === null ? "" : Math.abs(value) >= 1000 ? digits(value) : String(+value.toPrecision(4));
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
  /** The first and the last time that the plots show when all is shown. */
  let drawn = [0, 0];

  /**
   * A plot, drawn later. Its lines are asked for anew each time it is drawn; `targets` tells which targets a line is of, and
   * a line with `mark` is no value of any.
   */
  function chart(parent, spec) {
    const box = el("div", {});
    const tools = el("div", { class: "screen" },
      spec.controls,
      el("button", { type: "button", onclick: () => save(made, "png"), "aria-label": "Save as PNG: " + spec.title }, "PNG"),
      el("button", { type: "button", onclick: () => save(made, "csv"), "aria-label": "Save as CSV: " + spec.title }, "CSV"));
    const nothing = view.missing || spec.missing || "Not measured in this run.";
    const missing = el("p", { class: "soft" }, nothing);
    if (spec.time) {
      spec.caption += (view.deaths || []).map(death => " " + death.target + " died at " + seconds(death.at) + " of the run's load.").join("");
    }
    const said = spec.hover ? el("p", { class: "soft", "aria-live": "polite" }, spec.hint) : null;
    parent.append(el("figure", { class: spec.wide ? "wide" : "" },
      el("header", {}, el("h3", {}, spec.title), tools), el("figcaption", {}, spec.caption), box, said, missing));
    // Drawn when all figures stand, for only then each has its width.
    const made = { spec, box, tools, nothing, missing, said, plot: null };
    charts.push(made);
    keys(made);
    return made;
  }

  /** Has the arrow keys do what a pointer does: go from point to point of a plot, ten at a time with Shift. */
  function keys(made) {
    made.box.tabIndex = 0;
    made.box.setAttribute("role", "group");
    made.box.setAttribute("aria-label", plain(made.spec.title + ": arrow keys go from point to point"));
    made.box.addEventListener("keydown", event => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const u = made.plot;
      if (step && u && u.data[0].length) {
        event.preventDefault();
        const [first, last] = u.series[0].idxs || [0, u.data[0].length - 1];
        const from = u.cursor.idx === null || u.cursor.idx === undefined ? (step > 0 ? first - 1 : last + 1) : u.cursor.idx;
        const to = Math.max(first, Math.min(last, from + step * (event.shiftKey ? 10 : 1)));
        const at = u.valToPos(u.data[0][to], "x");
        u.setCursor(made.spec.sideways ? { left: Math.max(u.cursor.left, 0), top: at } : { left: at, top: Math.max(u.cursor.top, 0) });
      }
    });
  }

  /** Draws a plot anew, or says that there is nothing to draw. */
  function draw(made, width, height) {
    const lines = made.spec.lines();
    const known = line => !line.mark && line.values.some(value => value !== null && value !== undefined);
    const empty = !lines.some(known);
    // In a page that grows, what is not known yet may come.
    const absent = view.missing ? [] : view.names.filter(name => {
      const own = lines.filter(line => line.targets && line.targets.includes(name) && !line.mark);
      return own.length && !own.some(known);
    });
    made.missing.textContent = empty ? made.nothing : "Not measured: " + plain(absent.join(", ")) + ".";
    made.missing.hidden = !empty && !absent.length;
    made.tools.hidden = empty;
    made.box.hidden = empty;
    if (made.said) {
      made.said.hidden = empty;
    }
    if (!empty) {
      plot(made, lines, width, height);
    }
  }

  /** How wide an upright axis is without its label: as the longest of its figures asks for. */
  function upright(u, values) {
    return Math.max(52, 18 + 7.5 * Math.max(0, ...(values || []).map(text => text === null ? 0 : String(text).length)));
  }

  function axis(extra) {
    return Object.assign({
      stroke: color("soft"), grid: { stroke: color("grid"), width: 1 }, ticks: { stroke: color("grid"), width: 1 },
      font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 18, size: 52,
    }, extra);
  }

  function plot(made, lines, width, height) {
    const spec = made.spec;
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
      width: width || Math.max(240, made.box.clientWidth), height: Math.min(height || Infinity, spec.height || 240),
      cursor: { drag: { x: !spec.sideways, y: false, setScale: true }, sync: spec.time ? { key: "time", setSeries: false } : undefined },
      scales: { x: Object.assign({ time: false }, spec.x), y: Object.assign({}, spec.y) },
      axes: [
        axis(Object.assign({ label: spec.xLabel, size: 34 }, spec.xAxis)),
        axis(Object.assign({ label: spec.yLabel, size: upright, values: (u, ticks) => ticks.map(tick) }, spec.yAxis)),
      ],
      series: [{ label: spec.xName || "time", value: (u, x) => x === null || x === undefined ? MISSING : (spec.xValue || seconds)(x) }]
        .concat(lines.map(line => ({
          label: line.label, stroke: line.stroke, dash: line.dash, width: line.width === undefined ? 1.6 : line.width, fill: line.fill,
          points: line.points || (line.paths ? { show: false } : { show: false, size: 5, fill: line.stroke, filter: isolated }),
          paths: line.paths, spanGaps: false,
          show: !line.targets || !line.targets.every(target => hidden.has(target)),
          value: (u, value) => digits(value, spec.unit),
        }))),
      legend: { show: spec.legend !== false },
      bands: spec.bands ? spec.bands(lines)
        // From a line down to the one before it.
        : lines.map((line, i) => line.band ? { series: [i + 1, i], fill: line.band } : null).filter(Boolean),
      hooks: {
        setScale: [(u, key) => {
          if (spec.time && key === "x") {
            const { min, max } = u.scales.x;
            timed().filter(other => other !== made && (other.plot.scales.x.min !== min || other.plot.scales.x.max !== max))
              .forEach(other => other.plot.setScale("x", { min, max }));
          }
        }],
        drawClear: spec.time ? [shade] : [],
        draw: [spec.draw, spec.time && deaths].filter(Boolean),
        setCursor: spec.hover ? [u => { made.said.textContent = u.cursor.left >= 0 && spec.hover(u) || spec.hint; }] : [],
      },
    };
    made.lines = lines;
    made.plot = new uPlot(options, joined, made.box);
    made.plot.ctx.canvas.setAttribute("role", "img");
    made.plot.ctx.canvas.setAttribute("aria-label", plain(spec.title + ". " + spec.caption));
    if (zoom && Number.isFinite(zoom.min)) {
      made.plot.setScale("x", zoom);
    }
  }

  /** Which values of a line stand alone: from one to the next there is no line, so that each is drawn as a dot. */
  function isolated(u, line) {
    const found = [];
    let before = null;
    let alone = -1;
    u.data[line].forEach((value, i) => {
      // What another line has a place for is no gap.
      if (value !== undefined) {
        if (value === null && alone >= 0) {
          found.push(alone);
        }
        alone = value !== null && before === null ? i : -1;
        before = value;
      }
    });
    if (alone >= 0) {
      found.push(alone);
    }
    return found.length ? found : null;
  }

  /** Warm-up stands on a shaded ground. */
  function shade(u) {
    const ctx = u.ctx;
    ctx.save();
    ctx.fillStyle = color("shade");
    for (const [from, to] of view.warmUps) {
      const left = Math.max(u.bbox.left, u.valToPos(from, "x", true));
      const right = Math.min(u.bbox.left + u.bbox.width, u.valToPos(to, "x", true));
      if (right > left) {
        ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
      }
    }
    ctx.restore();
  }

  /** A line where a target's life ended, with its name. */
  function deaths(u) {
    const ctx = u.ctx;
    const { left, top, width, height } = u.bbox;
    ctx.save();
    ctx.lineWidth = 2 * devicePixelRatio;
    (view.deaths || []).filter(death => !hidden.has(death.target)).forEach((death, i) => {
      const at = u.valToPos(death.at, "x", true);
      if (at < left || at > left + width) {
        return;
      }
      ctx.strokeStyle = colorOf(view.names.indexOf(death.target));
      ctx.setLineDash([6 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(at, top);
      ctx.lineTo(at, top + height);
      ctx.stroke();
      label(u, plain(death.target) + " died", at, top + (4 + 18 * (i % 4)) * devicePixelRatio);
    });
    ctx.restore();
  }

  /** Text beside a place in a plot, on the side that has room, on a ground of its own. */
  function label(u, text, at, y) {
    const ctx = u.ctx;
    const gap = 5 * devicePixelRatio;
    ctx.textAlign = "left";
    ctx.textBaseline = "top";
    ctx.font = "bold " + 12 * devicePixelRatio + "px system-ui, sans-serif";
    const long = ctx.measureText(text).width;
    const from = at + gap + long > u.bbox.left + u.bbox.width ? at - gap - long : at + gap;
    ctx.fillStyle = color("panel");
    ctx.fillRect(from - 2, y - 2, long + 4, 15 * devicePixelRatio);
    ctx.fillStyle = color("ink");
    ctx.fillText(text, from, y);
  }

  function save(made, kind) {
    download(made, kind, () => {
      const rows = [[made.spec.xName || "seconds", ...made.labels]];
      for (let i = 0; i < made.joined[0].length; i++) {
        rows.push(made.joined.map(column => column[i]));
      }
      return rows;
    });
  }

  /** Has the browser save a plot as a picture, or its rows as CSV. */
  function download(made, kind, rows) {
    if (kind === "png") {
      picture(made.spec.title, made.spec.title + ": " + made.spec.caption, made.plot.ctx.canvas);
    } else {
      csv(made.spec.title, rows());
    }
  }

  function saveAs(title, kind, href) {
    el("a", { download: title.toLowerCase().replace(/[^a-z0-9]+/g, "-") + "." + kind, href }).click();
  }

  /** Has the browser save what is drawn, with a text above it. */
  function picture(title, text, drawn) {
    const canvas = el("canvas", { width: drawn.width });
    const ctx = canvas.getContext("2d");
    const font = "20px system-ui, sans-serif";
    ctx.font = font;
    const lines = [""];
    for (const word of plain(text).split(" ")) {
      const longer = lines[lines.length - 1] + word + " ";
      if (ctx.measureText(longer).width <= canvas.width - 24) {
        lines[lines.length - 1] = longer;
      } else {
        lines.push(word + " ");
      }
    }
    const top = 16 + 28 * lines.length;
    canvas.height = drawn.height + top;
    ctx.fillStyle = color("page");
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.drawImage(drawn, 0, top);
    ctx.fillStyle = color("ink");
    ctx.font = font;
    lines.forEach((line, i) => ctx.fillText(line, 12, 28 + 28 * i));
    saveAs(title, "png", canvas.toDataURL("image/png"));
  }

  /** Has the browser save rows, of which no cell is a formula to a spreadsheet. */
  function csv(title, rows) {
    const cell = value => value === null || value === undefined ? "" : typeof value === "number" ? String(value)
      : '"' + String(value).replace(/^(?=[\t\r]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/, "'").replace(/"/g, '""') + '"';
    saveAs(title, "csv", "data:text/csv;charset=utf-8,"
      + encodeURIComponent(rows.map(row => row.map(cell).join(",")).join("\r\n") + "\r\n"));
  }

  function redraw(width, height) {
    charts.forEach(made => draw(made, width, height));
    followers.forEach(follower => follower(hidden, width, height));
  }

  /**
   * Has something drawn with the plots and when other targets are shown: given the names of those that are not, and on paper the
   * size of a plot.
   */
  function follow(follower) {
    followers.push(follower);
  }

  /** Draws what has come since, in the plots over time; a reader who looks at a part of the time goes on to see that part. */
  function update() {
    const first = timed()[0];
    const follows = first === undefined || first.plot.scales.x.min <= drawn[0] && first.plot.scales.x.max >= drawn[1];
    const zoom = follows ? { min: view.range[0], max: view.range[1] } : { min: first.plot.scales.x.min, max: first.plot.scales.x.max };
    charts.filter(made => made.spec.time).forEach(made => {
      const lines = made.plot ? made.spec.lines() : [];
      if (made.plot && lines.length === made.lines.length) {
        made.lines = lines;
        made.joined = uPlot.join(lines.map(line => [line.x, line.values]), lines.map(() => [0, 2]));
        made.plot.setData(made.joined, false);
      } else {
        draw(made);
      }
      if (made.plot) {
        made.plot.setScale("x", zoom);
      }
    });
    const times = view.series.flatMap(series => series.t.length ? [series.t[0], series.t[series.t.length - 1]] : []);
    drawn = times.length ? [Math.min(...times), Math.max(...times)] : [0, 0];
    showLaunches();
  }

  /** Removes all from an element, its plots too. */
  function clear(parent) {
    charts.filter(made => parent.contains(made.box)).forEach(made => {
      if (made.plot) {
        made.plot.destroy();
      }
      charts.splice(charts.indexOf(made), 1);
    });
    parent.replaceChildren();
  }

  /** The plots over time that are drawn. */
  function timed() {
    return charts.filter(made => made.spec.time && made.plot);
  }

  function zoomBy(factor) {
    const first = timed()[0];
    if (first) {
      const { min, max } = first.plot.scales.x;
      const middle = (min + max) / 2;
      const half = (max - min) * factor / 2;
      first.plot.setScale("x", { min: middle - half, max: middle + half });
    }
  }

  function panBy(share) {
    const first = timed()[0];
    if (first) {
      const { min, max } = first.plot.scales.x;
      first.plot.setScale("x", { min: min + (max - min) * share, max: max + (max - min) * share });
    }
  }

  function zoomTo(range) {
    const first = timed()[0];
    if (first) {
      first.plot.setScale("x", { min: range[0], max: range[1] });
    }
  }

  // ---- series -----------------------------------------------------------------------------------------------------

  function lineOf(index, values, extra) {
    const series = view.series[index];
    return Object.assign({
      label: view.names[index], x: series.t, values, stroke: colorOf(index), dash: dashOf(index), targets: [view.names[index]],
    }, extra);
  }

  /** One line per target; with lowest and highest of a stretch behind it where seconds were drawn together. */
  function linesOf(key, divisor = 1) {
    return () => {
      const lines = [];
      view.series.forEach((series, index) => {
        const scaled = values => values.map(value => value === null ? null : value / divisor);
        if (series[key]) {
          lines.push(lineOf(index, scaled(series[key])));
          if (series[key + "Max"]) {
            lines.push(lineOf(index, scaled(series[key + "Min"]), { label: view.names[index] + " lowest", width: 0.4 }));
            lines.push(lineOf(index, scaled(series[key + "Max"]), { label: view.names[index] + " highest", width: 0.4,
              band: colorOf(index) + "33" }));
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

  /** Whether a launch or a phase begins with a row. */
  const begins = (series, i) => i === 0 || series.launch[i] !== series.launch[i - 1] || series.warm[i] !== series.warm[i - 1];

  /** Returns of each row how many seconds of load its launch and phase had by then. */
  function loads(series) {
    let load = 0;
    return series.t.map((t, i) => {
      load = (begins(series, i) ? 0 : load) + (series.d[i] || 0);
      return load;
    });
  }

  /**
   * Returns for each row that of another target which had as much load in the same launch and phase, to within the length of a
   * stretch, whatever that is; undefined where there is none.
   */
  function beside(series, other) {
    const phase = (of, i) => of.launch[i] + ":" + of.warm[i];
    const rows = new Map();
    other.t.forEach((t, i) => {
      if (begins(other, i)) {
        rows.set(phase(other, i), []);
      }
      if (other.d[i] !== null) {
        rows.get(phase(other, i)).push(i);
      }
    });
    const load = loads(series);
    const others = loads(other);
    let among = [];
    let at = 0;
    return series.t.map((t, i) => {
      if (begins(series, i)) {
        among = rows.get(phase(series, i)) || [];
        at = 0;
      }
      const apart = row => Math.abs(others[row] - load[i]);
      while (at + 1 < among.length && apart(among[at + 1]) <= apart(among[at])) {
        at++;
      }
      return among.length && apart(among[at]) <= Math.max(series.d[i], other.d[among[at]]) ? among[at] : undefined;
    });
  }

  /** Returns when a launch had been under load for so many seconds, or null. */
  function timeOf(series, launch, seconds) {
    let load = 0;
    for (let i = 0; i < series.t.length; i++) {
      if (series.launch[i] === launch && series.d[i] !== null) {
        load += series.d[i];
        if (load >= seconds - 0.5) {
          return series.t[i];
        }
      }
    }
    return null;
  }

  function chooser(label, choices, chosen, changed, text = value => value + " s") {
    const made = el("select", { "aria-label": label, onchange: () => changed(choices[made.selectedIndex]) },
      choices.map(value => el("option", value === chosen ? { value, selected: "" } : { value }, text(value))));
    return made;
  }

  // ---- what a run came to ------------------------------------------------------------------------------------------

  /** What a run came to, in sentences. */
  function answers(parent, text) {
    if (text.status.length) {
      parent.append(el("ul", { class: "answers" }, text.status.map(line => el("li", { class: "bad" }, el("span", {}, line)))));
    }
    parent.append(el("p", { class: "soft" }, text.asked));
    parent.append(el("ul", { class: "answers" }, text.answers.map(one =>
      el("li", { class: TONES[one.tone] || "soft" }, el("span", {}, one.text)))));
    if (text.odd.length) {
      parent.append(el("h3", {}, "What was odd"),
        el("ul", { class: "notes" }, text.odd.slice(0, 5).map(line => el("li", {}, line))),
        text.odd.length > 5 ? el("details", {}, el("summary", {}, text.odd.length - 5 + " more"),
          el("ul", { class: "notes" }, text.odd.slice(5).map(line => el("li", {}, line)))) : "");
    }
  }

  /** The tables of all targets. */
  function figures(parent, text) {
    for (const one of text.tables) {
      const made = table(one.caption, [one.heading, ...one.headings], one.rows.map(row => [row.target, ...row.cells.map((cell, i) =>
        el("span", {}, cell, row.ratios[i] ? el("span", { class: "ratio" }, row.ratios[i]) : ""))]));
      distrust(made, one.warning, one.spoilt);
      // Errors were counted, however late Lockstep was, and what is missing is no figure.
      const errors = one.headings.indexOf("errors");
      made.querySelectorAll("tbody tr").forEach((row, r) => row.querySelectorAll("td").forEach((cell, i) =>
        cell.classList.toggle("true", i === errors || one.rows[r].cells[i] === MISSING)));
      made.querySelector("caption").append(...one.remarks.map(line => el("span", { class: "remark" }, line)));
      parent.append(made);
    }
    parent.append(el("p", { class: "soft" }, (view.names.length > 1 ? "Below a figure: its ratio to that of " + view.baseline + ". " : "")
      + "\"" + MISSING + "\" stands for what was not measured, or not often enough."));
  }

  /** Draws a line of one value over the whole width, also where there is one point. */
  function across(u, line) {
    const y = u.valToPos(u.data[line].find(value => typeof value === "number"), "y", true);
    const stroke = new Path2D();
    stroke.moveTo(u.bbox.left, y);
    stroke.lineTo(u.bbox.left + u.bbox.width, y);
    return { stroke };
  }

  /** The ratio of each launch by the metrics that decide. */
  function launches(parent, all, unit) {
    for (const one of all) {
      const index = view.names.indexOf(one.target);
      const numbers = one.ratios.map(ratio => ratio.launch);
      const flat = value => numbers.map(() => value);
      const died = one.died.join(", ");
      const leftOut = [["not steady", ratio => ratio.leftOut && !ratio.cut], ["cut short", ratio => ratio.cut]]
        .filter(([, is]) => one.ratios.some(is)).map(([why]) => why).join(" or ");
      const level = Math.round(1000 * one.level) / 10;
      if (!numbers.length) {
        parent.append(el("p", {}, "No ratio of " + one.target + " to " + one.baseline + " in " + one.label + ": " + died + "."));
        continue;
      }
      chart(parent, {
        title: one.target + " against " + one.baseline + ": " + one.label,
        caption: "A dot for each " + unit + ": the ratio of the two in it" + (one.low === null ? "" : one.high === null
          ? "; the " + level + " % interval that decides goes from the line at " + one.low.toFixed(3) + " on and has no upper bound"
          : "; between the lines, the " + level + " % interval that decides") + ". 1 is no difference."
          + (leftOut ? " Empty dots are left out: " + leftOut + "." : "")
          + (died ? " No dot: " + died + "." : ""),
        xName: unit, xLabel: unit, xValue: x => String(x), yLabel: "ratio", height: 220,
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
          ...one.ratios.some(ratio => ratio.leftOut) ? [{ label: "left out", x: numbers,
            values: one.ratios.map(ratio => ratio.leftOut ? ratio.ratio : null),
            stroke: colorOf(index), width: 0, points: { show: true, size: 10, fill: color("panel") } }] : [],
          { label: "no difference", x: numbers, values: flat(1), stroke: color("soft"), dash: [2, 3], width: 1, paths: across },
          ...one.low === null ? []
            : [{ label: "interval from", x: numbers, values: flat(one.low), stroke: color("soft"), width: 1, paths: across }],
          ...one.high === null ? []
            : [{ label: "to", x: numbers, values: flat(one.high), stroke: color("soft"), width: 1, paths: across }],
        ].map(line => Object.assign(line, { targets: [one.target] })),
      });
    }
  }

  /** Latency by percentile, of all requests. */
  function percentiles(parent, all) {
    const PERCENTILES = [50, 90, 99, 99.9, 99.99, 99.999, 99.9999];
    chart(parent, {
      title: "Latency by percentile", wide: true, height: 300,
      caption: "Response time of all requests, from the intended send to the last byte, on HdrHistogram's axis."
        + (all.some(one => one.atLeast) ? " Dotted, from a ring on: requests without an answer, which took at least this." : ""),
      xName: "percentile", xLabel: "percentile", yLabel: "ms", unit: "ms",
      xValue: x => (100 - 100 / x).toFixed(Math.max(0, Math.min(5, Math.ceil(Math.log10(x)) - 1))) + " %",
      x: { distr: 3, log: 10, range: (u, low, high) => [1, Math.max(10, high)] },
      xAxis: { splits: () => PERCENTILES.map(p => 100 / (100 - p)), filter: (u, splits) => splits,
        values: (u, ticks) => ticks.map(x => x > u.scales.x.max * 1.01 ? "" : +(100 - 100 / x).toFixed(4) + " %") },
      y: { range: (u, low, high) => [0, high * 1.05] },
      lines: () => all.flatMap((one, index) => {
        const line = { stroke: colorOf(index), targets: [view.names[index]] };
        return [
          Object.assign({ label: view.names[index], x: one.x.length ? one.x : [1], values: one.x.length ? one.y : [null],
            dash: dashOf(index) }, line),
          ...one.atLeast ? [Object.assign({ label: view.names[index] + " at least", x: one.atLeast.x, values: one.atLeast.y, dash: [2, 4],
            points: { show: true, size: 9, fill: color("panel"), filter: u => [u.data[0].indexOf(one.atLeast.x[0])] } }, line)] : [],
        ];
      }),
      draw: u => {
        u.ctx.save();
        all.forEach((one, index) => {
          if (one.atLeast && !hidden.has(view.names[index])) {
            label(u, "≥ " + plain(view.names[index]), u.valToPos(one.atLeast.x[0], "x", true),
              Math.max(u.bbox.top, u.valToPos(one.atLeast.y[0], "y", true) - (20 + 16 * index) * devicePixelRatio));
          }
        });
        u.ctx.restore();
      },
    });
  }

  /** How long each target took to start, as bars that lie. */
  function starts(parent, targets, caption) {
    const NAMES = [["firstAnswerNs", "first good answer", "app"], ["portNs", "port open", "jit"], ["jvmNs", "JVM ready", "rest"]];
    const places = targets.map((target, i) => i);
    let shown = new Set();
    const ms = (target, key) => hidden.has(target.name) || !target.startup || target.startup[key] === undefined ? null
      : target.startup[key] / 1e6;
    const made = chart(parent, {
      title: "From the start to the first answer", wide: true, sideways: true, height: 70 + 34 * targets.length, caption,
      xName: "target", xValue: x => targets[x] ? plain(targets[x].name) : MISSING, unit: "ms",
      x: { ori: 1, dir: -1, range: [-0.5, targets.length - 0.5] },
      y: { ori: 0, dir: 1, range: (u, low, high) => [0, high * 1.05] },
      xAxis: { side: 3, size: 110, splits: () => places, values: (u, ticks) => ticks.map(place => plain(targets[place].name).slice(0, 16)),
        grid: { show: false } },
      yAxis: { side: 2, size: 34, space: 70, label: "ms" },
      // The longest first, and what is part of it over it.
      lines: () => NAMES.map(([key, label, name]) => ({ label, x: places, values: targets.map(target => ms(target, key)),
        stroke: color(name), fill: color(name), width: 0, paths: uPlot.paths.bars({ size: [0.6, 28] }) })),
    });
    follow((now, width, height) => {
      if (shown.size !== now.size) {
        shown = new Set(now);
        draw(made, width, height);
      }
    });
  }

  // ---- what a run did over time ------------------------------------------------------------------------------------

  const TIMES = {
    values: (u, ticks) => ticks.map(seconds),
    incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800],
  };
  const TIME = { time: true, xLabel: "time from the start of the run", xAxis: TIMES,
    y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } };

  /** Latency over time. */
  function latencies(parent) {
    chart(parent, {
      title: "Latency over time", wide: true, time: true, height: 280,
      caption: "Median (line) to 99th percentile (upper edge of the band) of each stretch; dots: how long collections stopped the target.",
      xLabel: "time from the start of the run", yLabel: "ms", unit: "ms", xAxis: TIMES,
      y: { range: (u, low, high) => [0, high * 1.05] },
      lines: () => {
        const lines = [];
        view.series.forEach((series, index) => {
          lines.push(lineOf(index, series.p50, { label: view.names[index] + " p50" }));
          lines.push(lineOf(index, series.p99, { label: view.names[index] + " p99", width: 0.8, band: colorOf(index) + "33" }));
          if (series.p99Max) {
            lines.push(lineOf(index, series.p99Max, { label: view.names[index] + " highest p99", width: 0.4 }));
          }
        });
        view.series.forEach((series, index) => lines.push(lineOf(index, series.pause,
          { label: view.names[index] + " GC pause", width: 0, points: { show: true, size: 4, fill: colorOf(index) } })));
        return lines;
      },
    });
  }

  /** What CPU the ratio to the baseline can be of, by the columns of its sums. */
  const CPUS = { steadyCpuTotal: "without the JIT's", userCpuTotal: "user CPU" };

  /** Load, CPU and memory over time; in place of the latter two a text where they are not known over time. */
  function costs(unknown = "") {
    const load = el("div", { class: "plots" });
    section("load", "Load", load);
    chart(load, Object.assign({ title: "Requests per second", caption: "Requests with a good answer: no 5xx.", yLabel: "1/s", unit: "/s",
      lines: linesOf("rate") }, TIME));
    chart(load, Object.assign({ title: "Errors per second", caption: "Requests without a good answer: failed, or answered with a 5xx."
      + ((view.deaths || []).length ? " What a target still owed when it died stands evenly behind its end." : ""), yLabel: "1/s", unit: "/s",
      lines: linesOf("errors") }, TIME));

    if (unknown) {
      section("cpu", "CPU and memory", el("p", { class: "soft" }, unknown));
      return;
    }
    const cost = el("div", { class: "plots" });
    section("cpu", "CPU per request", cost);
    view.series.forEach((series, index) => {
      chart(cost, Object.assign({
        title: "CPU per request: " + view.names[index], yLabel: "us", unit: "us",
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
    if (view.names.length > 1) {
      let width = 10;
      let cpu = "steadyCpuTotal";
      const baseline = view.names.indexOf(view.baseline);
      const ratio = chart(cost, Object.assign({}, TIME, {
        title: "CPU per request against " + view.baseline, wide: true, yLabel: "ratio",
        controls: [
          chooser("CPU", Object.keys(CPUS), cpu, chosen => { cpu = chosen; draw(ratio); }, key => CPUS[key]),
          chooser("Seconds of load in each mean", [1, 10, 30, 60], width, chosen => { width = chosen; draw(ratio); }),
        ],
        caption: "All CPU but the JIT's, or user CPU with it: means over seconds of load of the same launch. Shaded: warm-up. The dotted line is 1."
          + ((view.steady || []).some(launches => launches.length) ? " Rings: from then on a target was steady." : ""),
        y: { range: (u, low, high) => [Math.max(0, Math.min(low, 1) * 0.95), Math.min(Math.max(high, 1) * 1.05, 10)] },
        lines: () => {
          const smooth = view.series.map(series => moving(series, series[cpu], series.successful, width));
          const lines = [];
          view.series.forEach((series, index) => {
            if (index === baseline) {
              return;
            }
            lines.push(lineOf(index, beside(series, view.series[baseline]).map((at, i) =>
              at === undefined || smooth[baseline][at] === null || smooth[index][i] === null ? null
                : smooth[index][i] / smooth[baseline][at])));
          });
          (view.steady || []).forEach((launches, index) => {
            const times = launches.map(([launch, seconds]) => timeOf(view.series[index], launch, seconds)).filter(time => time !== null);
            if (times.length) {
              lines.push(lineOf(index, times.map(() => 1), { label: view.names[index] + " steady", x: times, mark: true, width: 0,
                points: { show: true, size: 9, fill: color("panel") } }));
            }
          });
          lines.push({ label: "1", x: view.range, values: [1, 1], mark: true, stroke: color("soft"), dash: [2, 3], width: 1 });
          return lines;
        },
      }));
    }

    const memory = el("div", { class: "plots" });
    section("memory", "Garbage collection and memory", memory);
    let window = 60;
    const cycles = chart(memory, Object.assign({
      title: "Collections", yLabel: "per second of load", wide: true,
      controls: chooser("Seconds of load in each mean", [1, 10, 60, 300], window, chosen => { window = chosen; draw(cycles); }),
      caption: "Moving average of garbage collection cycles.",
      lines: () => view.series.map((series, index) => lineOf(index, moving(series, series.cycles, series.d, window))),
    }, TIME));
    chart(memory, Object.assign({ title: "Old generation", caption: "In use at the end of each stretch.", yLabel: "MiB", unit: "MiB",
      lines: linesOf("oldGen", MIB) }, TIME));
    chart(memory, Object.assign({ title: "Resident memory", caption: "Of the process.", yLabel: "MiB", unit: "MiB",
      lines: linesOf("rss", MIB) }, TIME));
    chart(memory, Object.assign({
      title: "Memory of the control group", yLabel: "MiB", unit: "MiB", caption: "Page cache included; the dotted line is the cap.",
      lines: () => {
        const lines = linesOf("memory", MIB)();
        for (const cap of view.caps) {
          const values = [cap / MIB, cap / MIB];
          lines.push({ label: "cap", x: view.range, values, mark: true, stroke: color("bad"), dash: [2, 3] });
        }
        return lines;
      },
    }, TIME));
    chart(memory, Object.assign({ title: "Allocation per request",
      caption: "On the Java heap. Some JVMs tell it only when they collect: then it is that of all requests since the last time.",
      yLabel: "KiB", unit: "KiB", lines: linesOf("allocated", 1024) }, TIME));
  }

  // ---- controls ---------------------------------------------------------------------------------------------------

  const button = (text, label, onclick) => el("button", { type: "button", "aria-label": label, onclick }, text);
  const launchButtons = el("span", { class: "launches" });

  function showLaunches() {
    const count = view.stretches.length > 1 ? view.stretches.length : 0;
    for (let i = launchButtons.childElementCount; i < count; i++) {
      const number = view.stretches[i][2];
      launchButtons.append(button(String(number), "Show launch " + number, () => zoomTo(view.stretches[i])));
    }
  }

  /** Which targets and which part of the time are shown. */
  function controls() {
    document.getElementById("controls").append(
      view.names.length === 0 ? "" : el("fieldset", {}, el("legend", {}, "Targets"), view.names.map((name, index) => {
        const box = el("input", { type: "checkbox", checked: "", onchange: () => {
          box.checked ? hidden.delete(name) : hidden.add(name);
          charts.filter(made => made.plot).forEach(made => made.lines.forEach((line, i) => {
            if (line.targets) {
              made.plot.setSeries(i + 1, { show: !line.targets.every(target => hidden.has(target)) });
            }
          }));
          followers.forEach(follower => follower(hidden));
        } });
        const swatch = el("i", { class: "swatch" });
        swatch.style.background = groundOf(index);
        return el("label", {}, box, swatch, name);
      })),
      el("fieldset", {}, el("legend", {}, "Time"), button("−", "Zoom out", () => zoomBy(2)), button("+", "Zoom in", () => zoomBy(0.5)),
        button("‹", "Earlier", () => panBy(-0.25)), button("›", "Later", () => panBy(0.25)),
        button("All", "Show all of the time", () => zoomTo(view.range)), launchButtons));
    showLaunches();
  }

  /** Draws all plots, and again when the colours, the width of the page or the paper change. */
  function begin() {
    drawing(redraw);
  }

  /** As {@link begin}, of a page that draws its plots by itself: of this size on paper, as there is room elsewhere. */
  function drawing(redraw) {
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
    addEventListener("beforeprint", () => redraw(330, 155));
    addEventListener("afterprint", () => redraw());
  }

  /** Says, to whoever waits for it, that all is drawn. */
  function ready() {
    const say = () => {
      // The observer knows only when a frame was drawn, and not at all of what a closed detail hid.
      document.querySelectorAll(".scroll").forEach(isCut);
      document.documentElement.dataset.ready = "true";
    };
    requestAnimationFrame(() => requestAnimationFrame(say));
    // A page that nobody looks at gets no frames.
    setTimeout(say, 500);
  }

  return {
    MISSING, MIB, plain, el, section, color, colorOf, table, scrolled, digits, seconds, chart,
    TONES, distrust, axis, upright, csv, download, follow, picture, drawing, keys, answers, figures, launches, percentiles, starts, latencies, costs, controls, begin, ready, redraw, update, clear,
    show: shown => { view = shown; },
  };
})();
