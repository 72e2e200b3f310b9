"use strict";
// The elements of entries. Texts of the document are only ever set as text.

const ROW = 26;

const LOSSES = { lossless: "lossless", adds: "lossless and adds a placeholder", lossy: "lossy" };

function rowOf(entry, page) {
  switch (entry.type) {
    case "doc": return docRow(entry, page);
    case "history": return historyRow(entry, page);
    case "rest": return element("div", "entry rest", `${count(entry.doc.left_out, "more item")} of this file not shown`);
    default: return itemRow(entry, page);
  }
}

function estimate(entry, page, width) {
  const text = Math.max(20, (Math.max(width, 320) - 150) / 7.2);
  const lines = (words) => (words ? Math.ceil(words.length / text) : 0);
  const card = (finding) => 22 + 19 * (lines(`${finding.rule} ${finding.name} ${finding.message}`)
    + lines(finding.api_message) + lines(finding.fix?.title ?? finding.no_fix) + finding.related.length + 1);
  const cards = (findings) => findings.filter((finding) => page.model.shows(finding)).reduce((sum, finding) => sum + card(finding), 0);
  switch (entry.type) {
    case "doc": return 58 + cards(entry.findings);
    case "history": return 34;
    case "rest": return 30;
    default: {
      const { item } = entry;
      const height = ({ action, lines }) => (action === "drop" ? 20 : (lines?.length ?? 0) * 17 + 12);
      const changed = item.changes.reduce((sum, change) => sum + height(change), 0) + (item.lines?.length ?? 0) * 17;
      const opened = page.model.open.has(item.key) ? ((item.json ?? "").split("\n").length + 2) * 17 : 0;
      return ROW + cards(item.findings) + changed + opened;
    }
  }
}

function docRow({ doc, findings }, page) {
  const thing = doc.command === "tree" ? "turn" : "item";
  const tell = [doc.format ?? (doc.command === "diff" ? null : "not recognised"), doc.targets.length > 0 ? `checked against ${doc.targets.join(", ")}` : null,
    doc.histories.length > 1 ? count(doc.histories.length, thing === "turn" ? "branch" : "conversation") : null, count(doc.items.length, thing)];
  const own = element("section", "entry doc",
    element("h2", null, element("span", "path", doc.path || "input"), element("span", "tell", tell.filter(Boolean).join(" · "))));
  for (const finding of findings) own.append(card(finding, null, page));
  return own;
}

function historyRow({ doc, history }, page) {
  const own = element("div", "entry history");
  own.style.setProperty("--branch", hue(history.h));
  own.append(element("b", null, nameOf(history, doc)));
  if (history.from !== undefined) own.append(element("span", null, "continues from "), link(doc.d, history.from, page));
  const tell = [history.model, doc.command === "tree" ? count(history.length, "turn") : count(history.length, "item")];
  own.append(element("span", "tell", tell.filter(Boolean).join(" · ")));
  if (history.notes) for (const note of history.notes) own.append(element("div", "note", note));
  return own;
}

function nameOf(history, doc) {
  return history.label ?? `${doc.command === "tree" ? "branch" : "conversation"} ${history.number + 1}`;
}

