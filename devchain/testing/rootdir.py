"""A warning when the value of an option has moved pytest's rootdir away from the project.

pytest chooses its rootdir and configuration file before it loads plugins. Until then it takes the
path in `--devchain-gas-compare PATH` for one of tests, since it does not know the option; with
`--devchain-gas-compare=PATH` it cannot.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ENVIRONMENT = "PYTEST_ADDOPTS"
OPTION = "--devchain-"
CONFIGURATION = {
    "pytest.toml": "",
    ".pytest.toml": "",
    "pytest.ini": "",
    ".pytest.ini": "",
    "pyproject.toml": "[tool.pytest",
    "tox.ini": "[pytest]",
    "setup.cfg": "[tool:pytest]",
}
"""Files that configure pytest, first come first, and the table that makes them do so."""


def warn_if_moved(config: pytest.Config) -> None:
    """Warn if pytest would have another configuration without the values of `--devchain-*`.

    Raises `UsageError` where warnings are errors.
    """
    moving = list(_path_values(config))
    if not moving or config.getoption("inifilename") or hasattr(config, "workerinput"):
        return
    expected = _configuration(config)
    if expected == config.inipath or (expected is None and config.inipath is None):
        return
    option, value = moving[0]
    lost = f"{expected} is not in force" if expected else f"{config.inipath} is in force"
    warning = pytest.PytestConfigWarning(
        f"{option} {value} has made {config.rootpath} pytest's rootdir, so {lost}: "
        f"write {option}={value}, with an equals sign"
    )
    try:
        config.issue_config_time_warning(warning, stacklevel=2)
    except pytest.PytestConfigWarning as error:  # as filterwarnings may have it
        raise pytest.UsageError(str(error)) from None


def _path_values(config: pytest.Config) -> Iterator[tuple[str, str]]:
    arguments = [*shlex.split(os.environ.get(ENVIRONMENT, "")), *config.invocation_params.args]
    for option, value in pairwise(arguments):
        if option.startswith(OPTION) and "=" not in option and not value.startswith("-"):
            try:
                exists = (config.invocation_params.dir / value).exists()
            except OSError:  # too long for a path
                exists = False
            if exists:
                yield option, value


def _configuration(config: pytest.Config) -> Path | None:
    where = config.invocation_params.dir
    asked = [where / str(each).split("::", 1)[0] for each in config.getoption("file_or_dir")]
    tests = [each for each in asked if each.exists()]
    common = Path(os.path.commonpath(tests)) if tests else where
    return next(filter(None, map(_nearest_configuration, [common, *tests])), None)


def _nearest_configuration(path: Path) -> Path | None:
    for folder in (path, *path.parents):
        for name, table in CONFIGURATION.items():
            file = folder / name
            if file.is_file() and table in file.read_text(encoding="utf-8", errors="replace"):
                return file
    return None
