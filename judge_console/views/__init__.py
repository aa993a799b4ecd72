"""The pages of the windows, and their parts. All decisions that don't need Qt are in
`judge_console.model`."""
