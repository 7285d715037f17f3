# Every target is `python -m d2lbook make TARGET`, which also runs where there is no make.
PYTHON ?= python3

TARGETS := help check lib eval status html ipynb pdf epub slides pkg offline colab sagemaker dist linkcheck serve test test-fast test-pages test-one-gpu setup all-formats deploy-preview manual translate lint fuzz kill-test bench test-gpu test-hosted test-wheels test-fresh system clean
.PHONY: $(TARGETS)
.DEFAULT_GOAL := help

$(TARGETS):
	@$(PYTHON) -m d2lbook make $@
