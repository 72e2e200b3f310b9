"use strict";
// The data of the page as entries of a list: documents, histories, items with their findings.

const SEVERITIES = ["error", "warning", "info"];

class Model {
  constructor(data) {
    this.data = data;
    this.docs = data.docs.map((doc, d) => this.doc(doc, d));
    this.findings = this.docs.flatMap((doc) => doc.findings);
    this.rules = this.countRules();
    this.severities = new Set(["error", "warning"]);
    if (!this.findings.some((finding) => finding.severity !== "info")) this.severities.add("info");
    this.states = new Set(["fixed", "left"]);
    this.rule = null;
    this.only = false;
    this.query = "";
    this.open = new Set();
    this.compares = data.docs.some((doc) => doc.command === "diff");
  }

  // A document with the findings, changes, partners and turn of each of its items.
  doc(doc, d) {
    const items = doc.items.map((item, i) => ({ ...item, key: `${d}.${i}`, d, i, findings: [], changes: [], partners: [], turn: 0 }));
    const findings = doc.findings.map((finding) => ({ ...finding, d }));
    for (const finding of findings) items[finding.item]?.findings.push(finding);
    doc.changes.forEach((change, c) => items[change.item]?.changes.push({ ...change, c }));
    for (const [call, output] of doc.pairs) {
      items[call]?.partners.push(output);
      items[output]?.partners.push(call);
    }
    doc.histories.forEach((history, h) => {
      const from = items[history.from];
      Object.assign(history, { h, bad: 0 });
      let turn = from?.turn ?? 0;
      let said = from !== undefined && !isUser(from);
      for (let i = history.start, n = history.length - (history.end - history.start); i < history.end; i++, n++) {
        const item = items[i];
        item.number = n + 1;
        if (isUser(item) && (said || turn === 0) && !onlyAnswers(items, i)) {
          turn += 1;
          item.begins = true;
          said = false;
        }
        said ||= !isUser(item) && item.class !== "instructions" && !(item.block && item.class === "user");
        item.turn = turn;
        history.bad += item.findings.filter((finding) => finding.severity !== "info").length;
      }
    });
    return { ...doc, d, items, findings, own: findings.filter((finding) => items[finding.item] === undefined) };
  }

  countRules() {
    const rules = new Map();
    for (const finding of this.findings) {
      const rule = rules.get(finding.rule) ?? { code: finding.rule, name: finding.name, severity: finding.severity, count: 0 };
      rule.count += 1;
      if (SEVERITIES.indexOf(finding.severity) < SEVERITIES.indexOf(rule.severity)) rule.severity = finding.severity;
      rules.set(finding.rule, rule);
    }
    const order = (rule) => [SEVERITIES.indexOf(rule.severity), rule.code].join();
    return [...rules.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  shows(finding) {
    return (this.rule === null || finding.rule === this.rule)
      && this.severities.has(finding.severity)
      && (finding.state === undefined || this.states.has(finding.state));
  }

  // True for an item with findings or, in a comparison, with a difference.
  isMarked(item) {
    return item.findings.some((finding) => this.shows(finding)) || (item.fate !== undefined && item.fate !== "same");
  }

  matches(item) {
    if (this.query === "") return false;
    item.words ??= [item.id, item.call_id, item.name, item.kind, item.pointer, item.says].filter(Boolean).join("\n").toLowerCase();
    return item.words.includes(this.query);
  }

  // The entries under the filters in force.
  entries() {
    const entries = [];
    for (const doc of this.docs) {
      const own = doc.own.filter((finding) => this.shows(finding));
      const bodies = doc.histories.map((history) => this.itemEntries(doc, history));
      if (this.only && own.length === 0 && bodies.every((body) => body.length === 0)) continue;
      entries.push({ type: "doc", doc, findings: own });
      doc.histories.forEach((history, h) => {
        const notes = history.notes?.length > 0;
        if (this.only && bodies[h].length === 0 && !notes) return;
        if (doc.histories.length > 1 || history.label || notes) entries.push({ type: "history", doc, history });
        for (const entry of bodies[h]) entries.push(entry);
      });
      if (doc.left_out > 0) entries.push({ type: "rest", doc });
    }
    return entries;
  }

  itemEntries(doc, history) {
    const entries = [];
    for (let i = history.start; i < history.end; i++) {
      const item = doc.items[i];
      if (!this.only || this.isMarked(item)) entries.push({ type: "item", doc, history, item });
    }
    return entries;
  }
}

function isUser(item) {
  return item.class === "user" && !item.block;
}

// True if a message contains only results: the user says nothing in it.
function onlyAnswers(items, i) {
  let end = i + 1;
  while (items[end]?.block) end += 1;
  return end > i + 1 && items.slice(i + 1, end).every((block) => block.class === "output");
}

// Lanes for arcs, so that no two that are open at the same time share one, as far as there are lanes.
function lanes(arcs, most) {
  const ends = [];
  for (const arc of arcs) {
    let lane = ends.findIndex((end) => end < arc.from);
    if (lane < 0) lane = ends.length < most ? ends.length : ends.indexOf(Math.min(...ends));
    ends[lane] = Math.max(ends[lane] ?? -1, arc.to);
    arc.lane = lane;
  }
  return arcs;
}
