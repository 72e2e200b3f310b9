#!/usr/bin/env node
// The command, for where no native one is installed: files named one by one, with the flags and exit codes of the native one.

import { constants, copyFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { ReplaylintError, check, convert, diff, fix, run, version } from "./node.js";

const HELP = `replaylint ${version} (WebAssembly)

Usage: replaylint COMMAND [OPTIONS] [FILE...]

Commands:
  check FILE...             report what a provider would reject
  fix FILE...               repair: to standard output, with -o to FILE, with -w in place
  convert FILE --to NAME    requests of another API: responses, chat, anthropic, gemini, bedrock
  diff A B                  compare two histories item by item
  explain, rules, formats, targets

Options:
      --target NAME         API that the conversation is replayed to
      --format NAME         stored format; else it is detected
      --store true|false    whether the server stores the items
      --model NAME          model, if the file does not say
      --effort LEVEL        reasoning effort, if the file does not say
      --as request|log      judge as a request, or as a log
      --pointer POINTER     where in each record the conversation is
      --select RULE,...     only these rules
      --ignore RULE,...     all but these rules
      --orphans drop|stub|text   fix: what to do with unanswered calls
      --reasoning HOW       fix: auto, reference, inline, keep, strip
      --for MODEL           model that goes on with it: MODEL or TARGET:MODEL
      --account-changed     it goes on in another account
      --max-tokens N        fix: shorten it to about N tokens
      --keep WHAT           fix: what --max-tokens keeps: prompts, last=N
      --images HOW          fix: drop, keep-last=N, shrink
      --max-images N, --max-image-bytes N, --max-image-pixels N
                            fix: images above it become a text, or are shrunk
      --lossless            fix: only what takes nothing from what the model saw
      --fix-warnings        fix: also warnings
      --output-format NAME  concise or json [default: concise]
      --deny-warnings       exit with 1 on warnings, too
  -o, --output FILE         write the result to FILE, which must not exist
  -w, --write               fix: replace the files, keeping a backup of each
      --force               replace an existing FILE, or one that was changed just now
  -q, --quiet               no summary

Standard input is read where FILE is - or missing. Folders, databases, compressed files, tree, rebuild, slim and pages
need the native command. Exit codes: 0 no errors, 1 errors, 2 the job could not be done.
`;

const LIMITS = { "max-images": "maxImages", "max-image-bytes": "maxImageBytes", "max-image-pixels": "maxImagePixels", "max-tokens": "maxTokens" };
const TEXTS = ["target", "format", "store", "model", "effort", "as", "pointer", "orphans", "reasoning", "images", "keep", "for", "to"]
  .concat(Object.keys(LIMITS));
// What is said after a change.
const LOSSES = { lossless: "", adds: " (lossless and adds a placeholder)", lossy: " (lossy)" };
const FLAGS = ["lossless", "account-changed", "fix-warnings", "deny-warnings", "force"];

class Usage extends Error {}

function parsed(args) {
  const options = {
    select: { type: "string", multiple: true },
    ignore: { type: "string", multiple: true },
    "output-format": { type: "string" },
    output: { type: "string", short: "o" },
    write: { type: "boolean", short: "w" },
    quiet: { type: "boolean", short: "q" },
    help: { type: "boolean", short: "h" },
  };
  for (const name of TEXTS) options[name] = { type: "string" };
  for (const name of FLAGS) options[name] = { type: "boolean" };
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new Usage(error.message);
  }
}

function optionsOf(values, name) {
  const options = { name };
  for (const key of ["target", "format", "model", "effort", "as", "pointer", "orphans", "reasoning", "images", "keep", "lossless"]) {
    if (values[key] !== undefined) options[key] = values[key];
  }
  for (const [flag, key] of Object.entries(LIMITS)) {
    if (values[flag] === undefined) continue;
    if (!/^\d+$/.test(values[flag])) throw new Usage(`--${flag} is a number`);
    options[key] = Number(values[flag]);
  }
  if (values.store !== undefined) {
    if (!["true", "false"].includes(values.store)) throw new Usage("--store is true or false");
    options.store = values.store === "true";
  }
  if (values["fix-warnings"]) options.fixWarnings = true;
  if (values["account-changed"]) options.accountChanged = true;
  if (values.for !== undefined) options.forModel = values.for;
  for (const key of ["select", "ignore"]) {
    if (values[key]) options[key] = values[key].flatMap((rules) => rules.split(","));
  }
  return options;
}

