"""The files that editors, pre-commit and GitHub read: they parse, and what they run exists."""

from __future__ import annotations

import configparser
import os
import re
from pathlib import Path

import tomllib
import yaml

from d2lbook.make import TARGETS

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"


def test_pre_commit_runs_what_make_lint_runs() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    hooks = [hook for repository in config["repos"] for hook in repository["hooks"]]
    assert {repository["repo"] for repository in config["repos"]} == {"local"}
    programs = ".venv/bin"
    lint = [" ".join(command) for command in TARGETS["lint"].commands]
    assert [hook["entry"] for hook in hooks] == [
        command.format(python=f"{programs}/python", programs=programs) for command in lint
    ]
    assert all(hook["language"] == "system" and hook["pass_filenames"] is False for hook in hooks)


def test_the_workflow_runs_the_gate() -> None:
    workflow = yaml.safe_load((GITHUB / "workflows" / "ci.yml").read_text())
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step][-1] == ".ci/run"
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert workflow["permissions"] == {"contents": "read"}


def test_templates_parse_and_name_targets_that_exist() -> None:
    forms = sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml"))
    assert forms
    for form in forms:
        fields = yaml.safe_load(form.read_text())["body"]
        assert len({field["id"] for field in fields}) == len(fields)
    texts = [
        path.read_text() for path in (*forms, GITHUB / "pull_request_template.md", ROOT / ".pre-commit-config.yaml")
    ]
    named = {name for text in texts for name in re.findall(r"\bmake ([a-z][a-z-]*)", text)}
    assert {"lint", "setup", "check"} <= named <= TARGETS.keys()


def test_editors_wrap_lines_where_ruff_does() -> None:
    editors = configparser.ConfigParser()
    editors.read_string(f"[top]\n{(ROOT / '.editorconfig').read_text()}")
    ruff = tomllib.loads((ROOT / "ruff.toml").read_text())
    assert editors["*.py"].getint("max_line_length") == ruff["line-length"]
    assert editors["Makefile"]["indent_style"] == "tab"
