"""README and the pages of `docs/`: their code blocks run, their limits hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages import ROOT, PageRun, blocks, page_parameters, pages

README = ROOT / "README.md"
MAX_NOT_RUN = 15


@pytest.mark.parametrize("page", page_parameters(fetching=False))
def test_page(page: Path, tmp_path: Path) -> None:
    """What the page's blocks say is written, run and printed."""
    with PageRun(page, tmp_path) as run:
        run.run()


class TestBlocks:
    def test_reasons(self) -> None:
        """Blocks that are not run say why, and there are few of them."""
        not_run = [each for page in pages() for each in blocks(page) if each.mark == "not run"]

        assert [each for each in not_run if not each.reason] == []
        assert len(not_run) <= MAX_NOT_RUN


class TestReadme:
    def test_size(self) -> None:
        """It has fewer than 150 lines of at most 120 characters, and cells of at most 100."""
        lines = README.read_text(encoding="utf-8").splitlines()
        cells = [cell for line in lines if line.startswith("|") for cell in line.split("|")]

        assert len(lines) < 150
        assert max(map(len, lines)) <= 120
        assert max(map(len, cells)) <= 100
