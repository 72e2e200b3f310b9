"use strict";
// What is drawn across rows: arcs from calls to results, from the item at which a branch begins to the branch, frames of groups.

const LANES = 5;
const STEP = 8;

class Arcs {
  constructor(stage) {
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("class", "arcs");
    this.svg.setAttribute("aria-hidden", "true");
    stage.prepend(this.svg);
    this.arcs = [];
    this.frames = [];
  }

  // Finds the entries that arcs and frames lead to, for entries as they are shown.
  tie(entries, docs) {
    const at = new Map();
    entries.forEach((entry, index) => {
      if (entry.type === "item") at.set(entry.item.key, index);
      if (entry.type === "history") at.set(`${entry.doc.d}h${entry.history.h}`, index);
    });
    const arcs = [];
    this.frames = [];
    for (const doc of docs) {
      const index = (i) => at.get(`${doc.d}.${i}`);
      for (const [call, output] of doc.pairs) {
        const [a, b] = [index(call), index(output)];
        if (a === undefined || b === undefined) continue;
        const backwards = b < a;
        arcs.push({ from: Math.min(a, b), to: Math.max(a, b), kind: backwards ? "pair wrong" : "pair", ends: [`${doc.d}.${call}`, `${doc.d}.${output}`] });
      }
      doc.histories.forEach((history, h) => {
        const [a, b] = [index(history.from), at.get(`${doc.d}h${h}`)];
        if (a !== undefined && b !== undefined && a < b) arcs.push({ from: a, to: b, kind: "fork", ends: [`${doc.d}.${history.from}`, ""], colour: hue(h) });
      });
      for (const [start, end] of doc.groups) {
        const inside = [];
        for (let i = start; i < end; i++) if (index(i) !== undefined) inside.push(index(i));
        if (inside.length > 1) this.frames.push([inside[0], inside.at(-1)]);
      }
    }
    arcs.sort((a, b) => a.from - b.from || b.to - a.to);
    this.arcs = lanes(arcs, LANES);
    this.arcs.forEach((arc, n) => { arc.reach = Math.max(arc.to, this.arcs[n - 1]?.reach ?? 0); });
  }

  // Draws those that touch the window. Beyond it heights are estimates, so lines end a little outside.
  draw(list, current) {
    const { heights, first, end } = list;
    const origin = heights.top(first);
    const bottom = heights.top(end) - origin;
    const y = (index) => (index < first ? -20 : index >= end ? bottom + 20 : heights.top(index) - origin + ROW / 2);
    const parts = [];
    for (const [from, to] of this.frames) {
      if (to < first || from >= end) continue;
      const top = from < first ? -20 : heights.top(from) - origin + 1;
      const last = to >= end ? bottom + 20 : heights.top(to) - origin + heights.own[to] - 1;
      parts.push(shape("rect", { class: "frame", x: 96.5, y: top, width: 5, height: Math.max(0, last - top), rx: 2.5 }));
    }
    for (const arc of this.arcs) {
      if (arc.from >= end) break;
      if (arc.to < first) continue;
      const right = 92;
      const x = right - 8 - arc.lane * STEP;
      const [a, b] = [y(arc.from), y(arc.to)];
      const bend = Math.min(8, Math.max(2, (b - a) / 2));
      const d = `M${right} ${a}H${x + bend}Q${x} ${a} ${x} ${a + bend}V${b - bend}Q${x} ${b} ${x + bend} ${b}H${right}`;
      const lit = arc.ends.includes(current) ? " lit" : "";
      const path = shape("path", { class: `arc ${arc.kind}${lit}`, d });
      path.dataset.ends = arc.ends.join(" ");
      if (arc.colour) path.style.stroke = arc.colour;
      parts.push(path);
      if (arc.kind !== "fork") parts.push(shape("path", { class: `tip${lit} ${arc.kind}`, d: `M${right - 4} ${y(arc.kind === "pair" ? arc.to : arc.from) - 3}l4 3l-4 3` }));
    }
    this.svg.setAttribute("height", Math.max(0, bottom));
    this.svg.replaceChildren(...parts);
  }
}

function shape(name, attributes) {
  const own = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) own.setAttribute(key, value);
  return own;
}
