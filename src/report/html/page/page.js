"use strict";
// The page: filters, search, keys, and the list of what passes them.

const KEYS = [
  ["j / k", "next, previous finding"],
  ["J / K", "next, previous turn"],
  ["/", "search ids, call ids, names, types, pointers"],
  ["Enter", "next match; in the list: open or close the item"],
  ["o", "only items with findings"],
  ["e / w / i", "errors, warnings, notes"],
  ["g / G", "first, last"],
  ["Esc", "leave the search, close this help"],
  ["?", "this help"],
];

// Conversations that are listed in the margin.
const OUTLINE = 500;

class Page {
  constructor(root) {
    this.root = root;
    this.current = null;
    this.search = element("input", "search");
    Object.assign(this.search, { type: "search", placeholder: "Search ids", spellcheck: false, autocomplete: "off" });
    this.search.setAttribute("aria-label", "Search ids, names, types and pointers");
    this.hits = element("span", "hits");
    this.chips = element("div", "chips");
    this.title = element("h1");
    this.side = element("aside", "side");
    this.scroller = element("main", "scroller");
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "list");
    this.ruler = element("canvas", "marks");
    this.window = element("div", "window");
    this.track = element("div", "ruler", this.ruler, this.window);
    this.track.setAttribute("aria-hidden", "true");
    this.help = this.helpDialog();
    const menu = button("menu", "Rules", () => root.classList.toggle("menu-open"));
    const help = button("help", "?", () => this.help.showModal());
    help.title = "Keys (?)";
    this.bar = element("header", "bar", menu, this.title, this.chips, element("label", "find", this.search, this.hits), help);
    this.body = element("div", "body", this.side, element("div", "pane", this.scroller, this.track));
    root.append(this.bar, this.body, this.help);
    this.list = new List(this.scroller, {
      draw: (entry) => rowOf(entry, this),
      estimate: (entry) => estimate(entry, this, this.scroller.clientWidth),
      after: (list) => this.overlay(list),
    });
    this.arcs = new Arcs(this.list.stage);
    this.search.addEventListener("input", () => this.find());
    this.track.addEventListener("click", (event) => {
      const at = (event.clientY - this.track.getBoundingClientRect().top) / this.track.clientHeight;
      this.scroller.scrollTop = at * this.list.heights.total - this.scroller.clientHeight / 2;
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.drawMarks());
    document.addEventListener("keydown", (event) => this.key(event));
    this.scroller.addEventListener("pointerover", (event) => {
      const key = event.target.closest?.(".item")?.dataset.key ?? null;
      if (key !== this.hover) {
        this.hover = key;
        this.arcs.draw(this.list, key ?? this.current);
      }
    });
  }

  load(data) {
    this.model = new Model(data);
    this.current = null;
    this.search.value = "";
    this.scroller.scrollTop = 0;
    // The numbers of a turn and of an item are side by side.
    const items = this.model.docs.flatMap((doc) => doc.items);
    const digits = (number) => String(items.reduce((most, item) => Math.max(most, number(item)), 0)).length;
    const columns = digits((item) => item.number ?? item.i + 1) + digits((item) => item.turn);
    this.body.style.setProperty("--numbers", `${Math.max(40, 18 + 7 * columns)}px`);
    const { command } = data.docs[0] ?? {};
    this.title.replaceChildren(element("span", "brand", "replaylint"), command ? ` ${command}` : "");
    document.title = [data.docs.length === 1 ? data.docs[0].path : null, "replaylint", command].filter(Boolean).join(" ");
    this.update();
    const [, d, i] = /^#(\d+)\.(\d+)$/.exec(location.hash) ?? [];
    const item = this.model.docs[d]?.items[i];
    if (item) this.go(item);
  }

  // Shows what passes the filters.
  update() {
    const anchor = this.list.entries[this.list.anchor().index];
    const entries = this.model.entries();
    this.arcs.tie(entries, this.model.docs);
    this.index = new Map(entries.map((entry, index) => [entry.item?.key, index]));
    this.marks = [];
    entries.forEach((entry, index) => {
      const own = entry.type === "doc" ? entry.findings.length > 0 : entry.type === "item" && this.model.isMarked(entry.item);
      if (own) this.marks.push(index);
    });
    this.list.show(entries);
    this.drawMarks();
    const again = anchor?.item && this.index.get(this.current ?? anchor.item.key);
    if (again !== undefined) this.list.reveal(again);
    this.drawChips();
    this.drawSide();
    this.find(false);
  }

