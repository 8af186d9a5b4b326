"""The pytest plugin: fixtures over a node in the test's process, isolation, reports.

Here belongs what needs pytest: fixtures and options (`plugin`), reverting what tests do
(`isolation`), sections of failing tests (`failure_report`), the gas and coverage tables. What
programs do without pytest, too, is in `devchain.node`, and how lines are counted is in
`devchain.contracts`. The entry is `plugin`, which pytest loads.
"""
