"""Transports: JSON-RPC over HTTP, WebSocket and IPC, with access rules and subscriptions.

Here belongs what knows asyncio, sockets, HTTP and WebSocket frames: the connections (`http`,
`websocket`, `ipc`), what they share (`connection`, `session`, `limits`), who may call
(`access_control`, `router`), the Quart application for everything that is no plain JSON-RPC request
(`app`, run by `asgi`), and the events of the activity log (`events`). Decoding and executing
requests does not: that is `devchain.rpc`. The entry is `serve.run`, or `serve.serve_in_thread` for
a program that continues beside the server.
"""
