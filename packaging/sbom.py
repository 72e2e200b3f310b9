#!/usr/bin/env python3
"""Writes the bill of materials of the program (CycloneDX): target/release-files/replaylint.cdx.json.

It needs `cargo install cargo-cyclonedx --version 0.5.9 --locked`, whose output holds the folder and the time of the run, and a
random number. They are replaced, so that two runs on one commit write the same file.
"""

import json
import subprocess
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    made = ROOT / "replaylint.cdx.json"
    command = ["cargo", "cyclonedx", "--manifest-path", str(ROOT / "Cargo.toml"), "--format", "json", "--features", "images"]
    subprocess.run([*command, "--override-filename", "replaylint.cdx"], check=True, cwd=ROOT)
    text = made.read_text(encoding="utf-8")
    made.unlink()

    text = text.replace(f"path+{ROOT.as_uri()}", "path+file:///replaylint").replace(str(ROOT), "/replaylint")
    bill = json.loads(text)
    committed = ["git", "log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ"]
    time = subprocess.run(committed, check=True, cwd=ROOT, env={"TZ": "UTC", "PATH": "/usr/bin:/bin"}, stdout=subprocess.PIPE, text=True)
    bill["metadata"]["timestamp"] = time.stdout.strip()
    bill.pop("serialNumber", None)
    content = json.dumps(bill, indent=2, ensure_ascii=False)
    bill["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}"

    out = ROOT / "target" / "release-files"
    out.mkdir(parents=True, exist_ok=True)
    (out / made.name).write_text(json.dumps(bill, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    print(out / made.name)


if __name__ == "__main__":
    main()