  drawChips() {
    const { model } = this;
    const chips = [];
    const names = model.data.docs.some((doc) => doc.command === "convert")
      ? { error: "error", warning: "loss", info: "change in form" } : { error: "error", warning: "warning", info: "note" };
    for (const severity of SEVERITIES) {
      const n = model.findings.filter((finding) => finding.severity === severity).length;
      if (n > 0) chips.push(this.chip(severity, plural(n, names[severity]), model.severities, severity));
    }
    for (const state of ["fixed", "left"]) {
      const n = model.findings.filter((finding) => finding.state === state && finding.severity !== "info").length;
      if (n > 0) chips.push(this.chip(state, `${grouped(n)} ${state}`, model.states, state));
    }
    const { summary, docs } = model.data;
    if (summary.loses !== undefined) chips.push(element("span", "words", summary.loses ? `loses ${summary.loses}` : "lossless"));
    if (model.compares) chips.push(element("span", "words", summary.words ?? ""));
    else if (model.findings.length === 0) chips.push(element("span", "words", docs.length > 0 ? "no findings" : ""));
    else if (docs.some((doc) => doc.command === "check")) chips.push(element("span", "words", `${grouped(summary.fixable)} fixable`));
    if (this.marks.length > 0 || model.only) {
      const only = button("chip only", model.compares ? "only differences" : "only findings", () => this.toggleOnly());
      only.setAttribute("aria-pressed", String(model.only));
      chips.push(only);
    }
    this.chips.replaceChildren(...chips);
  }

  chip(kind, text, set, value) {
    const own = button(`chip ${kind}`, text, () => this.flip(set, value));
    own.setAttribute("aria-pressed", String(set.has(value)));
    return own;
  }

  flip(set, value) {
    if (!set.delete(value)) set.add(value);
    this.update();
  }

  toggleOnly() {
    this.model.only = !this.model.only;
    this.update();
  }

  drawSide() {
    const { model } = this;
    const parts = [];
    if (model.rules.length > 0) parts.push(element("h3", null, "Rules"));
    for (const rule of model.rules) {
      const own = button(`entry-rule ${rule.severity}`, "", () => {
        model.rule = model.rule === rule.code ? null : rule.code;
        if (model.rule !== null) model.severities.add(rule.severity);
        this.update();
      });
      own.append(element("span", "code", rule.code), element("span", "rule", rule.name), element("span", "count", grouped(rule.count)));
      own.setAttribute("aria-pressed", String(model.rule === rule.code));
      parts.push(own);
    }
    const outline = [];
    const all = model.docs.flatMap((doc) => doc.histories.map((history) => [doc, history]));
    if (all.length > 1) {
      for (const [doc, history] of all.slice(0, OUTLINE)) {
        const { h, bad } = history;
        // The end of a path distinguishes files.
        const file = doc.path.split("/").slice(-2).join("/");
        const name = doc.histories.length === 1 ? file : nameOf(history, doc);
        if (h === 0 && model.docs.length > 1 && doc.histories.length > 1) outline.push(element("div", "file", file));
        const first = doc.items[history.start];
        const own = button("entry-history", "", () => first && this.go(first, false));
        own.append(element("span", "rule", name), element("span", "count", bad > 0 ? String(bad) : ""));
        own.title = doc.path;
        own.classList.toggle("bad", bad > 0);
        outline.push(own);
      }
    }
    if (outline.length > 0) parts.push(element("h3", null, "Conversations"), ...outline);
    if (all.length > OUTLINE) parts.push(element("div", "file", `${grouped(all.length - OUTLINE)} more`));
    this.side.replaceChildren(...parts);
    this.root.classList.toggle("bare", parts.length === 0);
  }

  showsChange(change) {
    return this.model.rule === null || change.rule === this.model.rule;
  }

  overlay(list) {
    this.arcs.draw(list, this.hover ?? this.current);
    const total = Math.max(list.heights.total, 1);
    const { scrollTop, clientHeight } = this.scroller;
    this.window.style.height = `${Math.min(1, clientHeight / total) * 100}%`;
    this.window.style.transform = `translateY(${(scrollTop / total) * clientHeight}px)`;
    // Heights are measured while the list is scrolled: marks move by less than can be seen.
    if (Math.abs(total - (this.marked ?? 0)) > total / 200 || this.ruler.height !== Math.round(clientHeight * ratio())) this.drawMarks();
  }

  // Draws the marks of findings and differences beside the list.
  drawMarks() {
    const { list, ruler } = this;
    const total = Math.max(list.heights.total, 1);
    this.marked = total;
    Object.assign(ruler, { width: Math.round(ruler.clientWidth * ratio()), height: Math.round(this.scroller.clientHeight * ratio()) });
    const context = ruler.getContext("2d");
    const style = getComputedStyle(this.root);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    const colours = { error: colour("error"), warning: colour("warning"), info: colour("info"), good: colour("good") };
    for (const index of this.marks ?? []) {
      const entry = list.entries[index];
      const findings = entry.type === "doc" ? entry.findings : entry.item.findings.filter((finding) => this.model.shows(finding));
      const worst = SEVERITIES.find((severity) => findings.some((finding) => finding.severity === severity));
      context.fillStyle = colours[worst ?? { removed: "error", added: "good" }[entry.item?.fate] ?? "warning"];
      context.fillRect(2 * ratio(), (list.heights.top(index) / total) * ruler.height, ruler.width - 4 * ratio(), 2 * ratio());
    }
  }

