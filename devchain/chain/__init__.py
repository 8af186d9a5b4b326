"""The blocks: genesis, execution, history, logs."""
