"""The results of a contest: as text, as a document, as pages, and revealed step by step."""
