"""Write the command-line reference from the command itself, where cli.md has the mark."""

from __future__ import annotations

from typing import Any

from typer.main import get_command

from adagram.cli import build_app

MARK = "<!-- every command -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the mark on a page by a section for every command (called by mkdocs for each page)."""
    return markdown.replace(MARK, reference()) if MARK in markdown else markdown


def reference() -> str:
    """Return a section of Markdown for every command and subcommand."""
    app = get_command(build_app())
    return "\n".join(_section(app, ["adagram"], level=1))


def _section(command: Any, names: list[str], level: int) -> list[str]:
    lines = []
    if level > 1:
        paragraphs = (command.help or "").replace("\b", "").split("\n\n")
        lines += [f"{'#' * level} {' '.join(names)}", "", *(f"{_text(part)}\n" for part in paragraphs)]
    commands = getattr(command, "commands", None)
    if commands:
        for name in commands:
            lines += _section(commands[name], [*names, name], level + 1)
        return lines
    arguments = [_metavar(param) for param in command.params if param.param_type_name == "argument"]
    lines += ["```text", " ".join([*names, *arguments, "[OPTIONS]"]), "```", ""]
    rows = [_row(param) for param in command.params if not getattr(param, "hidden", False)]
    if rows:
        lines += ["| | default | |", "|---|---|---|", *rows, ""]
    return lines


def _metavar(param: Any) -> str:
    name = param.metavar or param.name.upper()
    return f"{name}..." if param.nargs == -1 and not name.endswith("...") else name


def _row(param: Any) -> str:
    if param.param_type_name == "argument":
        return f"| `{_text(_metavar(param))}` | | {_text(getattr(param, 'help', None))} |"
    names = ", ".join(f"`{name}`" for name in [*param.opts, *param.secondary_opts])
    default = param.default
    shown = "" if default is None or callable(default) or default in ((), "") else f"`{default}`"
    if isinstance(param.show_default, str):
        shown = param.show_default
    elif param.is_flag:
        shown = "on" if default is True else "off" if default is False else ""
    return f"| {names} | {shown} | {_text(param.help)} |"


def _text(text: str | None) -> str:
    """Return help as one line that cannot break a table."""
    return " ".join((text or "").split()).replace("\\[", "[").replace("|", "\\|")
