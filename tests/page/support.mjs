// A browser, and pages that the command writes. What is missing on a machine is named, and its tests are skipped.
//
//   npm install --prefix DIR playwright-core        the protocol; Debian's chromium is the browser
//   PLAYWRIGHT=DIR REPLAYLINT=target/debug/replaylint node --test tests/page/*.test.mjs

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const command = process.env.REPLAYLINT ? resolve(process.env.REPLAYLINT) : join(root, "target/debug/replaylint");
export const playground = process.env.PLAYGROUND ?? join(root, "docs/playground.html");

function protocol() {
  const folder = process.env.PLAYWRIGHT ?? root;
  try {
    return createRequire(join(resolve(folder), "package.json"))("playwright-core");
  } catch {
    return null;
  }
}

const chromium = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((path) => path && existsSync(path));
const playwright = protocol();

export const skip = chromium === undefined ? "no Chromium (apt-get install chromium; CHROMIUM names it)"
  : playwright === null ? "no playwright-core (npm install --prefix DIR playwright-core; PLAYWRIGHT=DIR)" : false;
export const skipPages = skip || (existsSync(command) ? false : "no replaylint (cargo build; REPLAYLINT names it)");
export const skipPlayground = skip || (existsSync(playground) ? false : "no playground (packaging/npm/playground/build.mjs)");

// A browser and a folder for pages, for the tests of one file.
export class Bench {
  async open() {
    this.folder = mkdtempSync(join(tmpdir(), "replaylint-page-"));
    this.browser = await playwright.chromium.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
  }

  async close() {
    await this.browser?.close();
    if (this.folder) rmSync(this.folder, { recursive: true });
  }

  write(name, content) {
    const path = join(this.folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 1));
    return path;
  }

  // The page that a command writes.
  make(...args) {
    const to = join(this.folder, `page-${Math.random().toString(36).slice(2)}.html`);
    const { status, stderr } = spawnSync(command, [...args, "--output-format", `html=${to}`], { cwd: this.folder, encoding: "utf8" });
    if (status > 1) throw new Error(stderr);
    return to;
  }

  // Opens a page. Whatever it complains of, and whatever it asks of a network, is an error.
  async show(path, { width = 1280, height = 800, scheme = "light" } = {}) {
    const page = await this.browser.newPage({ viewport: { width, height }, colorScheme: scheme });
    page.complaints = [];
    page.asked = [];
    page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
    page.on("pageerror", (error) => page.complaints.push(error.stack));
    page.on("dialog", (dialog) => {
      page.complaints.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("request", (request) => page.asked.push(request.url()));
    await page.goto(pathToFileURL(path).href);
    return page;
  }
}
