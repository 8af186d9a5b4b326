"""Data about contracts: ABIs, compiler artifacts, source maps, coverage, console.log, reverts.

Nothing here runs code or reads a chain: modules take bytes (code, call data, logs, revert payloads)
and compiler output, and return names, decoded values and source lines. `artifact_registry.Registry`
finds the artifact of deployed code; `abi` encodes and decodes; `names` writes calls, events and
errors as text; `artifact_files` reads projects and files, `artifact_formats` parses the JSON of
each tool, `artifacts` is what they make; `coverage` turns executed instructions into a report, with
`coverage_source`, `coverage_report` and `merged_basic_blocks`; `code_map.CodeMap` has the place in
the source of each instruction, `source_trace` what is shown of a failure; `storage_names` has names
of storage slots, `proxies` finds the implementations of a proxy; `contract.Contract` is a deployed
contract as a Python object.
"""
