"""Compares what the Vercel AI SDK sends with what `replaylint convert` makes of the same ModelMessages.

    npm install --prefix target/ai-sdk ai @ai-sdk/anthropic @ai-sdk/openai @ai-sdk/google @ai-sdk/amazon-bedrock
    python tests/sdk/ai_sdk/compare.py                        all cases
    python tests/sdk/ai_sdk/compare.py --case pdf --to chat   some of them, with both bodies

Each difference is of a class of `differences.toml`, where its reason is; one of no class, and a class without a difference, are
failures. Exit code 1 if there is one.
"""

import argparse
import base64
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import bodies

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]

# The models decide what is sent: that of Gemini takes media in results, that of OpenAI's Responses API reasons.
MODELS = {
    "anthropic": "claude-sonnet-4-5",
    "chat": "gpt-4.1",
    "responses": "gpt-5.2",
    "gemini": "gemini-3-pro-preview",
    "bedrock": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
}


def read_cases():
    """The constants, and the cases by name, each as the text of a JSON list."""
    table = tomllib.loads((HERE / "cases.toml").read_text())
    constants = dict(table["constants"])
    png = base64.b64decode(constants["png"])
    pdf = base64.b64decode(constants["pdf"])
    constants |= {
        "png_numbers": json.dumps(list(png)),
        "pdf_numbers": json.dumps(list(pdf)),
        "png_members": json.dumps({str(n): byte for n, byte in enumerate(png)}),
    }
    cases = {}
    for name, text in table["cases"].items():
        for constant, value in constants.items():
            text = text.replace("{" + constant + "}", value)
        json.loads(text)
        cases[name] = text
    return constants, cases


def caught(folder, constants, cases):
    """What the SDK sends, by case and API."""
    given = json.dumps({"cases": cases, "models": MODELS, "constants": constants})
    command = ["node", HERE / "caught.mjs", folder]
    return json.loads(subprocess.run(command, input=given, check=True, stdout=subprocess.PIPE, text=True).stdout)


def converted(binary, file, api):
    command = [binary, "convert", "--isolated", "--to", api, "--model", MODELS[api], file]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout.strip():
        return {"error": done.stderr.strip()}
    return {"body": json.loads(done.stdout), "said": done.stderr}


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--binary", default=ROOT / "target" / "debug" / "replaylint")
    args.add_argument("--packages", default=ROOT / "target" / "ai-sdk", help="the folder with node_modules")
    args.add_argument("--case", action="append")
    args.add_argument("--to", choices=MODELS, action="append")
    args = args.parse_args()

    constants, cases = read_cases()
    chosen = {name: text for name, text in cases.items() if not args.case or name in args.case}
    apis = args.to or list(MODELS)
    sent = caught(args.packages, constants, chosen)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        files = {}
        for name, text in chosen.items():
            files[name] = pathlib.Path(folder, f"{name}.json")
            files[name].write_text(text)
        jobs = {(name, api): pool.submit(converted, args.binary, files[name], api) for name in chosen for api in apis}
        ours = {key: job.result() for key, job in jobs.items()}

    classes = bodies.read_classes(HERE / "differences.toml")
    counts, unexplained = collections.Counter(), []
    for (name, api), own in ours.items():
        theirs = sent[name][api]
        if args.case:
            print(f"== {name} {api}\nSDK  {json.dumps(theirs, ensure_ascii=False)}\nours {json.dumps(own, ensure_ascii=False)}")
        found = bodies.differences(api, theirs, own)
        outcome = "equal" if not found else "explained"
        for difference in found:
            known = next((each for each in classes if each.explains(name, api, difference)), None)
            if known is None:
                unexplained.append((name, api, difference))
                outcome = "unexplained"
            else:
                known.used += 1
        counts[api, outcome] += 1
    for name, api, difference in unexplained:
        print(f"{name} {api}: {difference}")
    for api in apis:
        print(f"{api}: " + ", ".join(f"{counts[api, kind]} {kind}" for kind in ("equal", "explained", "unexplained")))
    unused = [] if args.case or args.to else [each for each in classes if not each.used]
    for each in classes if not args.case and not args.to else []:
        print(f"{each.used:5} {each.name}")
    for each in unused:
        print(f"no difference is of the class {each.name}")
    sys.exit(1 if unexplained or unused else 0)


if __name__ == "__main__":
    main()
