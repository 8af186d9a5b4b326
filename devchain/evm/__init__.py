"""The machine: py-evm's virtual machines, configured for the rules devchain offers."""
