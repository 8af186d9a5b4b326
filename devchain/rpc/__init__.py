"""The JSON-RPC door: names, decoding, encoding, error codes; no rule of the chain lives here."""
