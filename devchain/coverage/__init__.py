"""Which lines of contracts ran: counted in the machine, told by artifacts with source maps."""
