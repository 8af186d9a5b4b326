"""The `eth_` methods, by the chapters of the Ethereum execution API."""
