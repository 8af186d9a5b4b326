"""The HTTP door to one or more nodes: Quart under hypercorn."""
