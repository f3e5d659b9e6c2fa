"""The paper's tables and figures from one command: models trained when missing, results beside the paper's."""
