"""Carries the trained networks of `models/` into the wheel, as `vision/weights`; all else is in pyproject.toml."""

from pathlib import Path
from shutil import copyfile

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithWeights(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:  # a checkout reads them from where they lie
            return
        folder = Path(self.build_lib) / "vision" / "weights"
        folder.mkdir(parents=True, exist_ok=True)
        for weights in sorted(Path("models").glob("*.onnx")):
            copyfile(weights, folder / weights.name)


setup(cmdclass={"build_py": BuildWithWeights})
