#!/usr/bin/env bash
# Installs the project with its tests into .venv and runs them: quick ones by default, everything with --all.
set -euo pipefail
cd "$(dirname "$0")/.."
# models and datasets are for training: they are in the checkout, not in what gets installed
export PYTHONPATH="$PWD"
python="${PYTHON:-python3}"
[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/pip install -q -U pip
# torch: the CPU build of this version; torchvision only for the metadata that ultralytics asks for
.venv/bin/pip install -q torch==2.13.0
.venv/bin/pip install -q --no-deps torchvision==0.28.0
.venv/bin/pip install -q -e '.[dev,train,heic,postgres]'
.venv/bin/ruff check .
.venv/bin/mypy
if [ "${1:-}" = "--all" ]; then
  shift
  exec .venv/bin/pytest -m 'slow or not slow' "$@"
fi
exec .venv/bin/pytest "$@"
