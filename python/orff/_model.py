"""A fitted model of the library: predictions, derived fields, files."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Optional

import numpy as np

from ._arrays import Array, copied, doubles, pointer, view
from ._errors import check
from ._kernel import Part, parts_of_model, scales_of, waves_of
from ._library import ffi, keep_with, lib, owner, text
from ._progress import run
from ._settings import name_of


class Model:
    """Owns an orff_model, which is immutable, so many threads may use it at once."""

    def __init__(self, place: Any) -> None:
        self._place = place
        self._handle = place[0]
        info = self.describe()
        self.inputs, self.classes = int(info.inputs), int(info.classes)
        self.outputs = int(info.code_length)  # of the kernel; for classes, the length of a code

    def describe(self) -> Any:
        """The orff_model_info."""
        return lib.orff_model_describe(self._handle)

    def codes(self) -> Array:
        """The codes of the classes, one row for each."""
        return copied(self.describe().codes, self.classes * self.outputs).reshape(self.classes, self.outputs)

    def parts(self) -> list[Part]:
        """The kernel as it was fitted, in the user's units."""
        return [Part(name_of("rule", part.rule), scales_of(part, self.inputs), part.weight, part.mix,
                     waves_of(part, self.inputs))
                for part in parts_of_model(self._handle)]

    def delays(self) -> Optional[Array]:
        """The delays of each part, 0 if it has none: p x d, or parts x p x d; None if no part has any."""
        parts = parts_of_model(self._handle)
        if all(part.delays == ffi.NULL for part in parts):
            return None
        late = np.array([np.zeros((self.outputs, self.inputs)) if part.delays == ffi.NULL
                         else view(part.delays, self.outputs, self.inputs) for part in parts])
        return late[0] if len(parts) == 1 else late

    def output_matrix(self) -> Optional[Array]:
        """The covariance of each part at a point: p x p, or parts x p x p; None if unknown."""
        count = int(self.describe().parts)
        A = np.empty((count, self.outputs, self.outputs))
        for i in range(count):
            if lib.orff_model_output_matrix(self._handle, i, pointer(A[i])):
                return None
        return A[0] if count == 1 else A

    def output_matrices(self) -> dict[int, Array]:
        """The output matrices of the parts that have one, by index of the part: p x p each, in the outputs' units."""
        found = {}
        for i, part in enumerate(parts_of_model(self._handle)):
            if lib.orff_rule_describe(part.rule).separable:
                found[i] = np.empty((self.outputs, self.outputs))
                check(lib.orff_model_output_matrix(self._handle, i, pointer(found[i])))
        return found

    def power(self, low: Array, high: Array, axes: list[int]) -> dict[str, Optional[Array]]:
        """The orff_power of a region; "prior" is None if unknown."""
        c, low, high = ffi.new("orff_power *"), doubles(low), doubles(high)
        run(lib.orff_model_power, self._handle, pointer(low), pointer(high), len(axes), ffi.new("size_t[]", axes), c)
        bins = int(c.bins)
        return {"edges": copied(c.edges, bins + 1), "learned": copied(c.learned, bins),
                "prior": copied(c.prior, bins) if c.expected else None}

    def trend_terms(self) -> list[dict[str, Any]]:
        """The terms of the trend."""
        found, c = [], ffi.new("orff_trend_term *")
        for i in range(int(self.describe().trend_terms)):
            check(lib.orff_model_trend(self._handle, i, c))
            found.append({"inputs": [int(c.inputs[k]) for k in range(int(c.factors))],
                          "coefficients": copied(c.coefficients, self.outputs),
                          "errors": copied(c.errors, self.outputs)})
        return found

    def offsets(self) -> list[dict[str, Any]]:
        """The offsets of groups."""
        found, c = [], ffi.new("orff_offset *")
        for i in range(int(self.describe().offsets)):
            check(lib.orff_model_offset(self._handle, i, c))
            found.append({"group": int(c.group), "values": copied(c.values, self.outputs),
                          "errors": copied(c.errors, self.outputs)})
        return found

    def alpha(self) -> Array:
        """The coefficients of an exact model: rows x outputs."""
        alpha = np.empty((int(self.describe().rows), self.outputs))
        check(lib.orff_model_alpha(self._handle, pointer(alpha)))
        return alpha

    def norm2(self) -> float:
        """|f|^2 of an exact model, in the space of its kernel."""
        found = ffi.new("double *")
        check(lib.orff_model_norm2(self._handle, found))
        return float(found[0])

    def shares(self) -> Optional[Array]:
        """Each part's share of the variance, and last that of the noise; None unless learned."""
        info = self.describe()
        return copied(info.shares, info.parts + 1) if info.shares != ffi.NULL else None

    # ---- values

    def predict(self, X: Array, **how: Any) -> Array:
        """n x outputs, in the precision of X."""
        single = X.dtype == np.float32
        F = np.empty((len(X), self.outputs), dtype=X.dtype)
        function = lib.orff_model_predict_single if single else lib.orff_model_predict
        run(function, self._handle, len(X), pointer(X), pointer(F), **how)
        return F

    def classify(self, X: Array, **how: Any) -> Array:
        """The indices of the classes, n."""
        labels = np.empty(len(X), dtype=np.uintp)
        run(lib.orff_model_classify, self._handle, len(X), pointer(doubles(X)), pointer(labels), **how)
        return labels.astype(np.intp)

    def covariance(self, X: Array, **how: Any) -> Array:
        """Posterior covariance, n x p x p."""
        return self._derive(lib.orff_model_covariance, X, (self.outputs, self.outputs), **how)

    def std(self, X: Array, with_noise: bool = False, **how: Any) -> Array:
        """Standard deviation of f(x), or with noise of a new measurement, n x p."""
        S = np.empty((len(X), self.outputs))
        run(lib.orff_model_std, self._handle, len(X), pointer(doubles(X)), with_noise, pointer(S), **how)
        return S

    def scores(self, X: Array, Y: Array, **how: Any) -> list[dict[str, float]]:
        """Scores of each output, then of all together."""
        place = owner("orff_scores", lib.orff_scores_free)
        check(lib.orff_scores_create(place, self.outputs))
        run(lib.orff_scores_add_model, place[0], self._handle, len(X), pointer(doubles(X)), pointer(doubles(Y)),
            **how)
        found = [lib.orff_scores_output(place[0], k) for k in range(self.outputs)]
        every = _score(lib.orff_scores_all(place[0]))
        if lib.orff_model_is_vector(self._handle):
            vector = lib.orff_scores_vector(place[0])
            every.update(speed_rmse=vector.speed_rmse, speed_bias=vector.speed_bias,
                         direction_error=vector.direction_error)
        return [*(_score(one) for one in found), every]

    def sample(self, X: Array, count: int, seed: int, **how: Any) -> Array:
        """Joint posterior samples, count x n x p."""
        F = np.empty((count, len(X), self.outputs))
        run(lib.orff_model_sample, self._handle, count, seed, len(X), pointer(doubles(X)), pointer(F), **how)
        return F

    def derive(self, name: str, X: Array, **how: Any) -> Array:
        """A derived field: jacobian (n x p x d), divergence, curl, potential or stream_function."""
        vector = (3,) if self.outputs == 3 else ()
        shapes = {"jacobian": (self.outputs, self.inputs), "curl": vector, "stream_function": vector}
        return self._derive(getattr(lib, f"orff_model_{name}"), X, shapes.get(name, ()), **how)

    def derive_std(self, name: str, X: Array, samples: int, **how: Any) -> Array:
        """Standard deviations of a derived field, n x its size: in closed form if there is one, else from samples."""
        field = getattr(lib, f"ORFF_FIELD_{name.removesuffix('_function').upper()}")
        S = np.empty((len(X), int(lib.orff_model_field_size(self._handle, field))))
        if lib.orff_model_has_field_std(self._handle, field):
            run(lib.orff_model_field_std, self._handle, field, len(X), pointer(doubles(X)), pointer(S), **how)
            return S
        kept = int(lib.orff_model_describe(self._handle).kept_samples)  # a large lattice has only these samples
        drawn = owner("orff_samples", lib.orff_samples_free)
        run(lib.orff_samples_draw, drawn, self._handle, min(samples, kept or samples), 0, **how)
        run(lib.orff_samples_std, drawn[0], field, len(X), pointer(doubles(X)), pointer(S), **how)
        return S

    def _derive(self, function: Callable, X: Array, shape: tuple, **how: Any) -> Array:
        out = np.empty((len(X), *shape))
        run(function, self._handle, len(X), pointer(doubles(X)), pointer(out), **how)
        return out

    # ---- notes and files

    @property
    def notes(self) -> str:
        """The text stored with the model."""
        return text(lib.orff_model_notes(self._handle))

    def set_notes(self, notes: str) -> None:
        """Set the text stored with the model. Call it before the model is shared."""
        check(lib.orff_model_set_notes(self._handle, notes.encode()))

    def save(self, path: Any, compact: bool = False) -> None:
        """Write a model file."""
        run(lib.orff_model_save, self._handle, os.fsencode(path), compact)

    @classmethod
    def load(cls, path: Any) -> "Model":
        """Read a model file."""
        place = owner("orff_model", lib.orff_model_free)
        run(lib.orff_model_load, place, os.fsencode(path))
        return cls(place)

    def __reduce__(self) -> tuple:
        return model_from_bytes, (file_bytes(self.save),)

    def __deepcopy__(self, memo: Any) -> "Model":
        return self

    # ---- creating

    @classmethod
    def make(cls, function: Callable, settings: Any, *arguments: Any, **how: Any) -> "Model":
        """A model by a function (orff_model **, const orff_settings *, ...), from Settings or an object with them."""
        place = owner("orff_model", lib.orff_model_free)
        run(function, place, getattr(settings, "c", settings), *arguments, **how)
        keep_with(place, settings)  # an exact model calls their functions
        return cls(place)


def _score(score: Any) -> dict[str, float]:
    """The scores by name, without unknown ones."""
    always = ("rmse", "mse", "r2", "bias", "correlation")
    found = {name: getattr(score, name) for name in always}
    for i in range(len(score.coverage)):
        found[f"coverage_{100 * lib.orff_scores_level(i):.0f}"] = score.coverage[i]
    found.update(crps=score.crps, log_score=score.log_score)
    return {name: value for name, value in found.items() if name in always or not np.isnan(value)}


def file_bytes(save: Callable[[str], None]) -> bytes:
    """The bytes of the file that `save` writes."""
    with tempfile.TemporaryDirectory(prefix="orff-") as directory:
        path = os.path.join(directory, "file")
        save(path)
        with open(path, "rb") as file:
            return file.read()


def from_file_bytes(data: bytes, load: Callable[[str], Any]) -> Any:
    """The result of `load` for a file with these bytes."""
    with tempfile.TemporaryDirectory(prefix="orff-") as directory:
        path = os.path.join(directory, "file")
        with open(path, "wb") as file:
            file.write(data)
        return load(path)


def model_from_bytes(data: bytes) -> Model:
    """A model from the bytes of its file."""
    return from_file_bytes(data, Model.load)
