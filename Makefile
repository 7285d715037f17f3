# Every target is `python -m d2lbook make TARGET`, which also runs where there is no make.
PYTHON ?= python3

TARGETS := help html test test-fast test-pages setup check lib eval status ipynb pdf epub slides pkg offline colab sagemaker dist all-formats deploy-preview linkcheck translate serve lint fuzz bench test-gpu test-hosted test-wheels test-fresh system clean
.PHONY: $(TARGETS)
.DEFAULT_GOAL := help

$(TARGETS):
	@$(PYTHON) -m d2lbook make $@
