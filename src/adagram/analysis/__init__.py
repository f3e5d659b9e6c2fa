"""Analysis of a corpus with a model: tagging, sense sheets, concordances, trends, change."""
