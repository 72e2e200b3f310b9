"""Builds the wheel: maturin makes the extension module, and this adds the program, its man pages and completions.

REPLAYLINT_PROFILE   cargo's profile: dist (the default), or quick, which compiles in a fraction of the time
REPLAYLINT_GLIBC     the oldest glibc that the wheel runs with, as in 2.17: both parts are then linked by zig
"""

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

import maturin
from maturin import get_requires_for_build_editable, get_requires_for_build_sdist  # noqa: F401

HERE = Path(__file__).resolve().parent.parent
DATA = HERE / "data"
PROFILE = os.environ.get("REPLAYLINT_PROFILE", "dist")
GLIBC = os.environ.get("REPLAYLINT_GLIBC")
COMMANDS = ["check", "fix", "convert", "diff", "explain", "rules", "formats", "targets", "tree", "rebuild", "slim"]
COMPLETIONS = {
    "bash": "bash-completion/completions/replaylint",
    "zsh": "zsh/site-functions/_replaylint",
    "fish": "fish/vendor_completions.d/replaylint.fish",
}


def get_requires_for_build_wheel(config_settings=None):
    needs = list(maturin.get_requires_for_build_wheel(config_settings))
    return needs + ["cargo-zigbuild>=0.24", "ziglang>=0.17"] if GLIBC else needs


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    # maturin wants the folder, even for the metadata.
    DATA.mkdir(exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    fill()
    arguments = ["--profile", PROFILE]
    if GLIBC:
        arguments += ["--zig", "--compatibility", f"manylinux_{GLIBC.replace('.', '_')}"]
    os.environ["MATURIN_PEP517_ARGS"] = " ".join([*arguments, os.environ.get("MATURIN_PEP517_ARGS", "")])
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    fill()
    os.environ["MATURIN_PEP517_ARGS"] = f"--profile {PROFILE}"
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("there is no source distribution: the program is built from the whole checkout")


def fill():
    """What pip puts beside the module, in the folders of the environment."""
    program = build_program()
    shutil.rmtree(DATA, ignore_errors=True)
    put(DATA / "scripts" / program.name, program.read_bytes())
    (DATA / "scripts" / program.name).chmod(0o755)

    def ask(*arguments):
        return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE).stdout

    share = DATA / "data" / "share"
    put(share / "man/man1/replaylint.1", ask("man"))
    for command in COMMANDS:
        put(share / f"man/man1/replaylint-{command}.1", ask("man", command))
    for shell, path in COMPLETIONS.items():
        put(share / path, ask("completions", shell))


def build_program():
    """The path of the built program."""
    manifest = ["--manifest-path", str(HERE / "Cargo.toml")]
    # As maturin sets it, so that what both builds share is compiled once.
    environment = {**os.environ, "PYO3_BUILD_EXTENSION_MODULE": "1"}
    build, target = ["build"], []
    if GLIBC:
        triple = f"{platform.machine()}-unknown-linux-gnu"
        build, target = ["zigbuild"], ["--target", f"{triple}.{GLIBC}"]
    subprocess.run(
        ["cargo", *build, *manifest, "--bin", "replaylint", "--profile", PROFILE, *target],
        check=True,
        env=environment,
    )
    metadata = ["cargo", "metadata", *manifest, "--no-deps", "--format-version", "1"]
    root = Path(json_of(metadata)["target_directory"])
    if GLIBC:
        root = root / triple
    return root / PROFILE / ("replaylint.exe" if os.name == "nt" else "replaylint")


def json_of(command):

    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
