"""The sections `[colab]` and `[sagemaker]` of config.ini, and the addresses that follow from them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatch

from d2lbook.config import Config
from d2lbook.config.keys import nearest
from d2lbook.diagnostics import Messages
from d2lbook.export.notebook.hosted.platforms import PLATFORMS, Platform

ALL = ""  # stands for every framework where a setting names none
_REPOSITORY = re.compile(r"(?:https?://github\.com/)?(?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?/?(?:@(?P<branch>[\w./-]+))?$")


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository on GitHub that holds the notebooks."""

    name: str  # "owner/name"
    branch: str
    folder: str  # of the framework's notebooks in it, with a slash behind; empty when they are at the top

    def file(self, path: str) -> str:
        """What an opener's address ends with."""
        return f"{self.name}/blob/{self.branch}/{self.folder}{path}"


@dataclass(slots=True)
class Settings:
    """What a platform's section says."""

    platform: Platform
    repositories: dict[str, Repository] = field(default_factory=dict)  # by framework
    libraries: dict[str, dict[str, str]] = field(default_factory=dict)  # framework or ALL -> import name -> pip's words
    kernels: dict[str, str] = field(default_factory=dict)  # by framework or ALL
    header: str = ""
    gpu_pattern: re.Pattern[str] | None = None
    exclusions: tuple[str, ...] = ()

    def library(self, tab: str, name: str) -> str:
        """pip's words for what code imports as `name`; empty when the section has none."""
        return self.libraries.get(tab, {}).get(name) or self.libraries.get(ALL, {}).get(name, "")

    def kernel(self, tab: str) -> str:
        return self.kernels.get(tab) or self.kernels.get(ALL) or self.platform.kernel

    def excludes(self, page: str) -> bool:
        """Whether a page, named without suffix, has no notebook there."""
        names = (page, f"{page}.md", f"{page}.ipynb", f"{page}.html")
        return any(fnmatch(name, pattern) for name in names for pattern in self.exclusions)

    def opened(self, tab: str, page: str) -> str:
        """Address that opens a page's notebook on the platform; empty without a repository."""
        repository = self.repositories.get(tab)
        return f"{self.platform.opener}{repository.file(f'{page}.ipynb')}" if repository is not None else ""


def read_settings(config: Config, platform: Platform, messages: Messages) -> Settings:
    """Reads a platform's section. What cannot be read, and a section that names no repository, goes to `messages`."""
    return _Reader(config, platform, messages).read()


def open_links(config: Config, tab: str, page: str) -> list[tuple[str, str]]:
    """Platform and address for each place where a page's notebook can be opened, as the site links to it."""
    links = []
    for platform in PLATFORMS.values():
        settings = read_settings(config, platform, Messages())
        address = "" if settings.excludes(page) else settings.opened(tab, page)
        links += [(platform.key, address)] if address else []
    return links


@dataclass(frozen=True, slots=True)
class _Reader:
    config: Config
    platform: Platform
    messages: Messages

    def read(self) -> Settings:
        settings = Settings(self.platform)
        settings.header = self._value("libs_header")
        settings.exclusions = tuple(self._value("exclusions").replace(",", " ").split())
        settings.gpu_pattern = self._pattern()
        self._repositories(settings)
        self._libraries(settings)
        for tab, name in self._by_tab("kernel"):
            settings.kernels[tab] = name
        return settings

    def _value(self, key: str) -> str:
        return self.config.value(self.platform.key, key).strip()

    def _wrong(self, key: str, text: str, code: str = "config-value") -> None:
        section = self.platform.key
        line = self.config.line(section, key) or self.config.line(section, "")
        self.messages.error(self.config.name_in_messages, line, 1, f"[{section}] {text}", code)

    def _pattern(self) -> re.Pattern[str] | None:
        written = self._value("gpu_pattern")
        try:
            return re.compile(written) if written else None
        except re.error as error:
            self._wrong("gpu_pattern", f"gpu_pattern: not a regular expression ({error}); mend '{written}'")
            return None

    def _by_tab(self, key: str) -> list[tuple[str, str]]:
        """Lines `value` or `framework, value`, the framework ALL where none is named."""
        found = []
        for line in filter(None, map(str.strip, self._value(key).splitlines())):
            tab, comma, value = (part.strip() for part in line.partition(","))
            if not comma:
                found.append((ALL, tab))
            elif self._known(key, tab):
                found.append((tab.lower(), value))
        return found

    def _known(self, key: str, tab: str) -> bool:
        known = tab.lower() in self.config.tabs
        if not known:
            hint = nearest(tab.lower(), self.config.tabs)
            self._wrong(key, f"{key}: '{tab}' is not a tab of this book{hint}", "tab-unknown")
        return known

    def _repositories(self, settings: Settings) -> None:
        if not self.config.line(self.platform.key, ""):
            return  # without a section the notebooks are built all the same, for readers to take there themselves
        if not self._value("github_repo"):
            self._wrong(
                "github_repo",
                f"no github_repo; add the repository on GitHub that will hold the {self.platform.name} "
                "notebooks, as owner/name, or remove the section",
                "hosted-repository",
            )
        for tab, written in self._by_tab("github_repo"):
            found = _REPOSITORY.match(written)
            if found is None:
                self._wrong("github_repo", f"github_repo: '{written}' is not owner/name or owner/name@branch")
                continue
            branch = found["branch"] or "main"
            if tab != ALL:  # a repository of the framework's own, as before: its pages are at the top
                settings.repositories[tab] = Repository(found["name"], branch, "")
                continue
            for each in self.config.tabs:  # one for all: a copy of what is built
                folder = f"{self.config.lang}/{each}/"
                settings.repositories.setdefault(each, Repository(found["name"], branch, folder))

    def _libraries(self, settings: Settings) -> None:
        for line in filter(None, map(str.strip, self._value("libs").splitlines())):
            parts = [part.strip() for part in line.split(",", 2)]
            if len(parts) == 3 and parts[0].lower() not in self.config.tabs:
                parts = [parts[0], f"{parts[1]}, {parts[2]}"]  # `name, "package>1,<2"`
            if len(parts) < 2 or not all(parts):
                self._wrong("libs", f"libs: '{line}' is not `name, package` or `tab, name, package`")
                continue
            tab = parts[0].lower() if len(parts) == 3 else ALL
            words = parts[-1].replace("==RELEASE", f"=={self.config.release}")
            settings.libraries.setdefault(tab, {})[parts[-2]] = words
