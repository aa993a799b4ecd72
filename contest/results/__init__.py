"""The results of a contest as people see them: in words, as a document, as a page, step by step."""
