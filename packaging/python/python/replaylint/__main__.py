"""``python -m replaylint``: the program that the package brings."""

import os
import subprocess
import sys
import sysconfig


def find():
    """Where the program is: beside this Python, or where ``pip install --user`` and ``--target`` put it."""
    name = "replaylint" + (sysconfig.get_config_var("EXE") or "")
    user = sysconfig.get_preferred_scheme("user") if sys.version_info >= (3, 10) else f"{os.name}_user"
    target = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=user),
        os.path.join(target, "bin"),
    ]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"{name} is not in {', '.join(folders)}")


def main():
    command = [find(), *sys.argv[1:]]
    if os.name == "nt":
        # exec would not wait there.
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
