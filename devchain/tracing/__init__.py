"""What happened inside transactions: one recorder, several shapes."""
