"""A node kept in a data directory, and carried in dumps."""
