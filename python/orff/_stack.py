"""Regression with layers of random features that are learned together."""
from __future__ import annotations

from ._fields import FieldsMixin
from ._library import lib
from ._observations import MISSING_OUTPUTS
from ._parameters import FEATURES, KERNEL, LEARNING, PROGRESS, SOLVING, VERBOSE, Own, parameters
from ._regression import RegressionMixin
from ._settings import TABLE, name_of
from ._tuning import WholeRowsTuningMixin

STACK = Own((8,), TABLE["stack"].types, TABLE["stack"].help)
# Settings that stacks lack: other rules, losses and solvers, and settings that refer to the inputs.
OTHERS = ("covariates", "crs", "engine", "frequencies", "geo", "importance", "iterations", "loss", "loss_parameter", "max_bytes", "mix",
          "period", "precision", "residual", "shadow", "solver", "tolerance", "trend")


@parameters(KERNEL | FEATURES | LEARNING | SOLVING, without=OTHERS, stack=STACK, missing_outputs=MISSING_OUTPUTS, verbose=VERBOSE,
            progress=PROGRESS)
class ORFFStack(FieldsMixin, RegressionMixin, WholeRowsTuningMixin):
    """Regression with layers of random Fourier features that are learned together.

    f = f_L o .. o f_1. Hidden layers start as the identity, so the stack starts as an `ORFFRegressor` with a decomposable
    kernel. Adam steps through all layers then warp the inputs until the kernel suits them; the last layer is solved in
    closed form. The state with the smallest error on held-out rows is kept, the start included. A stack helps if the
    function has fronts or varies faster in some places than in others.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    n_features_in_, feature_names_in_, sigma_, chosen_lambda_, kernel_, train_mse_, noise_, n_frequencies_, ...
        See `ORFFRegressor`. Error bars are those of the last layer, as if the others were known.
    cv_mse_ : float
        The error on the held-out rows, by which the layers were selected.
    widths_ : tuple of int
        Widths of the hidden layers.

    Examples
    --------
    >>> import numpy as np, orff
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> Y = np.tanh(10 * (X[:, :1] + 0.4 * np.sin(2.5 * X[:, 1:])))
    >>> model = orff.ORFFStack(stack=2, features=50, epochs=50).fit(X, Y)
    >>> model.widths_, model.predict([[-0.9, 0.0], [0.9, 0.0]]).round().ravel() + 0.0
    ((2,), array([-1.,  1.]))
    """

    engine = name_of("engine", lib.ORFF_ENGINE_STACK)
    precision = TABLE["precision"].default

    @property
    def widths_(self) -> tuple:
        """Widths of the hidden layers."""
        info = self._info()
        return tuple(int(info.hidden_widths[i]) for i in range(info.hidden_layers))