function itemRow(entry, page) {
  const { item, doc, history } = entry;
  const marked = page.model.isMarked(item);
  const own = element("div", `entry item ${item.class}`);
  own.dataset.key = item.key;
  own.setAttribute("role", "listitem");
  if (doc.histories.length > 1) own.style.setProperty("--branch", hue(history.h));
  own.classList.toggle("begins", item.begins === true);
  own.classList.toggle("block", item.block === true);
  own.classList.toggle("current", page.current === item.key);
  own.classList.toggle("found", page.model.matches(item));
  if (item.fate) own.classList.add(`fate-${item.fate}`);
  own.classList.toggle("dropped", item.changes.some((change) => change.action === "drop"));
  const worst = SEVERITIES.find((severity) => item.findings.some((finding) => page.model.shows(finding) && finding.severity === severity));
  if (worst) own.classList.add(`has-${worst}`);
  const row = element("button", "row",
    element("span", "number", item.begins ? element("span", "turn", `${item.turn}`) : null, `${item.number ?? item.i + 1}`),
    element("span", "gutter"),
    element("span", "dot"),
    element("span", "kind", item.kind),
    item.name ? element("span", "name", item.name) : null,
    item.call_id ?? item.id ? element("span", "id", item.call_id ?? item.id) : null,
    element("span", "says", (item.says ?? "").slice(0, 400).replace(/\s+/g, " ")),
    item.fate && item.fate !== "same" ? element("span", "fate", item.fate) : null,
    element("span", "at", at(item, doc)),
  );
  row.type = "button";
  row.tabIndex = -1;
  row.setAttribute("aria-expanded", String(page.model.open.has(item.key)));
  row.addEventListener("click", () => page.toggle(item));
  own.append(row);
  const drawn = new Set();
  for (const finding of item.findings) if (page.model.shows(finding)) own.append(card(finding, item, page, drawn));
  if (marked || item.findings.length === 0) {
    for (const change of item.changes) {
      if (!drawn.has(change.c) && page.showsChange(change)) own.append(changeCard(change, doc, page));
    }
  }
  if (item.lines?.length > 0) own.append(element("div", "card plain", hunk(item.lines)));
  if (page.model.open.has(item.key)) own.append(details(item, doc, page));
  return own;
}

function at(item, doc) {
  const line = item.line > 0 ? `${item.line}:${item.column}` : "";
  return doc.command === "tree" ? `record ${item.record}` : [item.pointer, line].filter(Boolean).join("  ");
}

// A finding with the provider's message and the fix; `item` is the one that it is shown at, null for the document.
function card(finding, item, page, drawn = new Set()) {
  const own = element("div", `card ${finding.severity} ${finding.state ?? ""}`);
  const state = finding.state ? element("span", `state ${finding.state}`, finding.state) : null;
  own.append(element("div", "head", element("span", "code", finding.rule), element("span", "rule", finding.name), state,
    element("span", "message", finding.message)));
  if (finding.api_message) {
    const says = element("div", "api", element("q", null, finding.api_message));
    const answer = [finding.status ? `HTTP ${finding.status}` : null, finding.error_type || null].filter(Boolean).join(" ");
    says.append(element("span", "evidence", [answer, finding.evidence].filter(Boolean).join(" · ")));
    own.append(says);
  }
  for (const related of finding.related) {
    const to = finding.partner !== undefined ? link(finding.d, finding.partner, page) : `${related.pointer} ${related.line}:${related.column}`;
    own.append(element("div", "related", `${related.message}: `, to));
  }
  if (item === null && finding.line > 0) own.append(element("div", "related", `at ${finding.pointer || "record " + finding.record} ${finding.line}:${finding.column}`));
  if (finding.fix) {
    const terms = [LOSSES[finding.fix.loss], finding.fix.flag ? `requires ${finding.fix.flag}` : null];
    own.append(element("div", "fix", element("span", "label", "fix"), finding.fix.title, element("span", "terms", terms.filter(Boolean).join(", "))));
  } else if (finding.no_fix) {
    own.append(element("div", "fix none", element("span", "label", "no fix"), finding.no_fix));
  }
  const elsewhere = [];
  for (const c of finding.changes ?? []) {
    const change = page.model.docs[finding.d].changes[c];
    if (item === null || change.item !== item.i) elsewhere.push(change);
    else if (!drawn.has(c) && change.lines?.length > 0) own.append(beforeAfter(change, page));
    if (change.item === item?.i) drawn.add(c);
  }
  const command = commandFor(finding, page.model.docs[finding.d]);
  if (command) own.append(commandRow(command));
  if (elsewhere.length > 0) {
    const links = elsewhere.slice(0, 8).flatMap((change) => [" ", link(finding.d, change.item, page)]);
    const more = elsewhere.length > 8 ? ` and ${elsewhere.length - 8} more` : "";
    own.append(element("div", "related", "also changes", ...links, more));
  }
  return own;
}

// The command that repairs a finding, or explains it where nothing does; none if the file has no name.
function commandFor(finding, doc) {
  if (doc.command !== "check" && doc.command !== "fix") return null;
  if (!finding.fix || finding.state === "fixed") return `replaylint explain ${finding.rule}`;
  if (doc.path.startsWith("<") || doc.path === "-") return null;
  return ["replaylint fix -w", finding.fix.flag, quoted(doc.path)].filter(Boolean).join(" ");
}