  toggle(item) {
    const { open } = this.model;
    if (!open.delete(item.key)) open.add(item.key);
    this.select(item.key);
    const index = this.index.get(item.key);
    if (index !== undefined) this.list.redraw(index);
  }

  // Goes to an item, also where the filters hide it.
  go(item, mark = true) {
    if (!this.index.has(item.key)) {
      this.model.only = false;
      this.update();
    }
    if (mark) this.select(item.key);
    this.list.reveal(this.index.get(item.key), mark);
    this.root.classList.remove("menu-open");
  }

  select(key) {
    const before = this.index.get(this.current);
    this.current = key;
    for (const index of [before, this.index.get(key)]) {
      const own = this.list.drawn.get(index);
      own?.classList.toggle("current", own.dataset.key === key);
    }
    this.arcs.draw(this.list, key);
    if (key !== null) window.history.replaceState(null, "", `#${key}`);
  }

  // The entry before or after the current one, or the window, of those in an ascending list.
  step(among, by) {
    if (among.length === 0) return;
    const at = this.index.get(this.current) ?? this.list.anchor().index + (by > 0 ? -1 : 0);
    const next = by > 0 ? among.find((index) => index > at) : among.findLast((index) => index < at);
    this.jump(next ?? (by > 0 ? among[0] : among.at(-1)));
  }

  jump(index) {
    const { item } = this.list.entries[index];
    if (item) this.select(item.key);
    else this.current = null;
    this.list.reveal(index);
  }

  find(jumps = true) {
    const query = this.search.value.trim().toLowerCase();
    const changed = query !== this.model.query;
    this.model.query = query;
    this.found = [];
    if (query !== "") {
      this.list.entries.forEach((entry, index) => {
        if (entry.type === "item" && this.model.matches(entry.item)) this.found.push(index);
      });
    }
    this.hits.textContent = query === "" ? "" : grouped(this.found.length);
    if (changed) this.list.redraw();
    if (jumps && this.found.length > 0) this.jump(this.found[0]);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const typing = /^(input|textarea|select)$/i.test(event.target.tagName);
    if (typing) {
      if (event.key === "Escape") this.scroller.focus();
      if (event.target === this.search && event.key === "Enter") this.step(this.found, event.shiftKey ? -1 : 1);
      return;
    }
    const turns = () => this.list.entries.flatMap((entry, index) => (entry.item?.begins ? [index] : []));
    const { model } = this;
    const keys = {
      j: () => this.step(this.marks, 1),
      k: () => this.step(this.marks, -1),
      J: () => this.step(turns(), 1),
      K: () => this.step(turns(), -1),
      o: () => this.toggleOnly(),
      e: () => this.flip(model.severities, "error"),
      w: () => this.flip(model.severities, "warning"),
      i: () => this.flip(model.severities, "info"),
      g: () => this.list.entries.length > 0 && this.list.reveal(0, false),
      G: () => this.list.entries.length > 0 && this.list.reveal(this.list.entries.length - 1, false),
      "/": () => this.search.select(),
      "?": () => this.help.showModal(),
      Enter: () => this.index.has(this.current) && event.target === this.scroller && this.toggle(this.list.entries[this.index.get(this.current)].item),
      Escape: () => this.root.classList.remove("menu-open"),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    if (event.key === "Enter" && event.target !== this.scroller) return;
    event.preventDefault();
    keys[event.key]();
    if (event.key !== "/" && event.key !== "?") this.scroller.focus({ preventScroll: true });
  }

  helpDialog() {
    const own = element("dialog", "keys", element("h2", null, "Keys"));
    const list = element("dl");
    for (const [key, what] of KEYS) list.append(element("dt", null, element("kbd", null, key)), element("dd", null, what));
    const close = button("close", "Close", () => own.close());
    own.append(list, element("p", null, "Arcs join calls and their results; a bar beside the rows joins items that are kept or removed together."), close);
    own.addEventListener("click", (event) => event.target === own && own.close());
    return own;
  }
}

function ratio() {
  return window.devicePixelRatio || 1;
}

function plural(n, thing) {
  return thing === "loss" ? `${grouped(n)} ${n === 1 ? "loss" : "losses"}`
    : thing === "change in form" ? `${grouped(n)} ${n === 1 ? "change" : "changes"} in form` : count(n, thing);
}

function button(classes, text, act) {
  const own = element("button", classes, text);
  own.type = "button";
  own.addEventListener("click", act);
  return own;
}

const page = new Page(document.getElementById("app"));
const given = document.getElementById("data");
if (given) page.load(JSON.parse(given.textContent));
