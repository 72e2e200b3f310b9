"""Validates what `convert --to model-messages` and `--to langchain-messages` write with the libraries that read it.

    npm install --prefix target/ai-sdk ai
    python -m venv target/langchain
    target/langchain/bin/pip install langchain-core langchain-openai langchain-anthropic langchain-google-genai
    target/langchain/bin/python tests/sdk/ai_sdk/written.py

Every file of testdata/formats, and every tenth accepted request of the corpus, is converted. The AI SDK's own schema checks
ModelMessages; LangChain loads its messages, and builds requests of them: an integration refuses what its API does not have, so
one of three must take them. Each result and its source are converted to two APIs, and compared by `replaylint diff`: a
difference must have been reported. Exit code 1 if one of these fails.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
TARGETS = ("model-messages", "langchain-messages")
# Two APIs with different forms, and all kinds of content between them.
MODELS = {"bedrock": "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "gemini": "gemini-3-pro-preview"}


# Differences in form alone, by the end of the name of the source.
FORMS = {
    "gemini-response/lines.jsonl": "a content without a role is the user's",
    "google_model_multiple_documents_in_history.request.json": "base64 of the alphabet for URLs",
    "document_as_last_content.1.request.json": "a document of a text type has its text, or its base64",
    "test_bedrock_test_video_url_input.request.json": "what is called a video begins as a PNG, which the AI SDK believes",
}


def own_files():
    return sorted(file for file in (ROOT / "testdata" / "formats").glob("*/*") if file.is_file())


def corpus_files(corpus, every):
    manifest = corpus / "manifest.jsonl"
    entries = [json.loads(line) for line in manifest.open()] if manifest.exists() else []
    accepted = [entry for entry in entries if entry.get("gold") == "accepted"]
    return [corpus / entry["path"] for entry in accepted[::every]]


def run(binary, *args):
    return subprocess.run([binary, *map(str, args)], capture_output=True, text=True, errors="replace")


def convert(binary, target, file):
    """The lists that a file becomes, each with its text, and whether the conversion reported a loss or another change."""
    done = run(binary, "convert", "--isolated", "--to", target, "--output-format", "concise", "-v", file)
    lists, at, decoder = [], 0, json.JSONDecoder()
    while done.stdout[at:].strip():
        start = len(done.stdout) - len(done.stdout[at:].lstrip())
        messages, at = decoder.raw_decode(done.stdout, start)
        lists.append((messages, done.stdout[start:at]))
    return lists, "no losses." not in done.stderr


def body(binary, api, file, folder):
    """The file with what a source becomes for an API, and what the conversion says of it."""
    done = run(binary, "convert", "--isolated", "--to", api, "--model", MODELS[api], "--output-format", "concise", "-v", file)
    out = pathlib.Path(folder, f"{abs(hash(str(file)))}.{api}.json")
    out.write_text(done.stdout)
    return out, done.stderr


def comparison(binary, api, source, file, folder):
    """Whether a list says to an API what its source says, the differences, and what was reported; `None` if the source says
    nothing to it."""
    before, _ = body(binary, api, source, folder)
    after, said = body(binary, api, file, folder)
    if not before.stat().st_size:
        return None, "", ""
    done = run(binary, "diff", "--isolated", "--items-only", before, after)
    return done.returncode == 0, done.stdout[-1200:], said


def langchain_error(messages):
    """Why LangChain does not load a list, or why neither integration makes a request of it."""
    from langchain_anthropic import ChatAnthropic
    from langchain_core.messages import messages_from_dict, messages_to_dict
    from langchain_google_genai.chat_models import _parse_chat_history
    from langchain_openai import ChatOpenAI

    requests = (
        lambda loaded: ChatOpenAI(model="gpt-4.1", api_key="none")._get_request_payload(loaded),
        lambda loaded: ChatAnthropic(model="claude-sonnet-4-5", api_key="none")._get_request_payload(loaded),
        _parse_chat_history,
    )
    try:
        loaded = messages_from_dict(messages)
        messages_to_dict(loaded)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]}"
    errors = []
    for request in requests:
        try:
            request(messages_from_dict(messages))
        except Exception as error:
            errors.append(f"{type(error).__name__}: {str(error)[:150]}")
    return "; ".join(errors) if len(errors) == len(requests) else None


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--binary", default=ROOT / "target" / "debug" / "replaylint")
    args.add_argument("--packages", default=ROOT / "target" / "ai-sdk", help="the folder with node_modules")
    args.add_argument("--corpus", default=os.environ.get("REPLAYLINT_CORPUS") or ROOT / ".." / "shared" / "corpus")
    args.add_argument("--every", type=int, default=10, help="of the corpus, every so many requests")
    args.add_argument("--to", choices=TARGETS, action="append")
    args = args.parse_args()

    files = own_files() + corpus_files(pathlib.Path(args.corpus).resolve(), args.every)
    failed = False
    for target in args.to or TARGETS:
        counts, complaints = collections.Counter(), []
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
            written = pool.map(lambda file: (file, *convert(args.binary, target, file)), files)
            lists = [(f"{file}#{n}", messages, file, text, told, len(all_lists))
                     for file, all_lists, told in written for n, (messages, text) in enumerate(all_lists)]
            counts["lists"] = len(lists)
            if target == "model-messages":
                given = json.dumps({name: messages for name, messages, *_ in lists})
                command = ["node", HERE / "written.mjs", args.packages]
                errors = json.loads(subprocess.run(command, input=given, check=True, stdout=subprocess.PIPE, text=True).stdout)
            else:
                found = {name: langchain_error(messages) for name, messages, *_ in lists}
                errors = {name: error for name, error in found.items() if error}
            counts["refused"] = len(errors)
            complaints += [f"{name}: refused: {error}" for name, error in errors.items()]

            def check(each):
                number, (name, _, source, text, told, count) = each
                file = pathlib.Path(folder, f"{target}.{number}.json")
                file.write_text(text)
                # The parts of a file with several conversations are not compared one by one.
                each_api = [] if count > 1 else MODELS
                return name, told, [(api, *comparison(args.binary, api, source, file, folder)) for api in each_api]

            for name, told, found in pool.map(check, enumerate(lists)):
                for api, equal, text, said in found:
                    reported = told or "warning" in said
                    is_form = any(form in name for form in FORMS)
                    outcome = "equal" if equal else "differs, reported" if reported else "differs in form" if is_form else "differs, unreported"
                    counts[f"{api}: " + ("not converted" if equal is None else outcome)] += 1
                    if equal is False and not reported and not is_form:
                        complaints.append(f"{name}: says something else to {api}, and nothing was reported\n{text}")
        print(f"{target}: " + ", ".join(f"{number} {kind}" for kind, number in counts.items()))
        print("\n".join(complaints))
        failed |= bool(complaints)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
