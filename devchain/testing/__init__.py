"""What the pytest plugin is made of: isolation, stories of failures, gas tables."""
