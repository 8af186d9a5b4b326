"""Pages of `docs/` whose code blocks fetch packages from npm or PyPI."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages import PageRun, page_parameters


@pytest.mark.parametrize("page", page_parameters(fetching=True))
def test_page(page: Path, tmp_path: Path) -> None:
    """What the page's blocks say is written, run and printed."""
    with PageRun(page, tmp_path) as run:
        run.run()
