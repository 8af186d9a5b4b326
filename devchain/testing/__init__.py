"""The pytest plugin: fixtures over a node in the test's process, isolation, reports, campaigns.

Here belongs what needs pytest or Hypothesis: fixtures and options (`plugin`), reverting what tests
do (`isolation`), sections of failing tests (`failure_report`), what a run shows at its end
(`reports`, `gas_report`), and property-based tests (`strategies`, `machine`, `campaign`). What
programs do without, too, is in `devchain.node`. The entry is `plugin`, which pytest loads.
"""
