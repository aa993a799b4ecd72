"""What to do when something broke: a contest taken up again, and a record recovered from what is
left."""
