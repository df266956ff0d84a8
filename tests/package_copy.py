"""A copy of the package with one file more, and commands that run in it."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "holdfast"


def copy_package(folder, place, name, text, line):
    """Copy the package, most of it by reference, with a file in one of its folders and a line.

    `place` is the folder of the file, and `line` goes into the nearest `__init__.py` that lists
    what stands in it: that of `attacks` for a family of attacks.
    """
    parts = Path(place).parts
    for depth in range(len(parts) + 1):
        here = Path(*parts[:depth])
        (folder / "holdfast" / here).mkdir(parents=True, exist_ok=True)
        for path in (SOURCE / here).iterdir():
            if path.name not in (*parts[depth : depth + 1], "__init__.py"):
                (folder / "holdfast" / here / path.name).symlink_to(path)
        source = (SOURCE / here / "__init__.py").read_text()
        (folder / "holdfast" / here / "__init__.py").write_text(source)
    (folder / "holdfast" / place / name).write_text(text)
    listing = next(
        folder / "holdfast" / Path(*parts[:depth]) / "__init__.py"
        for depth in range(len(parts), 0, -1)
        if "import" in (SOURCE / Path(*parts[:depth]) / "__init__.py").read_text()
    )
    listing.write_text(listing.read_text() + line)
    return folder


def run_in(folder, script, commands):
    """Run a script in the copy; it is given commands and prints JSON, which is returned."""
    run = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": f"{folder}{os.pathsep}{ROOT / 'scripts'}",
            # Folders of compiled kernels are the package's own: no bytecode of the copy in there.
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
