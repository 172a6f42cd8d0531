// Flame graphs: where the CPU time of a target goes, by callers. Laid out by d3-hierarchy; every text is set as text.
"use strict";
const flames = (() => {
  const { el, color, plain, digits, csv, picture, follow } = plots;
  const ROW = 17;
  /** How wide a letter is in the font below; a frame is drawn and named from so many pixels on. */
  const LETTER = 6.7;
  const FONT = "11px ui-monospace, 'DejaVu Sans Mono', monospace";
  const NARROWEST = 1;
  const LARGEST = 16000;
  const NAMED = 30;
  const KINDS = { "interpreted": "interpreted", "C1": "c1", "compiled": "compiled", "inlined": "inlined", "stub": "stub", "native": "native",
    "kernel": "kernel", "VM threads": "vm", "unknown": "all" };
  /** Their names have packages; a dot in another's means something else. */
  const JAVA = ["interpreted", "C1", "compiled", "inlined"];

  function svg(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, plain(value)));
    made.append(...children.map(plain));
    return made;
  }

  /** Returns the frames as d3-hierarchy has them, under one for all samples. */
  function tree(columns) {
    const root = { name: "all", kind: "", samples: columns.samples, callees: [] };
    const path = [root];
    columns.depth.forEach((depth, i) => {
      const frame = { name: columns.names[columns.name[i]], kind: columns.kinds[columns.kind[i]], samples: columns.count[i], callees: [] };
      path[depth - 1].callees.push(frame);
      path[depth] = frame;
    });
    const made = d3.hierarchy(root, frame => frame.callees);
    // What is left out of a frame's callees leaves a gap beside them.
    made.each(node => { node.value = node.data.samples; });
    return d3.partition()(made);
  }

  /** As much of a frame's name as there is room for: the end of a Java method tells more than its package. */
  function fitting({ name, kind }, width) {
    const letters = Math.floor((width - 6) / LETTER);
    const without = JAVA.includes(kind) ? name.replace(/^(?:[\w$]+\.)+(?=[^.]+\.[^.]+$)/, "") : name;
    const text = name.length <= letters ? name : without;
    return text.length <= letters ? text : text.slice(0, Math.max(1, letters - 1)) + "…";
  }

  /** The graph of one target, as a figure. */
  function flame(parent, target, columns, caption) {
    const all = tree(columns);
    const title = "Flame graph: " + target;
    let zoomed = all;
    let at = all;
    let shown = null;
    const share = samples => digits(100 * samples / columns.samples) + " %";
    const own = node => node.value - node.data.callees.reduce((sum, frame) => sum + frame.samples, 0);
    const text = node => node === all ? "all: " + node.value.toLocaleString("en-US") + " samples"
      : node.data.name + " (" + node.data.kind + "): " + share(node.value) + ", " + node.value.toLocaleString("en-US") + " samples"
        + (node.children ? "; not in the callees shown: " + share(own(node)) : "");
    const hint = "Point at a frame, or go with the arrow keys: down to what it calls, up to its caller. Enter or a click widens it, Escape shows all.";

    const box = el("div", { class: "flame", tabindex: "0", role: "group", "aria-label": title + ": arrow keys go from frame to frame" });
    const said = el("p", { class: "soft", "aria-live": "polite" }, hint);
    const rows = () => [["frame", "kind", "depth", "samples", "caller"]].concat(all.descendants().map(node =>
      [node.data.name, node.data.kind, node.depth, node.value, node.parent ? node.parent.data.name : ""]));
    const save = kind => kind === "csv" ? csv(title, rows()) : drawn().then(canvas => picture(title, title + ". " + caption, canvas));
    const key = kind => {
      const made = el("span", {}, el("i", { class: "swatch" }), " " + kind);
      made.firstChild.style.background = "var(--k-" + KINDS[kind] + ")";
      return made;
    };
    const left = columns.leftOut === 0 ? "" : columns.leftOut.toLocaleString("en-US") + " frames are left out, none wider than "
      + share(columns.widestLeftOut) + ".";
    const figure = el("figure", { class: "wide" },
      el("header", {}, el("h3", {}, title), el("div", { class: "screen" },
        el("button", { type: "button", "aria-label": "Show all: " + title, onclick: () => zoom(all) }, "All"),
        el("button", { type: "button", "aria-label": "Save as PNG: " + title, onclick: () => save("png") }, "PNG"),
        el("button", { type: "button", "aria-label": "Save as CSV: " + title, onclick: () => save("csv") }, "CSV"))),
      el("figcaption", {}, caption + " Below each frame is what it calls; as wide as its share of the samples. " + left),
      box, el("p", { class: "keys" }, Object.keys(KINDS).filter(kind => columns.kinds.includes(kind)).map(key)), said);
    parent.append(figure);

    function draw() {
      const width = box.clientWidth || 960;
      const scale = x => width * (Math.max(zoomed.x0, Math.min(zoomed.x1, x)) - zoomed.x0) / (zoomed.x1 - zoomed.x0);
      const nodes = all.descendants().filter(node => scale(node.x1) - scale(node.x0) >= NARROWEST);
      const deepest = Math.max(...nodes.map(node => node.depth));
      shown = new Map();
      const made = svg("svg", { width, height: (deepest + 1) * ROW, role: "img", "aria-label": title + ". " + caption });
      for (const node of nodes) {
        const from = scale(node.x0);
        const to = scale(node.x1);
        const frame = svg("rect", { x: from, y: node.depth * ROW, width: Math.max(0.5, to - from - 0.5), height: ROW - 1,
          fill: color("k-" + (KINDS[node.data.kind] || "all")) });
        frame.addEventListener("pointerenter", () => mark(node));
        frame.addEventListener("click", () => zoom(node));
        shown.set(node, frame);
        made.append(frame);
        if (to - from >= NAMED) {
          made.append(svg("text", { x: from + 3, y: node.depth * ROW + 12, fill: color("ink"), style: "font:" + FONT },
            fitting(node.data, to - from)));
        }
      }
      made.addEventListener("pointerleave", () => mark(null));
      box.replaceChildren(made);
    }

    function mark(node) {
      const before = shown.get(at);
      if (before) {
        before.removeAttribute("stroke");
      }
      at = node || zoomed;
      said.textContent = node ? plain(text(node)) : hint;
      const frame = node && shown.get(node);
      if (frame) {
        frame.setAttribute("stroke", color("ink"));
      }
    }

    function zoom(node) {
      zoomed = node;
      draw();
      mark(node);
    }

    const beside = (node, step) => {
      const row = all.descendants().filter(other => other.depth === node.depth && shown.has(other));
      return row[row.indexOf(node) + step];
    };
    const moves = {
      ArrowDown: node => (node.children || []).filter(child => shown.has(child)).sort((a, b) => b.value - a.value)[0],
      ArrowUp: node => node.parent,
      ArrowLeft: node => beside(node, -1),
      ArrowRight: node => beside(node, 1),
      Home: () => all,
    };
    box.addEventListener("keydown", event => {
      if (moves[event.key]) {
        event.preventDefault();
        const to = said.textContent === hint ? at : moves[event.key](at);
        mark(to || at);
        // Where the box scrolls, it shows the frame.
        const top = at.depth * ROW;
        box.scrollTop = Math.max(Math.min(box.scrollTop, top), top + ROW - box.clientHeight);
      } else if (event.key === "Enter") {
        zoom(at);
      } else if (event.key === "Escape") {
        zoom(all);
      }
    });

    /** The graph as it is drawn, as pixels. */
    function drawn() {
      const graph = box.firstChild;
      const image = new Image();
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(graph));
      return image.decode().then(() => {
        const width = graph.width.baseVal.value;
        const height = graph.height.baseVal.value;
        // Twice as large, as far as a canvas can be.
        const scale = Math.min(2, LARGEST / width, LARGEST / height);
        const canvas = el("canvas", { width: Math.floor(width * scale), height: Math.floor(height * scale) });
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        return canvas;
      });
    }

    follow(hidden => {
      figure.hidden = hidden.has(target);
      if (!figure.hidden) {
        draw();
      }
    });
  }

  return { flame };
})();
