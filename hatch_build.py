"""The metadata that depend on where the repository is: links of the package's page on PyPI.

`REPOSITORY_URL` has the URL, such as https://github.com/OWNER/devchain; the release workflow
sets it. Without it the package names no URL, and the README's links stay relative.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE_LINK = re.compile(r"(!?)(\[[^\]]*\])\((?![a-z]+:|#)([^)]+)\)")


class RepositoryLinks(MetadataHookInterface):
    """Sets the README and the URLs of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        if url := os.environ.get("REPOSITORY_URL", "").rstrip("/"):
            tag = f"v{metadata['version']}"
            metadata["urls"] = {
                "Repository": url,
                "Documentation": f"{url}/tree/{tag}/docs",
                "Changelog": f"{url}/blob/{tag}/CHANGELOG.md",
                "Issues": f"{url}/issues",
            }
            readme = RELATIVE_LINK.sub(
                lambda link: (
                    f"{link[1]}{link[2]}({url}/{'raw' if link[1] else 'blob'}/{tag}/{link[3]})"
                ),
                readme,
            )
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
