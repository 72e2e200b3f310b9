#!/usr/bin/env python3
"""Runs the steps of action.yml on this machine, as a runner does.

    packaging/run_action.py [--workspace FOLDER] [NAME=VALUE ...]

NAME=VALUE sets inputs. Steps that use other actions are not run, only named with what they would get. The exit code is
that of the first step that fails. It needs PyYAML, which comes with pre-commit.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import yaml
except ImportError:
    sys.exit("error: no PyYAML found; pip install pyyaml")

ACTION = Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workspace", default=".")
    parser.add_argument("inputs", nargs="*")
    args = parser.parse_args()
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    inputs = {name: str(spec.get("default", "")) for name, spec in action["inputs"].items()}
    for given in args.inputs:
        name, _, value = given.partition("=")
        if name not in inputs:
            sys.exit(f"error: action.yml has no input {name}")
        inputs[name] = value
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(inputs, Path(folder), args.workspace)
        code = 0
        for step in action["runs"]["steps"]:
            code = runner.run(step)
            if code:
                break
        for name, spec in action["outputs"].items():
            print(f"output {name}: {runner.filled(spec['value'])}")
    sys.exit(code)


class Runner:
    def __init__(self, inputs, folder, workspace):
        self.inputs, self.folder, self.workspace = inputs, folder, workspace
        self.outputs = {}

    def run(self, step):
        if "if" in step and not self.holds(step["if"]):
            return 0
        if "uses" in step:
            given = {name: self.filled(str(value)) for name, value in step.get("with", {}).items()}
            print(f"not run: {step['uses']} with {given}")
            return 0
        output = self.folder / "output"
        output.write_text("")
        environment = {
            **os.environ,
            **{name: self.filled(str(value)) for name, value in step.get("env", {}).items()},
            "GITHUB_OUTPUT": str(output),
            "RUNNER_TEMP": str(self.folder),
        }
        # A runner's flags for `shell: bash`.
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        if step["shell"] != "bash" or "${{" in step["run"]:
            sys.exit(f"error: step '{step['name']}' is not a plain bash script")
        code = subprocess.run(command, env=environment, cwd=self.workspace).returncode
        lines = [line.partition("=") for line in output.read_text().splitlines()]
        self.outputs[step.get("id")] = {name: value for name, _, value in lines}
        return code

    def filled(self, text):
        return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda found: self.value(found[1]), text)

    def value(self, expression):
        parts = expression.split(".")
        if parts[0] == "inputs":
            return self.inputs[parts[1]]
        if expression == "github.action_path":
            return str(ACTION)
        if parts[0] == "steps" and parts[2] == "outputs":
            return self.outputs.get(parts[1], {}).get(parts[3], "")
        sys.exit(f"error: unknown expression {expression}")

    def holds(self, condition):
        left, _, right = condition.partition(" == ")
        return self.value(left) == right.strip("'")


if __name__ == "__main__":
    main()
