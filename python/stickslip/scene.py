# SPDX-License-Identifier: Apache-2.0
"""Scenes: from files, texts or dictionaries, with any value changed before they are compiled."""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Mapping, Sequence

from ._builtin import builtin, is_builtin
from ._errors import Context, Handle, InputError
from ._native import ffi, lib
from .model import Model

#: (time, data) -> values: force and torque on a body (2D: fx, fy, torque), or one along a joint.
Controller = Callable[[float, "stickslip.Data"], Sequence[float]]

#: Files of plug-ins.
Plugins = Sequence["str | os.PathLike[str]"]


def _plain(value: Any) -> Any:
    """Numpy numbers and arrays as JSON knows them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a scene cannot hold a {type(value).__name__}")


def _named(value: Any) -> Any:
    """The same with the key `on` where PyYAML, which reads YAML 1.1, made `True` of it."""
    if isinstance(value, Mapping):
        return {"on" if key is True else key: _named(one) for key, one in value.items()}
    return [_named(one) for one in value] if isinstance(value, (list, tuple)) else value


def _as_yaml(value: Any) -> str:
    """JSON is YAML; a text stays an expression."""
    try:
        return json.dumps(_named(value), default=_plain, allow_nan=False)
    except ValueError as error:
        raise InputError("a scene cannot hold nan or infinite numbers") from error


class Scene:
    """A scene, editable until it is compiled. Make one by `load`, `from_text` or `from_dict`."""

    def __init__(self, text: str | None, path: str | None, name: str, plugins: Plugins = ()) -> None:
        self._text, self._path, self._name, self._plugins = text, path, name, tuple(plugins)
        self._set: list[str] = []
        self._controllers: list[tuple[str, str, Controller]] = []

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, plugins: Plugins = ()) -> "Scene":
        """The scene of a file, or `builtin:NAME`; a file with mistakes raises InputError with file, line and column. `plugins` are shared
        objects that it needs (docs/howto/write-a-plugin.md)."""
        name = os.fspath(path)
        if is_builtin(name):
            return cls(builtin("scenes", name), None, name, plugins)._checked()
        return cls(None, name, name, plugins)._checked()

    @classmethod
    def from_text(cls, text: str, name: str = "<text>", *, plugins: Plugins = ()) -> "Scene":
        """A scene in YAML; `name` takes the place of the file in messages."""
        return cls(text, None, name, plugins)._checked()

    @classmethod
    def from_dict(cls, scene: Mapping[str, Any], name: str = "<dict>", *, plugins: Plugins = ()) -> "Scene":
        """A scene as nested dictionaries and lists with the keys of scene files."""
        return cls(_as_yaml(scene), None, name, plugins)._checked()

    def set(self, path: str, value: Any) -> "Scene":
        """Changes one value, as `--set` does: scene.set("bodies.ball.mass", 2)."""
        self._set.append(f"{path}={_as_yaml(value)}")
        try:
            return self._checked()
        except Exception:
            self._set.pop()
            raise

    def control(self, function: Controller, *, body: str = "", joint: str = "") -> "Scene":
        """A controller in Python on a body or along a joint: function(t, data) -> values.

        It is called at the start of every step and must not remember anything between calls, or
        runs that are restored from a snapshot will differ.
        """
        if bool(body) == bool(joint):
            raise ValueError("a controller needs either body=NAME or joint=NAME")
        self._controllers.append((body, joint, function))
        return self

    def compile(self) -> Model:
        """Checks and compiles the scene."""
        context, scene = self._open()
        controllers = [self._add_controller(context, scene, i) for i in range(len(self._controllers))]
        out = ffi.new("ss_model **")
        context.check(lib.ss_model_compile(context.pointer, scene.pointer, out))
        return Model(context, out[0], scene, controllers)

    def __repr__(self) -> str:
        return f"<stickslip.Scene {self._name!r}>"

    # -- inside ---------------------------------------------------------------------------------

    def _checked(self) -> "Scene":
        self._open()
        return self

    def _open(self):
        context = Context(self._plugins)
        texts = [ffi.new("char[]", item.encode()) for item in self._set]
        overrides = ffi.new("const char *[]", texts or [ffi.NULL])
        out = ffi.new("ss_scene **")
        if self._text is None:
            status = lib.ss_scene_load(context.pointer, os.fsencode(self._path), overrides,
                                       len(texts), out)
        else:
            data = self._text.encode()
            status = lib.ss_scene_load_text(context.pointer, data, len(data), self._name.encode(),
                                            overrides, len(texts), out)
        context.check(status)
        return context, Handle(out[0], lib.ss_scene_destroy, context.handle)

    def _add_controller(self, context: Context, scene, index: int) -> "_ControllerHandle":
        body, joint, function = self._controllers[index]
        handle = _ControllerHandle(function)
        keep = [ffi.new("char[]", text.encode())
                for text in (f"python controller {index + 1}", "controller", body, joint)]
        definition = ffi.new("ss_force_def *")
        definition.name, definition.type = keep[0], keep[1]
        definition.body = keep[2] if body else ffi.NULL
        definition.joint = keep[3] if joint else ffi.NULL
        definition.control = lib.ssp_control
        definition.control_user = handle.pointer
        context.check(lib.ss_scene_add_force(scene.pointer, definition))
        return handle


class _ControllerHandle:
    """What C hands back to Python when it asks a controller for its values."""

    def __init__(self, function: Controller) -> None:
        self.function = function
        self.data_of: dict[int, Any] = {}  # address of ss_data -> Data
        self.pointer = ffi.new_handle(self)


@ffi.def_extern(error=1)
def ssp_control(user, model, data, t, values, count):
    handle = ffi.from_handle(user)
    owner = handle.data_of[int(ffi.cast("uintptr_t", data))]()
    try:
        owner._gather()
        answer = [float(x) for x in handle.function(t, owner)]
        if len(answer) != count:
            raise ValueError(f"a controller must return {count} numbers, got {len(answer)}")
        values[0:count] = answer
    except BaseException as error:  # C cannot carry it: Context.check raises it again
        owner._context.raised = error
        return 1
    return 0
