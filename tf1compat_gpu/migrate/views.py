"""A name for a config, or for a part of one, and what may be written through it."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

from tf1compat_gpu.migrate.configs import Config
from tf1compat_gpu.migrate.evaluate import Member, Unknown, Value
from tf1compat_gpu.profiles import fields


class View(NamedTuple):
    """A name for a config, or for a sub-message of one.

    Attributes:
        config: The config.
        prefix: The sub-message's path, or "".
        others: What else the name may mean here: branches gave it one each.
        shared: Whether it may also mean something that is not known: what is written through it has to stay in the code.
        again: Whether its config is made by a function that more than one call may ask for one.
    """

    config: Config
    prefix: str
    others: Tuple[Config, ...] = ()
    shared: bool = False
    again: bool = False

    def configs(self) -> Tuple[Config, ...]:
        return (self.config, *self.others)

    def holds(self, path: str) -> bool:
        """Whether a field's path is in it."""
        return not self.prefix or path == self.prefix or path.startswith(self.prefix + ".")

    def inside(self, path: str) -> View:
        return self._replace(prefix=".".join(part for part in (self.prefix, path) if part))


def either(one: Optional[View], other: Optional[View]) -> Optional[View]:
    """What a name means after two branches."""
    if one is None or other is None or one.prefix != other.prefix:
        known = one or other
        return None if known is None else known._replace(shared=True)
    others = [config for config in (*one.configs(), *other.configs()) if config is not one.config]
    return one._replace(others=tuple({id(config): config for config in others}.values()), shared=one.shared or other.shared)


def holds_more(view: View) -> bool:
    """Whether what a view means can be written into: a message, a list or a map, and not a plain value."""
    found = fields.find(view.prefix) if view.prefix and view.config.message == "ConfigProto" else None
    return found is None or found.field.is_message or found.field.repeated or found.field.is_map


def member(path: str, value: Value) -> Value:
    """A value, or an Unknown for what looks like an enum's member in a field of another kind."""
    found = fields.find(path)
    if isinstance(value, Member) and found is not None and found.field.type not in fields.enums():
        return Unknown("attribute", "the constant %s" % value)
    return value