// A path as a word of a POSIX shell.
function quoted(path) {
  const safe = path.startsWith("-") ? `./${path}` : path;
  return /^[\w./@%+=:,-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

function commandRow(command) {
  const words = element("code", null, command);
  const copy = element("button", "link", "copy this command");
  copy.type = "button";
  copy.addEventListener("click", async (event) => {
    event.stopPropagation();
    try {
      await navigator.clipboard.writeText(command);
    } catch {
      // Without the right to write, the words are selected for the keys.
      getSelection().selectAllChildren(words);
      if (!document.execCommand("copy")) return;
    }
    copy.textContent = "copied";
  });
  return element("div", "command", words, copy);
}

function changeCard(change, doc, page) {
  const head = element("div", "head", element("span", "code", change.rule), element("span", "message", change.what),
    element("span", "terms", LOSSES[change.loss]));
  if (change.other !== undefined) head.append(link(doc.d, change.other, page));
  const own = element("div", "card change", head);
  if (change.lines?.length > 0) own.append(beforeAfter(change, page));
  return own;
}

// The item before and after a change. What is only removed can be seen in the item itself, so it is folded.
function beforeAfter(change, page) {
  if (change.lines.some(([sign]) => sign !== "-" && sign !== "~")) return hunk(change.lines);
  const own = element("details", "fold", element("summary", null, "removed"), hunk(change.lines));
  own.addEventListener("toggle", () => page.list.queue());
  return own;
}

// An item before and after.
function hunk(lines) {
  const own = element("pre", "hunk");
  for (const [sign, text, marks] of lines) {
    const name = { "-": "removed", "+": "added", "~": "gap" }[sign] ?? "same";
    own.append(element("span", name, `${sign === "~" ? " " : sign} `, ...marked(text, marks)), "\n");
  }
  own.lastChild?.remove();
  return own;
}

// A text with its changed parts marked, which are given in bytes of UTF-8.
function marked(text, marks) {
  if (marks.length === 0) return [text];
  const bytes = new TextEncoder().encode(text);
  const part = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
  const parts = [];
  let done = 0;
  for (const [from, to] of marks) {
    parts.push(part(done, from), element("mark", null, part(from, to)));
    done = to;
  }
  parts.push(part(done, bytes.length));
  return parts;
}

function details(item, doc, page) {
  const own = element("div", "details");
  const facts = [["pointer", item.pointer], ["id", item.id], ["call_id", item.call_id], ["name", item.name],
    ["record", item.record], ["line", item.line > 0 ? `${item.line}:${item.column}` : null], ["bytes", item.bytes > 0 ? grouped(item.bytes) : null]];
  const list = element("dl");
  for (const [name, value] of facts) if (value) list.append(element("div", null, element("dt", null, name), element("dd", null, String(value))));
  if (item.partners.length > 0) {
    const links = item.partners.flatMap((partner) => [link(doc.d, partner, page), " "]);
    list.append(element("div", null, element("dt", null, item.class === "output" ? "call" : "result"), element("dd", null, ...links)));
  }
  own.append(list);
  if (doc.content && item.says && item.says.length > 80) own.append(element("div", "text", item.says));
  if (item.json) own.append(element("pre", "json", item.json));
  if (!doc.content && item.json) own.append(element("div", "masked", "Texts are masked. Run with --show-content to see them."));
  return own;
}

function link(d, i, page) {
  const item = page.model.docs[d]?.items[i];
  if (item === undefined) return element("span", null, "");
  const own = element("button", "link", `${item.kind} ${item.call_id ?? item.id ?? `#${item.number ?? i + 1}`}`);
  own.type = "button";
  own.addEventListener("click", (event) => {
    event.stopPropagation();
    page.go(item);
  });
  return own;
}

function count(n, thing) {
  const many = thing.endsWith("y") ? `${thing.slice(0, -1)}ies` : `${thing}${thing.endsWith("h") ? "es" : "s"}`;
  return `${grouped(n)} ${n === 1 ? thing : many}`;
}

function grouped(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

// A colour for each branch; neighbours differ.
function hue(n) {
  return `hsl(${(n * 137) % 360} 45% 50%)`;
}
