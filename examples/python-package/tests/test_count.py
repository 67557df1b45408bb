import unittest

from wordcount import count


class Count(unittest.TestCase):
    def test_counts_each_word(self):
        self.assertEqual(count("a b a"), {"a": 2, "b": 1})


if __name__ == "__main__":
    unittest.main()
