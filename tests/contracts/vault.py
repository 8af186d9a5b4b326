"""The artifact of the example contract `Vault`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from devchain.contracts.artifact_files import load_artifacts
from devchain.contracts.artifacts import Artifact

FILE = Path(__file__).parents[2] / "examples" / "contracts" / "Vault.json"
WRITTEN: dict[str, Any] = json.loads(FILE.read_text())
VAULT: Artifact = load_artifacts(FILE)[0]
