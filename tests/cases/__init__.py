"""Small inputs that users reported, in a folder beside the repository, with the right answer for each."""
