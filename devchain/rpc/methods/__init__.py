"""The methods, a chapter a file."""
