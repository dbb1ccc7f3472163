# SPDX-License-Identifier: Apache-2.0
"""Contexts and errors: a failed call of the library becomes an exception with its message."""
from __future__ import annotations

import os
import warnings
import weakref
from typing import Sequence

from ._native import ffi, lib


class StickslipError(Exception):
    """A call of the library failed; the message says what, where and what was expected."""


class InputError(StickslipError, ValueError):
    """The scene, problem or argument is wrong."""


class UnsupportedError(StickslipError):
    """This build or this combination of choices cannot do that."""


class CertificateError(StickslipError, ArithmeticError):
    """A step's certificate failed; the state is that of before the step."""


class OutOfMemory(StickslipError, MemoryError):
    """Out of memory."""


class Interrupted(StickslipError):
    """A step was interrupted."""


_KINDS = {
    lib.SS_ERR_ARGUMENT: InputError,
    lib.SS_ERR_INPUT: InputError,
    lib.SS_ERR_UNSUPPORTED: UnsupportedError,
    lib.SS_ERR_CERTIFICATE: CertificateError,
    lib.SS_ERR_NUMERICAL: CertificateError,
    lib.SS_ERR_MEMORY: OutOfMemory,
    lib.SS_ERR_INTERRUPTED: Interrupted,
}


def text(pointer) -> str:
    """A C string; empty for NULL."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def version() -> str:
    return text(lib.ss_version())


@ffi.def_extern()
def ssp_log(user, level, message):
    if level == lib.SS_LOG_WARNING:
        ffi.from_handle(user).warnings.append(text(message))


def _release(pointer, destroy, needs):
    destroy(pointer)


class Handle:
    """An object of C, destroyed when nobody uses it any more, and before any handle it `needs`.

    weakref.finalize keeps what it needs alive until then, whatever the garbage collector does, and
    at the end of the interpreter destroys what is left in the opposite order of its making.
    """

    def __init__(self, pointer, destroy, *needs: "Handle") -> None:
        self.pointer = pointer
        weakref.finalize(self, _release, pointer, destroy, needs)


class Context:
    """One library context: it owns messages and memory, and belongs to one thread at a time."""

    def __init__(self, plugins: Sequence[str | os.PathLike[str]] = ()) -> None:
        pointer = lib.ss_context_create(ffi.NULL)
        if not pointer:
            raise OutOfMemory("no memory for a context")
        self.pointer, self.handle = pointer, Handle(pointer, lib.ss_context_destroy)
        self.warnings: list[str] = []
        #: An exception raised inside a controller, to be raised again where the step was asked for.
        self.raised: BaseException | None = None
        self._handle = ffi.new_handle(self)
        lib.ss_context_set_log(pointer, lib.ssp_log, self._handle)
        for path in plugins:
            self.check(lib.ss_context_load_plugin(pointer, os.fsencode(path)))

    def check(self, status: int) -> None:
        """Raises what `status` says; shows warnings that came with it."""
        for message in self.warnings:
            warnings.warn(message, stacklevel=3)
        self.warnings.clear()
        if status == lib.SS_OK:
            return
        raised, self.raised = self.raised, None
        if raised is not None and not isinstance(raised, Exception):
            raise raised  # Ctrl-C and exit() end the program, whoever was computing
        message = text(lib.ss_context_message(self.pointer)) or text(lib.ss_status_text(status))
        raise _KINDS.get(status, StickslipError)(message) from raised
