// The playground: what is pasted or dropped is judged, repaired and converted here, and shown on the page.

const EXAMPLE = JSON.stringify({
  model: "claude-sonnet-4-5",
  max_tokens: 1024,
  messages: [
    { role: "user", content: "What is the weather in Rome and Oslo?" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I'll look up both." },
        { type: "tool_use", id: "toolu_01A", name: "weather", input: { city: "Rome" } },
        { type: "tool_use", id: "toolu_01B", name: "weather", input: { city: "Oslo" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01A", content: "22 degrees, clear" }] },
    { role: "assistant", content: "Rome is warm and clear." },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_09X", content: "4 degrees" }] },
  ],
}, null, 2);
// What is typed is judged after a pause.
const PAUSE = 250;
const DIALECTS = ["responses", "chat", "anthropic", "gemini", "bedrock"];

const lint = library(await engineFor(await unpacked()));
const desk = element("section", "desk");
document.body.classList.add("playground");
document.body.prepend(desk);

const target = select("Target", [["", "as detected"], ...targets()]);
const usage = select("Judge as", [["", "as detected"], ["request", "request"], ["log", "log"]]);
const dialect = select("", DIALECTS.map((name) => [name, name]));
const masked = element("input");
masked.type = "checkbox";
const example = button("act", "Example", () => set(EXAMPLE));
const file = element("input");
Object.assign(file, { type: "file", hidden: true });
const open = button("act", "Open…", () => file.click());
const text = element("textarea");
Object.assign(text, { spellcheck: false, wrap: "off", placeholder: "Paste a transcript, a request or an error message here, or drop a file." });
text.setAttribute("aria-label", "Transcript or error message");
const product = element("textarea");
Object.assign(product, { readOnly: true, hidden: true, spellcheck: false, wrap: "off" });
product.setAttribute("aria-label", "Result");
const words = element("span", "words");
const adopt = button("act adopt", "Use as input", () => set(product.value));
const copy = button("act copy", "Copy", () => copied());
const download = button("act download", "Download", () => downloaded());
const tabs = element("div", "tabs");
tabs.setAttribute("role", "tablist");
for (const name of ["input", "repaired", "converted"]) {
  const own = button("", { input: "Input", repaired: "Repaired", converted: "Converted to" }[name], () => show(name));
  own.dataset.tab = name;
  own.setAttribute("role", "tab");
  tabs.append(own);
}
dialect.label.classList.add("to");
tabs.append(dialect.label);
desk.append(
  element("div", "controls", open, example, target.label, usage.label, element("label", null, masked, "mask texts"), file),
  tabs, text, product,
  element("div", "foot", words, adopt, copy, download),
  element("div", "promise", "Nothing leaves this page: its content security policy (default-src 'none') blocks every connection."),
);

let tab = "input";
let name = "input.json";
let timer;
text.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(judge, PAUSE);
});
for (const own of [target.own, usage.own, dialect.own, masked]) own.addEventListener("change", judge);
file.addEventListener("change", () => file.files[0] && take(file.files[0]));
desk.addEventListener("dragover", (event) => {
  event.preventDefault();
  desk.classList.add("over");
});
desk.addEventListener("dragleave", () => desk.classList.remove("over"));
desk.addEventListener("drop", (event) => {
  event.preventDefault();
  desk.classList.remove("over");
  const [dropped] = event.dataTransfer.files;
  if (dropped) take(dropped);
  else set(event.dataTransfer.getData("text/plain"));
});
globalThis.playground = { set, show, lint };
page.load({ docs: [], summary: {} });
show("input");
document.documentElement.dataset.ready = "";

// The module, from the text that holds it.
async function unpacked() {
  const packed = Uint8Array.from(atob(document.getElementById("wasm").textContent), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

function targets() {
  return JSON.parse(lint.run("targets", "--output-format", "json")).targets.map((known) => [known.name, known.name]);
}

function select(title, choices) {
  const own = element("select");
  for (const [value, words] of choices) {
    const option = element("option", null, words);
    option.value = value;
    own.append(option);
  }
  return { own, label: element("label", null, title, own), get value() { return own.value; } };
}

async function take(dropped) {
  name = dropped.name;
  set(await dropped.text(), false);
}

function set(value, renames = true) {
  if (renames) name = "input.json";
  text.value = value;
  show("input");
  judge();
}

function options() {
  return { name, ...(target.value && { target: target.value }), ...(usage.value && { as: usage.value }) };
}

// Says what is wrong, and shows it on the page; in the other tabs, what is made of it.
function judge() {
  const given = text.value;
  document.querySelector(".explained")?.remove();
  const began = performance.now();
  try {
    if (given.trim() === "") {
      page.load({ docs: [], summary: {} });
      say("");
      return;
    }
    const fixes = tab === "repaired";
    const data = lint.page(given, options(), { fixed: fixes, content: !masked.checked });
    if (data.summary.histories === 0 && explained(given)) return;
    if (tab !== "converted") page.load(data);
    if (fixes) {
      const fixed = lint.fix(given, options());
      product.value = fixed.value;
      say(`${count(fixed.changes.length, "change")}; ${count(fixed.summary.errors, "error")} left`);
    } else if (tab === "converted") {
      const { requests, losses } = lint.convert(given, dialect.value, options());
      page.load(withLosses(data, losses.diagnostics));
      product.value = requests.map((request) => JSON.stringify(request, null, 2)).join("\n");
      say(`${count(requests.length, "request")}, ${plural(losses.summary.warnings, "loss")}`);
    } else {
      const { errors, warnings, items } = data.summary;
      say(`${count(errors, "error")}, ${count(warnings, "warning")} in ${count(items, "item")}, ${Math.round(performance.now() - began)} ms`);
    }
  } catch (error) {
    product.value = "";
    page.load({ docs: [], summary: {} });
    say(error.message, true);
  }
}

// The same page with what a conversion loses, at its source.
function withLosses(data, losses) {
  const [doc] = data.docs;
  const item = ({ record, pointer }) => {
    let found = null;
    doc.items.forEach((own, i) => {
      const holds = own.record === record && `${pointer}/`.startsWith(`${own.pointer ?? ""}/`);
      if (holds && (found === null || (own.pointer ?? "").length > (doc.items[found].pointer ?? "").length)) found = i;
    });
    return found;
  };
  const findings = losses.map((loss) => ({ ...loss, item: item(loss) }));
  return { ...data, docs: [{ ...doc, command: "convert", findings, changes: [] }] };
}

// Whether it is an error message that is known; then it is explained instead.
function explained(given) {
  if (given.length > 20_000) return false;
  const { recognised } = lint.explain(given);
  if (recognised.length === 0) return false;
  page.load({ docs: [], summary: {} });
  const own = element("div", "explained");
  for (const one of recognised) {
    own.append(element("h2", null, one.rule ? `${one.rule} ${one.name}` : one.topic ?? "A known error that no rule can find in a file"),
      element("div", "card error", element("div", "api", element("q", null, one.api_message))),
      one.because ? element("p", null, one.because) : null, element("p", null, one.remedy));
  }
  page.scroller.prepend(own);
  say(`${recognised.length === 1 ? "A known error" : `${recognised.length} known errors`}`);
  return true;
}

function show(which) {
  tab = which;
  for (const own of tabs.querySelectorAll("[data-tab]")) own.setAttribute("aria-selected", String(own.dataset.tab === which));
  text.hidden = which !== "input";
  product.hidden = which === "input";
  adopt.hidden = copy.hidden = download.hidden = which === "input";
  adopt.hidden ||= which === "converted";
  judge();
}

function say(what, isTrouble = false) {
  words.textContent = what;
  words.classList.toggle("trouble", isTrouble);
}

async function copied() {
  try {
    await navigator.clipboard.writeText(product.value);
  } catch {
    // Where a page may not use the clipboard, the keyboard may.
    product.select();
    say("Press Ctrl+C to copy");
    return;
  }
  say("copied");
}

function downloaded() {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([product.value], { type: "application/json" }));
  link.download = tab === "repaired" ? name.replace(/(\.[^.]*)?$/, ".fixed$1") : `${dialect.value}-request.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
