"""The tiny book's helpers for plain numbers."""


# ---- Generated from the cells marked #@save by `d2lbook build lib`: do not edit below this line. ----

import math
import sys

d2l = sys.modules[__name__]

__all__ = [
    "DATA_HUB", "Summary", "add_to_class", "floor", "mean", "number", "ratio", "root",
]


def mean(numbers):
    """The mean of a list of numbers (see :numref:`sec_means`).

    Defined in Section 1.1.1 (One Cell for All), chapter_numbers/means.md
    """
    total = sum(numbers)
    return total / len(numbers)  # a float


def add_to_class(Class):
    """Register the function below as a method of `Class`.

    Defined in Section 1.3 (A Library), chapter_numbers/library.md
    """
    def decorator(function):
        setattr(Class, function.__name__, function)
        return function
    return decorator


DATA_HUB = {}
DATA_HUB['ones'] = [1, 1, 1]


class Summary(dict):
    """Numbers with names.

    Defined in Section 1.3 (A Library), chapter_numbers/library.md
    """
    def show(self):
        """All names and numbers on one line.

        Defined in Section 1.3 (A Library), chapter_numbers/library.md
        """
        return ', '.join(f'{name}={number}' for name, number in self.items())

    def of(self, numbers):
        """Take the mean of `numbers`.

        Defined in Section 1.3 (A Library), chapter_numbers/library.md
        """
        self['mean'] = d2l.mean(numbers)
        return self


# Aliases, from config.ini.
number = float
root = math.sqrt
floor = math.floor


def ratio(x, *args, **kwargs):
    """`x.as_integer_ratio(...)`."""
    return x.as_integer_ratio(*args, **kwargs)
