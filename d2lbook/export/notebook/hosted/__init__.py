"""Notebooks for hosted platforms, Google Colab and SageMaker: each installs what it needs and carries its figures."""
