#!/usr/bin/env python3
"""Builds the site in target/site/html from the README, docs/ and the pages of the rules, and looks for dead links in it.

    packaging/site/build.py [--mdbook PROGRAM]

mdBook makes it (`cargo install mdbook --version 0.5.4 --locked`), with a search that works from a disk. The playground is
part of it if `packaging/npm/build.sh` and `playground/build.mjs` have built docs/playground.html; else its page says how.
Set REPLAYLINT_SITE to the address of the site when the program is built, and the help links of its reports lead there.
"""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "target" / "site"
SRC = OUT / "src"

# The pages: a file of the checkout, and its place in the site. Those of docs/ keep their name.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "ARCHITECTURE.md": "architecture.md",
    "packaging/npm/README.md": "npm.md",
    "packaging/go/README.md": "go.md",
    "packaging/python/README.md": "python-package.md",
    "benches/README.md": "benches.md",
    "tests/count/README.md": "tests-count.md",
    "tests/sdk/README.md": "tests-sdk.md",
}
# The chapters, in order; what docs/ has besides comes last.
CHAPTERS = {
    "Use": ["fix", "convert", "agents", "ci", "editor", "recipes", "page", "playground"],
    "Reference": ["rules/index", "formats", "targets", "config"],
    "Systems": ["systems", "coder", "ag2", "kode", "iterate"],
    "Languages": ["python", "python-package", "npm", "go", "serve", "spark"],
    "Project": ["evidence", "trust", "benches", "architecture", "contributing", "tests-count", "tests-sdk", "changelog"],
}


def title(page):
    return next(line for line in (SRC / page).read_text().splitlines() if line.startswith("# "))[2:].strip()


def gather():
    """Copies the pages, with links that lead from their place in the site."""
    shutil.rmtree(OUT, ignore_errors=True)
    SRC.mkdir(parents=True)
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        PAGES[name] = name.removeprefix("docs/").replace("README.md", "index.md")
    for name, place in PAGES.items():
        text = (ROOT / name).read_text()
        folder, to_folder = os.path.dirname(name), os.path.dirname(place)

        def moved(match):
            link = match[1]
            if re.match(r"[a-z]+:|#", link):
                return match[0]
            file, _, heading = link.partition("#")
            target = os.path.normpath(os.path.join(folder, file))
            if target == "docs/playground.html":
                target = "playground.md"
            elif target in PAGES:
                target = PAGES[target]
            elif (ROOT / target).is_file():
                # A file of the checkout that is no page: a schema, a picture, a script.
                copy = SRC / "files" / target
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / target, copy)
                target = f"files/{target}"
            else:
                return match[0]
            return f"]({os.path.relpath(target, to_folder or '.')}{'#' + heading if heading else ''})"

        text = re.sub(r"\]\(([^)\s]+)\)", moved, text)
        text = re.sub(r"```console exit=\d+", "```console", text)
        page = SRC / place
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
    playground = ROOT / "docs" / "playground.html"
    body = "# Playground\n\n"
    if playground.exists():
        shutil.copy(playground, SRC / "playground-app.html")
        body += (
            "Paste or drop a transcript, a request or an error message. Nothing leaves the browser.\n\n"
            '<iframe src="playground-app.html" title="replaylint playground" style="width:100%;height:80vh;border:0"></iframe>\n'
        )
    else:
        print("no docs/playground.html: the site has no playground", file=sys.stderr)
        body += "It was not built for this copy of the site: run `packaging/npm/build.sh` and `node packaging/npm/playground/build.mjs`.\n"
    (SRC / "playground.md").write_text(body)


def summary():
    """The list of chapters, with a page for each rule below the table of rules."""
    lines, listed = ["# Summary", "", "[replaylint](index.md)", ""], {"index.md"}
    rules = sorted(path.relative_to(SRC).as_posix() for path in (SRC / "rules").glob("RL*.md"))
    for part, pages in CHAPTERS.items():
        lines += [f"# {part}", ""]
        for page in pages:
            page += ".md"
            lines.append(f"- [{title(page)}]({page})")
            listed.add(page)
            if page == "rules/index.md":
                lines += [f"  - [{title(rule)}]({rule})" for rule in rules]
        lines.append("")
    rest = sorted(path.name for path in SRC.glob("*.md") if path.name not in listed and path.name != "SUMMARY.md")
    lines += ["# More", ""] + [f"- [{title(page)}]({page})" for page in rest] if rest else []
    (SRC / "SUMMARY.md").write_text("\n".join(lines) + "\n")
    return len(rules)


class Links(html.parser.HTMLParser):
    """The links of a page, and what links to it can name."""

    def __init__(self):
        super().__init__()
        self.links, self.ids = [], set()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(attributes[key] for key in ("id", "name") if attributes.get(key))
        for key in ("href", "src"):
            if attributes.get(key):
                self.links.append(attributes[key])


def check(site):
    """The links that lead nowhere, in pages and from them to headings."""
    pages = {}
    for path in site.rglob("*.html"):
        if path.name != "playground-app.html":
            pages[path] = Links()
            pages[path].feed(path.read_text())
    dead, count = [], 0
    for path, page in pages.items():
        # The page for addresses that do not exist has absolute links to where the site will be.
        if path.name == "404.html":
            continue
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            to = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            heading = urllib.parse.unquote(parts.fragment)
            if not to.exists() or (heading and to in pages and heading not in pages[to].ids):
                dead.append(f"{path.relative_to(site)}: {link}")
    return len(pages), count, dead


def main():
    mdbook = sys.argv[sys.argv.index("--mdbook") + 1] if "--mdbook" in sys.argv else shutil.which("mdbook")
    if not mdbook:
        sys.exit("mdbook is not installed: cargo install mdbook --version 0.5.4 --locked")
    gather()
    rules = summary()
    shutil.copy(ROOT / "packaging" / "site" / "book.toml", OUT / "book.toml")
    subprocess.run([mdbook, "build", "--dest-dir", OUT / "html", OUT], check=True)
    pages, links, dead = check(OUT / "html")
    print(f"{OUT.relative_to(ROOT)}/html: {pages} pages, {rules} of them rules; {links} links, {len(dead)} dead")
    if dead:
        sys.exit("\n".join(sorted(set(dead))))


main()
