"""Golden exchanges: what goes over the wire, one file a case, played against a fresh node.

A file opens with `//` lines: the fact it shows and, where it takes another node, its options as
`// with {"mining": false}`. Then come requests, `>>`, and their answers, `<<`, in order; the
answer to a notification is empty. `{{2.hash}}` in a request stands for a member of the result of
the file's second answer, here a block's hash, so that new rules change answers alone.

`python -m tests.wire [METHOD…]` plays the requests and writes the answers anew: read the
difference before you commit it.
"""
