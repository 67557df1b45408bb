"""Counts words."""


def count(text):
    """How often each word occurs in the text."""
    words = {}
    for word in text.split():
        words[word] = words.get(word, 0) + 1
    return words
