"""The pages of the windows and their parts: thin, because what can be decided without Qt is decided
in `judge_console.model`."""
