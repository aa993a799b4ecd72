"""Pictures of a contest: what each shows (`charts`), and how it becomes SVG and PNG (`shapes`)."""
