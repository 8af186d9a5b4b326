"""Hooks of the site: folders in the navigation, a Markdown twin of each page, and `llms.txt`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
COMMENT = re.compile(r"<!--.*?-->\n*", re.DOTALL)
INTRODUCTION = """\
# devchain

> A local Rootstock (EVM) chain for development and tests: a JSON-RPC node, a Python library and a
> pytest plugin.

Each page is Markdown. llms-full.txt has all but the references in one file.
"""
REFERENCES = {"cli.md", "config.md", "rpc.md"}


def on_config(config: Any) -> Any:
    """Put the pages of a folder in place of its name."""
    config.nav = [_expanded(entry) for entry in config.nav]
    return config


def _expanded(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    (title, inner), *_ = entry.items()
    if not isinstance(inner, list):
        return entry
    return {title: [page for each in inner for page in _pages(each)]}


def _pages(path: str) -> list[str]:
    if not path.endswith("/"):
        return [path]
    found = sorted((DOCS / path).glob("*.md"), key=lambda each: (each.name != "index.md", each))
    return [str(each.relative_to(DOCS)) for each in found]


def on_post_build(config: Any) -> None:
    """Write `<page>.md` beside each page, `llms.txt` and `llms-full.txt`."""
    site, lines, texts = Path(config.site_dir), [INTRODUCTION], []
    for entry in config.nav:
        (title, inner), *_ = entry.items()
        lines.append(f"\n## {title}\n")
        for path in inner if isinstance(inner, list) else [inner]:
            text = COMMENT.sub("", (DOCS / path).read_text(encoding="utf-8"))
            twin = site / path
            twin.parent.mkdir(parents=True, exist_ok=True)
            twin.write_text(text, encoding="utf-8")
            lines.append(_linked(path, text))
            if path not in REFERENCES:
                texts.append(text)
    (site / "llms.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (site / "llms-full.txt").write_text("\n".join(texts), encoding="utf-8")


def _linked(path: str, text: str) -> str:
    heading, _, rest = text.partition("\n")
    about = rest.strip().partition("\n\n")[0].replace("\n", " ")
    return f"- [{heading.removeprefix('# ')}]({path}): {about.partition('. ')[0].rstrip('.')}"
