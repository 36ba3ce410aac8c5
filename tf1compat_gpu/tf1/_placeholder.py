"""A name that is gone, and may be imported and passed about: it fails when it is called, subclassed or looked into."""

from __future__ import annotations

from typing import Any, Callable, NoReturn, cast


class Placeholder(type):
    """The class of such names; each is a class itself, so that isinstance and except clauses take it."""

    _error: Callable[[], Exception]

    def _fail(cls) -> NoReturn:
        raise type.__getattribute__(cls, "_error")()

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        cls._fail()

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        cls._fail()

    def __repr__(cls) -> str:
        return "<%s, which is gone>" % cls.__name__


def placeholder(name: str, error: Callable[[], Exception]) -> Any:
    """A name that raises `error()` where it is used."""
    made = Placeholder(name, (), {"_error": staticmethod(error)})

    def fail(cls: Any, **kwargs: Any) -> NoReturn:
        raise error()

    type.__setattr__(made, "__init_subclass__", cast(Any, classmethod)(fail))
    return made
