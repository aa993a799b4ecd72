"""Marking: answers under letters, marked by two or more people who can't tell whose they are.

Terms. An *item* is what is marked: a question, or in the second round the general quality of all
that was said. A *letter* stands for a subject within one item only; the orders are drawn at random
for each item and sealed. A *suggestion* is what the answer key says by itself, and no more.

* `scale` has the scales and their wording, `letters` draws and seals;
* `book` is all that is known of a season's marking (pure); `steps` puts each step on record;
* `sheets` is what a marker sees, `csvs` the same as a file, `serving` the same in a browser;
* `agreement` says how far markers agree.
"""