function read(path) {
  return new Uint8Array(readFileSync(path === "-" ? 0 : path));
}

function lines(report) {
  const shown = report.diagnostics.filter((diagnostic) => diagnostic.severity !== "info");
  return shown.map((d) => {
    const pointer = d.pointer ? ` (${d.pointer}${d.inner_pointer ? ` → ${d.inner_pointer}` : ""})` : "";
    const cure = d.fix ? ` [fix: ${d.fix.title}${d.fix.flag ? `, requires ${d.fix.flag}` : ""}]` : "";
    return `${d.path}:${d.line}:${d.column}: ${d.severity} ${d.rule} ${d.message}${pointer}${cure}\n`;
  }).join("");
}

const count = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;
const say = (text) => process.stderr.write(`${text}\n`);

function merged(reports) {
  const summary = {};
  for (const report of reports) {
    for (const [key, n] of Object.entries(report.summary)) summary[key] = (summary[key] ?? 0) + n;
  }
  const all = (key) => reports.flatMap((report) => report[key]);
  return { version: 1, summary, inputs: all("inputs"), diagnostics: all("diagnostics") };
}

// The files that could be read; the others are named.
function eachFile(paths, work) {
  let failed = false;
  const done = [];
  for (const path of paths.length > 0 ? paths : ["-"]) {
    try {
      done.push(work(path, read(path)));
    } catch (error) {
      if (error instanceof Usage || !(error instanceof ReplaylintError || error.code)) throw error;
      say(`replaylint: ${path}: ${error.message}`);
      failed = true;
    }
  }
  return { done, failed };
}

function code(failed, found) {
  return failed ? 2 : found ? 1 : 0;
}

function runCheck(paths, values) {
  const json = jsonWanted(values);
  const { done, failed } = eachFile(paths, (path, bytes) => check(bytes, optionsOf(values, path)));
  const report = merged(done);
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : lines(report));
  const { errors = 0, warnings = 0, fixable = 0, histories = 0 } = report.summary;
  if (!json && !values.quiet) {
    say(errors + warnings === 0 ? `No errors in ${count(histories, "conversation")}.`
      : `Found ${count(errors, "error")} and ${count(warnings, "warning")} in ${count(histories, "conversation")}; ${fixable} fixable.`);
  }
  return code(failed || done.some(unknown), errors > 0 || (values["deny-warnings"] && warnings > 0));
}

// Nothing was recognised: that is no success.
function unknown(report) {
  return report.inputs.every((input) => input.format === null);
}

function runFix(paths, values) {
  const json = jsonWanted(values);
  if (values.write && (values.output || paths.length === 0)) throw new Usage("-w replaces files; it goes without -o and standard input");
  if (!values.write && paths.length > 1) throw new Usage("several files are repaired with -w only");
  const { done, failed } = eachFile(paths, (path, bytes) => {
    const fixed = fix(bytes, optionsOf(values, path));
    if (values.write && fixed.changed) replace(path, fixed.value, values.force);
    if (!values.write) write(values, fixed.value);
    return fixed;
  });
  for (const fixed of done) {
    if (json) {
      const { value, changed, ...report } = fixed;
      say(JSON.stringify(report, null, 2));
    } else {
      for (const c of fixed.changes) say(`${c.path}:${c.line}:${c.column}: ${c.rule} ${c.what}${LOSSES[c.loss]}`);
      process.stderr.write(lines(fixed));
    }
  }
  const left = done.reduce((n, fixed) => n + fixed.summary.errors, 0);
  const changes = done.reduce((n, fixed) => n + fixed.changes.length, 0);
  if (!json && !values.quiet) say(`Fixed: ${count(changes, "change")}. ${left === 0 ? "No errors remain." : `${count(left, "error")} left.`}`);
  return code(failed || done.some(unknown), left > 0);
}

