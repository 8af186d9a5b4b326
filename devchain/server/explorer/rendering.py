"""Templates: a page as HTML, in which every value is escaped that is not the explorer's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from devchain.server.explorer.page import Page
from devchain.text import plural


def render(page: Page, shared: Mapping[str, Any]) -> str:
    """The page as HTML; `shared` are the values that every template may show."""
    template = _environment().get_template(page.template)
    title, section = page.title, page.section
    return template.render(
        {**shared, "title": title, "section": section, "has_json": bool(page.raw), **page.values}
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        loader=PackageLoader("devchain.server.explorer"),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["number"] = "{:,}".format
    environment.globals["plural"] = plural
    return environment
