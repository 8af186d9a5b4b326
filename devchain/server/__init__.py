"""Transports: JSON-RPC over HTTP, WebSocket and IPC, with access rules and subscriptions.

Here belongs what knows asyncio, sockets, HTTP and WebSocket frames, who may call, and the events of
the activity log. Decoding and executing requests does not: that is `devchain.rpc`. The entry is
`serve.run`, or `serve.serve_in_thread` for a program that continues beside the server.
"""
