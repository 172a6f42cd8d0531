// Shows an experiment from the data in the page.
"use strict";
(() => {
  const { MISSING, el, section, colorOf, scrolled, axis, upright, drawing, keys, plain, ready } = plots;
  const data = JSON.parse(document.getElementById("data").textContent);

  /** As in the experiment's text: ratios have three digits behind the point. */
  function digits(value) {
    if (value === null || value === undefined) {
      return MISSING;
    }
    const size = Math.abs(value);
    return size >= 1000 ? Math.round(value).toLocaleString("en-US") : size >= 100 ? value.toFixed(0)
      : size >= 10 ? value.toFixed(1) : size >= 1 ? value.toFixed(2) : size === 0 ? "0" : value.toFixed(3);
  }

  const interval = figure => figure.low === null && figure.high === null ? MISSING
    : digits(figure.low) + " to " + digits(figure.high);

  // ---- what was asked, and the answer -------------------------------------------------------------------------------

  document.getElementById("subtitle").textContent = data.experiment + " --" + data.size;
  if (data.note || data.interrupted) {
    document.getElementById("status").append(
      el("span", { class: "badge doubt" }, data.interrupted ? "INTERRUPTED: the same command goes on" : data.note));
  }
  section("asked", "What is asked", el("p", {}, data.asks),
    el("dl", {}, [["Published", data.source], ["There", data.rig], ["Expected", data.expected]].concat(
      data.traps.map(trap => ["Beware", trap])).flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)])));

  const agrees = figure => figure.comment.startsWith("Agrees") ? "good" : figure.comment.startsWith("Differs") || figure.comment.startsWith("Cannot") ? "doubt" : "soft";
  const figures = scrolled("Intervals are of 95 %: of two targets by pairs of launches, as in verdicts, of one over its launches.",
    el("thead", {}, el("tr", {}, ["figure", "unit", "published", "here", "interval", "comment"].map((text, i) =>
      el("th", { scope: "col", class: i < 2 || i === 5 ? "text" : "" }, text)))),
    el("tbody", {}, data.figures.map(figure => el("tr", {},
      el("th", { scope: "row", class: "text" }, figure.name), el("td", { class: "text" }, figure.unit),
      el("td", {}, digits(figure.published)), el("td", {}, digits(figure.here)), el("td", {}, interval(figure)),
      el("td", { class: "text comment " + agrees(figure) }, figure.comment.replace("No figure was published.", "").trim())))));
  figures.classList.add("figures");
  section("figures", "Published and here", figures);

  // ---- charts -------------------------------------------------------------------------------------------------------

  const plotted = [];

  function draw(one) {
    if (one.plot) {
      one.plot.destroy();
    }
    const names = Object.keys(one.chart.lines);
    const xs = [...new Set(names.flatMap(name => one.chart.lines[name].map(point => point[0])))].sort((a, b) => a - b);
    const lines = names.map(name => {
      const at = new Map(one.chart.lines[name]);
      return xs.map(x => at.has(x) ? at.get(x) : null);
    });
    const values = lines.flat().filter(value => value !== null);
    // One that is a hundred times the others would leave a flat line of these.
    const wide = Math.min(...values) > 0 && Math.max(...values) > 100 * Math.min(...values);
    const y = wide ? { distr: 3, log: 10, range: (u, low, high) => uPlot.rangeLog(low, high, 10, true) }
      : { range: (u, low, high) => [low < 0 ? low * 1.05 : 0, high > 0 ? high * 1.05 : low < 0 ? 0 : 1] };
    one.plot = new uPlot({
      width: Math.max(280, one.box.clientWidth), height: 280,
      scales: { x: { time: false, distr: one.chart.log ? 3 : 1 }, y },
      axes: [axis({ label: one.chart.xLabel, size: 56, splits: () => xs, filter: (u, splits) => splits, values: (u, ticks) => ticks.map(String) }),
        axis({ label: one.chart.unit + (wide ? " (logarithmic)" : ""), size: upright })],
      series: [{ label: one.chart.xLabel, value: (u, x) => digits(x) }].concat(names.map((name, i) => ({
        label: name, stroke: colorOf(i), width: 2, dash: i < 6 ? [] : [8, 4], spanGaps: false, points: { show: true, size: 7 },
        value: (u, value) => digits(value), scale: "y",
      }))),
    }, [xs, ...lines], one.box);
    one.plot.ctx.canvas.setAttribute("role", "img");
    one.plot.ctx.canvas.setAttribute("aria-label", plain(one.chart.title + ". " + one.chart.caption));
  }

  const shown = data.charts.filter(chart => Object.values(chart.lines).some(line => line.some(point => point[1] !== null)));
  if (shown.length > 0) {
    const drawn = el("div", { class: "plots" });
    section("charts", "Charts", drawn);
    for (const chart of shown) {
      const box = el("div", {});
      drawn.append(el("figure", { class: "wide" }, el("header", {}, el("h3", {}, chart.title)), el("figcaption", {}, chart.caption), box));
      const made = { chart, spec: chart, box, plot: null };
      plotted.push(made);
      keys(made);
    }
    drawing(() => plotted.forEach(draw));
  }

  // ---- parts --------------------------------------------------------------------------------------------------------

  section("parts", "Parts", data.parts.map(part => {
    const shownEnd = part.end === "done" ? part.seconds + " s" : part.end;
    const rows = [["Command", el("code", {}, part.command)]];
    if (part.why) {
      rows.unshift(["Why", part.why]);
    }
    if (part.invalid) {
      rows.unshift(["INVALID", part.invalid]);
    }
    for (const [target, jvm] of Object.entries(part.jvms || {})) {
      rows.push([target, jvm]);
    }
    for (const page of part.pages || []) {
      rows.push(["Page", el("a", { href: page.split("/").map(encodeURIComponent).join("/") }, page)]);
    }
    const hot = part.hotMethods;
    const methods = hot && scrolled("Hot methods of " + part.name + ", percent of each target's samples",
        el("thead", {}, el("tr", {}, ["method", "kind"].concat(hot.targets).map((text, i) =>
          el("th", { scope: "col", class: i < 2 ? "text" : "" }, text)))),
        el("tbody", {}, hot.methods.map(method => el("tr", {}, el("th", { scope: "row", class: "text" }, method.name),
          el("td", { class: "text" }, method.kind), method.percent.map(share => el("td", {}, share === 0 ? MISSING : share.toFixed(1)))))));
    return el("details", {}, el("summary", {}, part.name + ": " + shownEnd + (part.invalid ? ", INVALID" : "")),
      el("dl", {}, rows.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, value)])),
      methods, hot ? el("ul", { class: "notes" }, hot.lacks.map(line => el("li", {}, line))) : null,
      part.printed ? el("pre", { tabindex: "0" }, part.printed) : null);
  }));
  document.getElementById("made").textContent = "Made by replay experiment " + data.experiment + ". Directory: " + data.directory;
  ready();
})();
