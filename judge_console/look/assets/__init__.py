"""The files that the look is made of: fonts with their licence, marks, and the icon."""
