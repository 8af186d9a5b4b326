"""Benchmark of other projects' tests: CPU seconds of the node beside those of `hardhat node`.

Safe's tests come with npm. `PROJECTS` in the environment names folders with other Hardhat 2
projects, as `make test-projects` takes them, with a hardfork each: `berlin=v3-core prague=relay`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.timing import MILLISECONDS, Measured
from tests.projects.__main__ import (
    PROJECTS,
    ROOTSTOCK,
    SAFE,
    Project,
    npm_ci,
    project_in,
    run,
)

GROUP = "projects"


def measure() -> Iterator[list[Measured]]:
    """The node's CPU seconds in one run of each project's tests."""
    for project in (_safe(), *_given()):
        measured = []
        for each in project.runs:
            cpu_seconds: list[float] = []
            outcomes = [outcome for outcome, _ in run(project, each, cpu_seconds).values()]
            chain = f"{each.chain.partition(' ')[0]}, {outcomes.count('passed')} pass"
            samples = [MILLISECONDS * each for each in cpu_seconds]
            measured.append(Measured(GROUP, project.name, chain, samples=samples))
        yield measured


def _safe() -> Project:
    project = next(each for each in PROJECTS if each.name == "safe")
    npm_ci(project.folder)
    own, *others = project.runs
    server = [SAFE[0], "node", "--port", "{port}"]
    own = replace(
        own, chain="hardhat node", command=[*SAFE, "--network", "localhost"], server=server
    )
    return replace(project, runs=(own, *[each for each in others if each.chain != ROOTSTOCK]))


def _given() -> Iterator[Project]:
    for given in os.environ.get("PROJECTS", "").split():
        hardfork, _, folder = given.partition("=")
        yield project_in(Path(folder).resolve(), hardfork)
