"""Data about contracts: ABIs, compiler artifacts, values by type, console.log, storage layouts.

`compile` runs compilers and tools; `compiler_input` reads sources with their imports. Nothing else
here runs code or reads a chain: modules take bytes (code, call data, logs, revert payloads) and
compiler output, and return names and decoded values. `artifact_registry.Registry` finds the
artifact of deployed code; `abi` encodes and decodes, `value_types` parses names of types; `names`
writes calls, events and errors as text; `artifact_files` reads projects and files,
`artifact_formats` parses the JSON of each tool, `artifacts` is what they make, and links libraries;
`storage_names` has names of storage slots, `storage_view` variables by name; `proxies` finds the
implementations of a proxy;
`contract.Contract` is a deployed contract as a Python object, `expectations` what tests expect.
"""
