"""A contest as it is served: opened, put on its stage, behind its doors."""
