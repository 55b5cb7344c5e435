"""Everything that can be done, as commands: the table of actions, and which panels are shown."""

from __future__ import annotations

from collections.abc import Sequence

from app.actions import ACTIONS, Actions
from app.availability import why_not
from app.docks import Docks
from app.panels.command_rows import Command
from app.tabs import Tabs

#: The action that opens the list.
OPENER = "commands"


def command_list(
    actions: Actions, docks: Docks, tabs: Tabs, recent: Sequence[str]
) -> list[Command]:
    """All commands as they are now, those used last (their ids) first."""
    commands = [
        Command(actions[s.id], actions[s.id].text(), s.menu or "Canvas", why_not(s.id, tabs))
        for s in ACTIONS
        if s.id != OPENER
    ]
    for dock in docks.docks.values():
        action = dock.toggleViewAction()
        commands.append(Command(action, f"Show or hide {dock.windowTitle()}", "View"))
    order = {command_id: place for place, command_id in enumerate(recent)}
    return sorted(commands, key=lambda command: order.get(command.id, len(order)))
