"""How traces are verified: the program's version, the options, and the files they name."""

import functools
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from sentrybench.fleet import status
from sentrybench.fleet.status import FleetError

#: The largest file that an option can name, in bytes. It is sent with each batch.
FILE_MAX = 4 << 20
#: Options with a value that is not a file.
VALUES = ("--firmware", "--pin", "--tolerance", "--scenario")
#: Options that name a file.
FILES = ("--timing", "--bootloader", "--rules")
FLAGS = ("--no-skip", "--strict", "--allow-long")
#: Options of explore. `--against` is a sketch, or avr:FILE.
EXPLORE_VALUES = ("--firmware", "--pin", "--tolerance", "--scenario", "--memory")
EXPLORE_FILES = ("--timing", "--bootloader", "--rules", "--profile")
EXPLORE_FLAGS = ("--strict",)
#: Options of rig.
RIG_VALUES = ("--firmware", "--pin", "--sweep", "--seed", "--for")
RIG_FILES = ("--timing", "--bootloader")
RIG_FLAGS = ()


@dataclass(frozen=True)
class OptionFile:
    """A file that an option names, read by the client."""

    path: str
    data: bytes

    @property
    def ending(self) -> str:
        found = re.search(r"\.[A-Za-z0-9]{1,8}$", self.path)
        return found[0] if found else ""


@dataclass(frozen=True)
class Recipe:
    """Everything that the result of a trace depends on, apart from the trace."""

    #: The version that each worker's program must have.
    version: str
    #: An element is a text, or a text before a file's path, such as "avr:", and the file.
    options: tuple[str | tuple[str, OptionFile], ...] = ()
    #: A digest of the client's program.
    build: str = ""
    #: The longest time that the program can take for one batch, in seconds.
    timeout: float = 3600

    @property
    def files(self) -> list[OptionFile]:
        return [option[1] for option in self.options if not isinstance(option, str)]

    def arguments(self, paths: list[str]) -> list[str]:
        """Returns the program's options, with these paths in place of the original ones."""
        rest = iter(paths)
        return [
            option if isinstance(option, str) else option[0] + next(rest) for option in self.options
        ]

    @functools.cached_property
    def identity(self) -> str:
        """A digest that changes with anything that can change a result."""
        parts: list[str] = [self.version, self.build]
        for option in self.options:
            if isinstance(option, str):
                parts.append(option)
            else:
                parts += [option[0], sha256(option[1].data).hexdigest()]
        return sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def options(
    given: Mapping[str, str | bool | Sequence[str] | None],
    read: Callable[[str], bytes],
    files: Sequence[str] = FILES,
    values: Sequence[str] = VALUES,
    flags: Sequence[str] = FLAGS,
) -> tuple[str | tuple[str, OptionFile], ...]:
    """Returns the options of a command in a fixed order. `given` has the value of each, a list for
    one that is repeated, and True for a flag; `read` returns the contents of a file."""
    result: list[str | tuple[str, OptionFile]] = []

    def add(name: str, prefix: str, path: str) -> None:
        result.append(name)
        result.append((prefix, OptionFile(path, read(path))))

    device = given.get("--device")
    if isinstance(device, str) and device != "model":
        if not device.startswith("avr:"):
            raise FleetError(
                status.USAGE,
                f"--device {device}: expected model or avr:FILE; "
                "only these can run on several machines at once",
            )
        add("--device", "avr:", device.removeprefix("avr:"))
    against = given.get("--against")
    if isinstance(against, str) and against.startswith("avr:"):
        add("--against", "avr:", against.removeprefix("avr:"))
    elif isinstance(against, str):
        result.append(f"--against={against}")
    for name in files:
        value = given.get(name)
        if isinstance(value, str):
            add(name, "", value)
    for name in values:
        value = given.get(name)
        if isinstance(value, str):
            result.append(f"{name}={value}")
    result += [f"--fault={fault}" for fault in _texts(given.get("--fault"))]
    result += [name for name in flags if given.get(name)]
    return tuple(result)


def _texts(value: str | bool | Sequence[str] | None) -> Sequence[str]:
    return [] if value is None or isinstance(value, str | bool) else value


def read_file(path: str) -> bytes:
    """Returns the contents of a file that an option names."""
    try:
        with open(path, "rb") as file:
            data = file.read(FILE_MAX + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        code = status.NO_INPUT if isinstance(error, FileNotFoundError) else status.INPUT_OUTPUT
        raise FleetError(code, f"{path}: error: cannot be opened: {reason}") from None
    if len(data) > FILE_MAX:
        raise FleetError(
            status.MALFORMED, f"{path}: error: expected a file of at most {FILE_MAX >> 20} MB"
        )
    return data


class Aliases:
    """Short names in a private folder that stand for the names that users know.

    The program gets the short names, so that no trace's name can be mistaken for an option, be too
    long, or end in something other than .jsonl. The program's texts are translated back.
    """

    def __init__(self, names: list[str], files: list[str], tag: str | None = None) -> None:
        self.tag = tag or secrets.token_hex(8)
        self._names = names
        self._files = files
        self._pattern = re.compile(rf"(traces|options)-{self.tag}/(\d{{6}})(\.\w+)?")

    @property
    def traces(self) -> str:
        return f"traces-{self.tag}"

    @property
    def options(self) -> str:
        return f"options-{self.tag}"

    def trace(self, index: int) -> str:
        return f"traces-{self.tag}/{index:06}.jsonl"

    def option(self, index: int, ending: str) -> str:
        return f"options-{self.tag}/{index:06}{ending}"

    def restore(self, text: str, quoted: Callable[[str], str] = str) -> str:
        """Returns the text with the names that users know, each as `quoted` writes it."""

        def name(found: re.Match[str]) -> str:
            names = self._names if found[1] == "traces" else self._files
            index = int(found[2])
            return quoted(names[index]) if index < len(names) else found[0]

        return self._pattern.sub(name, text)
