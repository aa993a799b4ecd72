"""Robin the gardener, in AIML categories."""
