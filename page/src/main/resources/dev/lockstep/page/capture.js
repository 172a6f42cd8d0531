// Draws what is in a capture from the data in the page.
"use strict";
(() => {
  const { MISSING, el, section, color, colorOf, table, digits, seconds, chart } = plots;
  const data = JSON.parse(document.getElementById("data").textContent);
  const report = data.report;
  const timeline = data.timeline;
  const file = report.capture;
  const requests = report.requests + report.http2Requests;
  const range = timeline.t.length ? [timeline.t[0], timeline.t[timeline.t.length - 1]] : [0, 1];
  plots.show({ names: [], series: [{ t: timeline.t }], warmUps: [], stretches: [], range, missing: "Not in this capture." });

  /** Recorded text has a character per byte: what is not printable ASCII is shown as on the screen, by its number. */
  function printable(text) {
    return text === null || text === undefined ? MISSING : String(text).replace(/[^ -~]/g, character => {
      const code = character.charCodeAt(0);
      return code <= 0xff ? "\\x" + code.toString(16).padStart(2, "0") : "\\u" + code.toString(16).padStart(4, "0");
    });
  }

  const count = (number, noun) => number.toLocaleString("en-US") + " " + noun + (number === 1 ? "" : "s");

  // ---- head -------------------------------------------------------------------------------------------------------

  const name = printable(report.file.replace(/.*\//, ""));
  document.title = "Lockstep: " + name;
  document.getElementById("title").textContent = name;
  document.getElementById("subtitle").textContent = data.size
    + (report.http2Requests ? " · " + count(report.http2Requests, "request") + " of HTTP/2 beside them" : "") + " · " + data.span;
  const lost = report.lost.connections + report.lost.requests + report.lost.bytes + report.lost.packets + report.gaps.count > 0;
  const badge = (kind, text) => el("span", { class: "badge " + kind }, text);
  document.getElementById("status").append(file.damage !== null ? badge("bad", "DAMAGED")
    : lost ? badge("bad", "INCOMPLETE") : report.lost.known ? badge("good", "COMPLETE") : badge("doubt", "LOSSES NOT KNOWN"));
  document.getElementById("made").textContent = "Made by replay inspect --html; field names are those of replay inspect --json.";

  // ---- what is missing and what was redacted -----------------------------------------------------------------------

  const tone = line => /^(DAMAGED|CUT|LOST|Dropped|Missing|NOT SEARCHED)/.test(line) ? "bad" : /^Lost nothing/.test(line) ? "good" : "doubt";
  section("missing", "What is missing, and what was replaced",
    el("ul", { class: "answers" }, data.missing.map(line => el("li", { class: tone(line) }, el("span", {}, printable(line))))),
    el("p", { class: "soft" }, report.redacted.policy === null ? "No rules of redaction are noted in the file."
      : count(report.redacted.values, "value") + " in " + count(report.redacted.records, "record") + " replaced by the rules: "
        + printable(report.redacted.policy)));

  section("facts", "What it holds",
    el("dl", {}, Object.entries(data.facts).flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, printable(text))])));

  // ---- over time ---------------------------------------------------------------------------------------------------

  const part = value => +value.toFixed(6) + " s";
  const TIME = { time: true, xLabel: "time from the start of the capture",
    xAxis: { values: (u, ticks, axis, space, step) => ticks.map(Number.isInteger(step) ? seconds : part) },
    xValue: range[1] - range[0] < 10 ? x => digits(x, "s") : seconds,
    y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } };
  const over = el("div", { class: "plots" });
  section("time", "Over time", over);
  const column = "Each point is the mean of " + digits(timeline.columnNs / 1e9, "s") + ".";
  const line = (label, values, stroke) => () => [{ label, x: timeline.t, values: requests + report.connections ? values : [], stroke }];
  chart(over, Object.assign({ title: "Requests per second", wide: true, yLabel: "1/s", unit: "/s",
    caption: "By their last byte. " + column, lines: line("requests", timeline.requestsPerSec, colorOf(0)) }, TIME));
  chart(over, Object.assign({ title: "Open connections", yLabel: "connections",
    caption: "Those open at the end of each " + digits(timeline.columnNs / 1e9, "s") + "; in between there were up to "
      + report.openAtOnce.connections.toLocaleString("en-US") + ".", lines: line("open", timeline.open, colorOf(1)) }, TIME));
  chart(over, Object.assign({ title: "Connections opened per second", yLabel: "1/s", unit: "/s", caption: column,
    lines: line("opened", timeline.openedPerSec, colorOf(2)) }, TIME));
  const protocols = Object.keys(report.protocolConnections);
  chart(over, Object.assign({}, TIME, {
    title: "Connections", wide: true, height: 320, yLabel: "number", legend: false,
    caption: (timeline.every > 1 ? "One connection of " + timeline.every + "," : "Each connection")
      + " from its first to its last byte, by its number in the capture. Colours are protocols: " + protocols.join(", ") + ".",
    y: { range: (u, low, high) => [Math.min(0, low), Math.max(1, high * 1.03)] },
    hint: "Point at a connection for its figures.",
    hover: u => {
      const at = u.posToVal(u.cursor.left, "x");
      const height = u.posToVal(u.cursor.top, "y");
      // A pixel on either side, for most are short.
      const near = Math.abs(u.posToVal(3, "x") - u.posToVal(0, "x"));
      const open = timeline.connections.filter(one => one.openedNs / 1e9 - near <= at && at <= one.closedNs / 1e9 + near);
      const one = open.reduce((best, other) => !best || Math.abs(other.id - height) < Math.abs(best.id - height) ? other : best, null);
      return one && "Connection " + one.id + ": " + one.protocol + ", " + count(one.requests, "request") + ", from " + digits(one.openedNs / 1e9, "s")
        + " to " + digits(one.closedNs / 1e9, "s") + ", open for " + digits((one.closedNs - one.openedNs) / 1e9, "s");
    },
    lines: () => timeline.connections.length === 0 ? [{ label: "", x: [0], values: [null] }] : timeline.connections.map(one => {
      const index = Math.max(0, protocols.indexOf(one.protocol));
      const from = one.openedNs / 1e9;
      const to = Math.max(one.closedNs / 1e9, from + 1e-9);
      return { label: "#" + one.id + " " + one.protocol, x: [from, to], values: [one.id, one.id], stroke: colorOf(index), width: 2,
        points: { show: true, size: 3, fill: colorOf(index) } };
    }),
  }));
  if (protocols.length > 1) {
    over.append(el("p", { class: "keys" }, protocols.map((protocol, index) => {
      const key = el("span", {}, el("i", { class: "swatch" }), " " + protocol);
      key.firstChild.style.background = colorOf(index);
      return key;
    })));
  }

  // ---- names -------------------------------------------------------------------------------------------------------

  function names(parent, title, counts, all, lowBy) {
    const rows = Object.entries(counts);
    if (rows.length) {
      parent.append(table(title + (lowBy ? " (each count may be " + lowBy + " too low)" : ""), ["name", "count", "share"],
        rows.map(([key, value]) => [printable(key), value.toLocaleString("en-US"),
          all ? (100 * value / all).toFixed(1) + " %" : MISSING])));
    }
  }
  const low = report.tooLowBy;
  const paths = el("div", { class: "tables" });
  const pathSection = section("paths", "Methods and paths", paths);
  names(paths, "Methods", report.methods, requests, low.methods);
  names(paths, "Functions of Thrift", report.thriftMethods, requests, low.thriftMethods);
  names(paths, "Paths, with N for a number and ID for an id", report.pathTemplates, requests, low.pathTemplates);
  const asSent = el("details", {}, el("summary", {}, "Paths as sent"));
  names(asSent, "The most frequent of " + count(report.differentPaths, "path"), report.paths, requests, low.paths);
  pathSection.append(asSent.childElementCount > 1 ? asSent : "");
  if (!Object.keys(report.methods).length && !Object.keys(report.pathTemplates).length) {
    pathSection.append(el("p", { class: "soft" }, "No request of this capture has a method or a path."));
  }

  const speaks = el("div", { class: "tables" });
  section("protocols", "Protocols, hosts and addresses", speaks);
  names(speaks, "Connections by protocol", report.protocolConnections, report.connections);
  names(speaks, "Requests by version of HTTP", report.httpVersions, requests);
  names(speaks, "Requests by host", report.hosts, requests, low.hosts);
  names(speaks, "Connections by client", report.clientConnections, report.connections, low.clientConnections);
  names(speaks, "Connections by server", report.serverConnections, report.connections, low.serverConnections);
  names(speaks, "Known answers by status", report.answers.byStatus, report.answers.known);

  // ---- sizes -------------------------------------------------------------------------------------------------------

  const sizes = el("div", { class: "plots" });
  section("sizes", "Sizes of requests", sizes);
  const PERCENTILES = [50, 90, 99, 99.9, 99.99];
  chart(sizes, {
    title: "Bytes by percentile", wide: true, caption: "Heads and bodies of requests, without those of HTTP/2.",
    xName: "percentile", xLabel: "percentile", yLabel: "bytes", unit: "bytes",
    xValue: x => (100 - 100 / x).toFixed(3) + " %",
    x: { distr: 3, log: 10, range: (u, from, to) => [1, Math.max(10, to)] },
    xAxis: { splits: () => PERCENTILES.map(p => 100 / (100 - p)), filter: (u, splits) => splits,
      values: (u, ticks) => ticks.map(x => x > u.scales.x.max * 1.01 ? "" : +(100 - 100 / x).toFixed(4) + " %") },
    y: { range: (u, from, to) => [0, to > 0 ? to * 1.05 : 1] },
    lines: () => data.sizes.length ? [{ label: "bytes", x: data.sizes.map(one => one[0]), values: data.sizes.map(one => one[1]),
      stroke: color("t0") }] : [{ label: "", x: [1], values: [null] }],
  });

  // ---- connections and file ----------------------------------------------------------------------------------------

  if (report.largestConnections.length) {
    section("connections", "Largest connections", table("By bytes of the client",
      ["connection", "client", "server", "protocol", "requests", "bytes", "length", "end", "missing"],
      report.largestConnections.map(one => ["#" + one.id, one.client, one.server, one.protocol, one.requests.toLocaleString("en-US"),
        one.bytes.toLocaleString("en-US"), digits((one.closedNs - one.openedNs) / 1e9, "s"), one.closeReason,
        one.gaps ? count(one.gaps, "place") : MISSING]), 4));
  }
  section("file", "The file", el("dl", {}, [
    ["File", report.file], ["Written by", "Lockstep " + printable(file.tool) + " on " + printable(file.host)], ["Size", data.file],
    ["Listen", file.listen], ["Upstream", file.upstream], ["Filters", file.filters], ["Sampling", file.sampling], ["Comment", file.comment],
  ].filter(([, text]) => text !== null).flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, printable(text))])));

  plots.controls();
  plots.begin();
  plots.ready();
})();
