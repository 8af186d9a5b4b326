"""The `eth_` methods, in the chapters of the Ethereum execution API."""