function runConvert(paths, values) {
  if (!values.to) throw new Usage("--to is missing: responses, chat, anthropic, gemini or bedrock");
  if (paths.length > 1) throw new Usage("convert takes one file");
  const { done, failed } = eachFile(paths, (path, bytes) => {
    const converted = convert(bytes, values.to, optionsOf(values, path));
    const text = converted.requests.map((request) => `${JSON.stringify(request)}\n`).join("");
    write(values, new TextEncoder().encode(text));
    process.stderr.write(lines(converted.losses));
    return converted;
  });
  return code(failed, done.some((converted) => converted.failed > 0));
}

function runDiff(paths, values) {
  if (paths.length !== 2) throw new Usage("diff takes two files");
  const json = jsonWanted(values);
  const difference = diff(read(paths[0]), read(paths[1]), optionsOf(values, ""));
  if (json) process.stdout.write(`${JSON.stringify(difference, null, 2)}\n`);
  for (const history of json ? [] : difference.histories) {
    for (const entry of history.entries) {
      const places = [entry.before?.pointer, entry.after?.pointer].filter((at) => at !== undefined);
      process.stdout.write(`${entry.action} ${entry.kind} ${entry.id ?? ""} ${[...new Set(places)].join(" → ")}`.replace(/ +/g, " ") + "\n");
    }
  }
  const { same, ...others } = difference.summary;
  const differs = Object.values(others).some((n) => n > 0) || difference.reordered;
  if (!json && !values.quiet) say(Object.entries(difference.summary).filter(([, n]) => n > 0).map(([what, n]) => `${n} ${what}`).join(", "));
  return code(false, differs);
}

function jsonWanted(values) {
  const format = values["output-format"] ?? "concise";
  if (!["concise", "json"].includes(format)) throw new Usage(`unknown output format '${format}': it is concise or json`);
  return format === "json";
}

function write(values, bytes) {
  if (!values.output) process.stdout.write(bytes);
  else writeFileSync(values.output, bytes, { mode: 0o600, flag: values.force ? "w" : "wx" });
}

// Seconds in which a file that was just written may still be in use.
const FRESH = 10;

// Replaces a file in one step. An older backup is never overwritten.
function replace(path, bytes, force) {
  const { mode, mtimeMs } = statSync(path);
  if (!force && Date.now() - mtimeMs < FRESH * 1000) {
    throw new ReplaylintError("changed in the last 10 seconds", "--force replaces it all the same");
  }
  let backup = `${path}.bak`;
  for (let n = 1; existsSync(backup); n++) backup = `${path}.bak.${n}`;
  copyFileSync(path, backup, constants.COPYFILE_EXCL);
  const made = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(made, bytes, { mode, flag: "wx" });
    renameSync(made, path);
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
  say(`${path}: fixed; backup: ${backup}`);
}

const COMMANDS = { check: runCheck, fix: runFix, convert: runConvert, diff: runDiff };

function main([command, ...args]) {
  if (command === "--version" || command === "-V") {
    process.stdout.write(`replaylint ${version}\n`);
    return 0;
  }
  if (command === undefined || command === "--help" || command === "-h" || command === "help") {
    process.stdout.write(HELP);
    return command === undefined ? 2 : 0;
  }
  if (["explain", "rules", "formats", "targets"].includes(command)) {
    process.stdout.write(run(command, ...args));
    return 0;
  }
  if (!Object.hasOwn(COMMANDS, command)) throw new Usage(`unknown command '${command}'; replaylint --help lists them`);
  const { values, positionals } = parsed(args);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  return COMMANDS[command](positionals, values);
}

// A reader that has seen enough is no error.
process.stdout.on("error", (error) => process.exit(error.code === "EPIPE" ? 0 : 2));
try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Usage || error instanceof ReplaylintError || error.code)) throw error;
  say(`replaylint: ${error.message}`);
  process.exitCode = 2;
}
