"""Files for the look of the windows: fonts with their licence, marks, and the icon."""
