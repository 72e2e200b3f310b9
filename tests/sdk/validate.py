"""Converts requests to each other API, and validates each result with the types of the API's official SDK.

    python tests/sdk/validate.py                     the corpus of recorded requests if there is one, and testdata/
    python tests/sdk/validate.py --to bedrock        one target only
    python tests/sdk/validate.py --binary PATH       another binary than target/debug/replaylint

Failures are printed by class (target, type, path, message) with their number and the place of one; never what a conversation
says. Exit code 1 if there is one.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import judge
import known
import samples
import shapes

ROOT = pathlib.Path(__file__).parents[2]

# The dialect of the corpus' folders of requests.
CORPUS_DIALECTS = {
    "openai-chat": "chat",
    "ollama-chat": "chat",
    "openai-responses": "responses",
    "openai-responses-compact": "responses",
    "anthropic-messages": "anthropic",
    "gemini-contents": "gemini",
    "bedrock-converse": "bedrock",
}

# For requests that do not name their model, as those of Gemini and Bedrock, whose models are in the URL.
MODELS = {
    "chat": "gpt-4.1",
    "responses": "gpt-4.1",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-pro",
    "bedrock": "anthropic.claude-sonnet-4-5-20250929-v1:0",
}


def corpus_files(corpus):
    """The accepted requests of the corpus, each with its dialect."""
    for line in (corpus / "manifest.jsonl").open():
        entry = json.loads(line)
        if entry.get("gold") == "accepted":
            yield corpus / entry["path"], CORPUS_DIALECTS[entry["format"]]


def own_files(binary):
    """The files of testdata/formats, whose folders are the names of formats."""
    listed = subprocess.run([binary, "formats", "--output-format", "json"], check=True, capture_output=True).stdout
    dialects = {entry["name"]: entry["dialect"] for entry in json.loads(listed)["formats"]}
    for folder in sorted((ROOT / "testdata" / "formats").iterdir()):
        for file in sorted(folder.rglob("*")):
            if file.is_file() and folder.name in dialects:
                yield file, dialects[folder.name]


def names_model(path):
    """Whether a file is one request that names its model. A file of lines, or a log, may do so in one place and not in another."""
    try:
        body = json.loads(path.read_bytes())
    except ValueError:
        return False
    return isinstance(body, dict) and "model" in body


def convert(binary, target, files, out, model):
    """One process for many files. Which of them could not be converted is not the question here."""
    if not files:
        return
    command = [binary, "convert", "--isolated", "--quiet", "--to", target, "--files-from", "-", "-o", f"{out}/"]
    command += ["--output-format", "concise"] + (["--model", model] if model else [])
    names = "\n".join(map(str, files)).encode()
    done = subprocess.run(command, input=names, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr.decode(errors='replace')[-2000:]}")


class Failures:
    def __init__(self):
        self.counts, self.examples = collections.Counter(), {}

    def add(self, target, wrong, file):
        key = (target, wrong.kind, wrong.path, wrong.message)
        self.counts[key] += 1
        self.examples.setdefault(key, f"{file} at {wrong.at}")

    def print(self):
        for key, count in self.counts.most_common():
            target, kind, path, message = key
            print(f"{target}: {kind} at {path or 'the body'}: {message}")
            print(f"    {count} times, for example {self.examples[key]}")


# A line of a batch, by its first key, and the member with the request.
BATCH_LINES = {"custom_id": ("params", "body"), "key": ("request",), "recordId": ("modelInput",)}


def bodies(text):
    """The requests of a written file: itself, or those in the lines of a batch. A line for training is no request."""
    for line in text.splitlines():
        value = json.loads(line)
        if "non_preferred_output" in value:
            continue
        names = BATCH_LINES.get(next(iter(value), None), ())
        request = next((value[name] for name in names if name in value), None)
        yield line if request is None else json.dumps(request).encode()


def validate(target, out, failures):
    """Number of the results, of those that the types accept, and of those with nothing but known strictness."""
    number = passed = excused = 0
    for folder, _, names in os.walk(out):
        for name in sorted(names):
            file = pathlib.Path(folder, name)
            for body in bodies(file.read_bytes()):
                number += 1
                wrong = judge.judge(target, body)
                real = [each for each in wrong if known.reason(target, each) is None]
                passed += not wrong
                excused += bool(wrong) and not real
                for each in real:
                    failures.add(target, each, file.relative_to(out))
    return number, passed, excused


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--binary", default=ROOT / "target" / "debug" / "replaylint")
    args.add_argument("--corpus", default=os.environ.get("REPLAYLINT_CORPUS") or ROOT / ".." / "shared" / "corpus")
    args.add_argument("--to", choices=shapes.PACKAGES, action="append")
    args = args.parse_args()

    samples.hold()
    corpus = pathlib.Path(args.corpus).resolve()
    files = list(own_files(args.binary))
    if (corpus / "manifest.jsonl").exists():
        files += corpus_files(corpus)
    else:
        print(f"no corpus of recorded requests at {corpus}: only testdata/ is converted")

    failures, total = Failures(), 0
    for target in args.to or shapes.PACKAGES:
        with tempfile.TemporaryDirectory() as out:
            wanted = [file for file, dialect in files if dialect != target]
            nameless = [file for file in wanted if not names_model(file)]
            named = sorted(set(wanted) - set(nameless))
            convert(args.binary, target, named, out, None)
            convert(args.binary, target, nameless, out, MODELS[target])
            number, passed, excused = validate(target, out, failures)
        total += number
        print(f"{target}: {number} bodies from {len(wanted)} files, {shapes.version(target)}: {passed} valid, "
              f"{excused} refused only where the SDK is stricter than the API, {number - passed - excused} refused")
    failures.print()
    if total == 0:
        sys.exit("nothing was converted")
    sys.exit(1 if failures.counts else 0)


if __name__ == "__main__":
    main()
