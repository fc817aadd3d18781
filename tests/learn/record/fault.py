"""A fault: what is broken in a small project, what really fixes it, and by which words a lesson of it is recognised.

Texts hold `§p` for the project's name, `§P` for it in capitals, `§T` for its type, `§t` for a value of it, `§m` for a
module and `§f` for a field, so that one fault occurs in several projects with different names.
"""

import contextlib
import socket
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Project:
    name: str
    type: str
    module: str
    field: str

    def fill(self, text):
        value = self.type.lower()
        for mark, word in [
            ("§p", self.name),
            ("§P", self.name.upper()),
            ("§T", self.type),
            ("§t", value),
            ("§m", self.module),
            ("§f", self.field),
        ]:
            text = text.replace(mark, word)
        return text


@dataclass
class Fix:
    """What fixes a fault: changed files (`None` removes one), tokens of its lesson, and wordings of a report."""

    files: dict
    tokens: list
    wordings: list


@dataclass
class Fault:
    id: str
    # `recurring`, `one_off` or `flake`.
    kind: str
    command: str
    # Tokens of the cause: of each list a lesson names one at least.
    cause: list
    # Broken projects. Several of them are several messages of one cause.
    broken: list
    fix: Fix
    tasks: list
    # From the middle of a scenario on: the project in which the first fix fails, and what helps then.
    later: "Later | None" = None
    environment: dict = field(default_factory=dict)
    # Of a flake: what is different outside of the project when the command fails and when it passes, as context
    # managers.
    while_failing: object = None
    while_passing: object = None


@dataclass
class Later:
    broken: dict
    # The files of the first fix, in the later project: the command still fails.
    obsolete: dict
    fix: Fix
    command: str = ""
    obsolete_command: str = ""
    environment: dict = field(default_factory=dict)


@contextlib.contextmanager
def listener(port):
    """Holds a port, as a server that answers or as a process that is in the way."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", port))
        held.listen()
        yield
