"""The functions and classes of the book *Deep Learning Computation*, saved from its pages, one module per framework.

    from d2l import torch as d2l        # or mxnet, jax, tensorflow

Importing `d2l` alone imports no framework.
"""

__version__ = "2.0.0"
