"""Classification by simplex coding, also with several labels per row."""
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from scipy.sparse import issparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ._arrays import Array, simplex_codes
from ._arrow import from_arrow
from ._estimator import FLOATS, row_weights, validate_data, without_zeros
from ._library import lib
from ._observations import Rows
from ._parameters import EVERY, PRECISION, PROGRESS, VERBOSE, parameters
from ._settings import name_of
from ._streaming import StreamingMixin, can_stream
from ._tuning import TuningMixin


def signs(y: Array) -> Array:
    """1 for the labels of a row, -1 for the others."""
    return np.where(y == 1, 1.0, -1.0)


@parameters(EVERY, without=("scale_outputs", "geo", "crs"), precision=PRECISION, verbose=VERBOSE, progress=PROGRESS)
class ORFFClassifier(ClassifierMixin, TuningMixin, StreamingMixin):
    """Classification with operator-valued random Fourier features.

    The T classes are coded as the T corners of a simplex in R^(T-1). The codes are learned by regression, and the prediction
    is the class with the nearest corner. The kernel thus has T - 1 outputs.

    If rows can have several labels, or none, give a matrix of zeros and ones with a column for each label. Each label is
    learned as an output that is 1 or -1, and predicted where it is positive.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (T,)
        The classes, sorted; for a matrix of labels, the indices of its columns.
    multilabel_ : bool
        Whether y was a matrix of labels.
    n_features_in_, feature_names_in_, sigma_, chosen_lambda_, kernel_, cv_mse_, train_mse_, n_frequencies_, ...
        See `ORFFRegressor`; mean square errors are those of the codes.

    Examples
    --------
    >>> import numpy as np, orff
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.where(np.hypot(*X.T) < 1.0, "in", "out")
    >>> orff.ORFFClassifier().fit(X, y).predict([[0.0, 0.0], [2.0, 2.0]])
    array(['in', 'out'], dtype='<U3')
    """

    scale_outputs = False  # codes are not scaled
    multilabel_ = False

    # ---- scikit-learn's tags

    def _more_tags(self) -> dict[str, Any]:
        return {"multilabel": self._takes_labels}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self._takes_labels
        return tags

    @property
    def _takes_labels(self) -> bool:
        """Several labels per row need the squared loss; losses for classes allow only one label."""
        return bool(self.loss == name_of("loss", lib.ORFF_LOSS_SQUARED))

    # ---- rows

    def _rows(self, X: Any, y: Any, sample_weight: Any, reset: bool = True, least: int = 2) -> tuple:
        y = from_arrow(y, "y", numbers=False)
        y = y.toarray() if issparse(y) else y
        X, y = validate_data(self, X, y, reset=reset, dtype=FLOATS, order="C", ensure_min_samples=least, multi_output=True)
        check_classification_targets(y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        if y.ndim == 2 and not np.isin(y, (0, 1)).all():  # a small set of rows may contain only one of the values
            raise ValueError(f"y has {y.shape[1]} columns, with other numbers than 0 and 1; several labels at once are a matrix of zeros "
                             "and ones")
        if not reset and (y.ndim == 2) != self.multilabel_:
            raise ValueError("y is a matrix of labels in some calls and classes in others")
        return X, y, row_weights(sample_weight, X)

    def _set_labels(self, y: Array) -> bool:
        """Records whether y has several labels per row, and how many there are."""
        self.multilabel_ = bool(y.ndim == 2)
        if self.multilabel_:
            self.classes_, self._label_type = np.arange(y.shape[1]), y.dtype.str
        return self.multilabel_

    def _label_notes(self) -> dict[str, Any]:
        return {"about": {"multilabel": self._label_type}}

    def _set_classes(self, classes: Any) -> None:
        self.classes_ = np.unique(classes)
        if len(self.classes_) < 2:
            raise ValueError(f"there must be at least 2 classes, but there is one class: {self.classes_}")

    def _labels(self, y: Array) -> Array:
        """Indices in classes_."""
        places = np.searchsorted(self.classes_, y)
        known = self.classes_[np.minimum(places, len(self.classes_) - 1)] == y
        if not known.all():
            raise ValueError(f"the class {y[~known].tolist()[0]!r} is not among those of the first call: {self.classes_}")
        return places

    def _class_notes(self) -> dict[str, Any]:
        return {"labels": [str(label) for label in self.classes_],
                "about": {"labels": self.classes_.dtype.str}}

    # ---- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ORFFClassifier":
        """Learn from rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        y : array-like of shape (n,), or (n, labels) of zeros and ones
            Classes (numbers, strings or anything that can be sorted), or the labels of each row.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows. Rows of weight 0 are ignored, and so are classes that only they have.

        Returns
        -------
        self
        """
        X, y, weights = without_zeros(*self._rows(X, y, sample_weight))
        if self._set_labels(y):
            self._fit_rows(Rows(X, signs(y), weights), **self._label_notes())
            return self
        self._set_classes(y)
        labels = self._labels(y).astype(np.float64).reshape(-1, 1)
        self._fit_rows(Rows(X, labels, weights), len(self.classes_), **self._class_notes())
        return self

    @available_if(can_stream)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "ORFFClassifier":
        """Add rows to the earlier ones. The result is the same as that of one fit to all of them.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        y : array-like of shape (n,)
            Classes.
        classes : array-like, optional
            All classes. Needed in the first call, unless its rows contain every class.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).normal(size=(300, 2)); y = (X[:, 0] > 0) * 1
        >>> model = orff.ORFFClassifier(sigma=1.0, features=50).partial_fit(X[:9], y[:9], classes=[0, 1])
        >>> model.partial_fit(X[9:], y[9:]).predict([[-2.0, 0.0], [2.0, 0.0]])
        array([0, 1])
        """
        first = self._starts_anew()
        X, y, weights = self._rows(X, y, sample_weight, reset=first, least=1)
        if first and not self._set_labels(y):
            self._set_classes(y if classes is None else classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes is {classes!r}, but in the first call it was {self.classes_}")
        self._classes_of_moments = 0 if self.multilabel_ else len(self.classes_)
        self._add(Rows(X, self._coded(y), weights))
        return self

    @available_if(can_stream)
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> "ORFFClassifier":
        """Remove rows that were added by partial_fit, as if they had never been there.

        Parameters
        ----------
        X, y, sample_weight
            As they were given to partial_fit.

        Returns
        -------
        self
        """
        X, y, weights = self._rows(X, y, sample_weight, reset=False, least=1)
        self._subtract(Rows(X, self._coded(y), weights))
        return self

    def _coded(self, y: Array) -> Array:
        """The outputs to learn: a code for each row, or a sign for each label."""
        return signs(y) if self.multilabel_ else self._codes()[self._labels(y)]

    def _codes(self) -> Array:
        """The codes, one row for each class."""
        if self.codes is None:
            return simplex_codes(len(self.classes_))
        codes = np.asarray(self.codes, dtype=np.float64)
        if codes.ndim != 2 or len(codes) != len(self.classes_):
            raise ValueError(f"codes: expected a matrix with {len(self.classes_)} rows, one for each class")
        return codes

    def _notes_of_moments(self) -> dict[str, Any]:
        return self._label_notes() if self.multilabel_ else self._class_notes()

    def tune(self, X: Any, y: Any, sample_weight: Any = None, **grid: Any) -> "ORFFClassifier":
        """Compare candidates by the cross-validated error of the codes and fit the best to all rows.

        Parameters
        ----------
        X, y, sample_weight
            As for fit.
        **grid
            A list of values for each parameter to vary; all combinations are compared.

        Returns
        -------
        self
            With `best_params_`, `best_index_` and `tune_results_`.

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).normal(size=(200, 2)); y = (X[:, 0] > 0) * 1
        >>> orff.ORFFClassifier().tune(X, y, sigma=[1.0, 3.0]).score(X, y) > 0.9
        True
        """
        X, y, weights = without_zeros(*self._rows(X, y, sample_weight))
        if self._set_labels(y):
            self._tune_rows(grid, Rows(X, signs(y), weights), **self._label_notes())
            return self
        self._set_classes(y)
        labels = self._labels(y).astype(np.float64).reshape(-1, 1)
        self._tune_rows(grid, Rows(X, labels, weights), len(self.classes_), **self._class_notes())
        return self

    # ---- using

    def _scores(self, X: Array) -> Array:
        """Products of the predictions with the code of each class, or the value for each label: n x T."""
        if self.multilabel_:
            return self.model_.predict(X, **self._how)
        codes = self.model_.codes()
        lengths = 0.5 * (codes * codes).sum(axis=1)
        lengths = np.zeros_like(lengths) if np.allclose(lengths, lengths[0]) else lengths  # equal, as in a simplex
        return (self.model_.predict(X, **self._how) @ codes.T - lengths).astype(X.dtype)

    def decision_function(self, X: Any) -> Array:
        """A score for each class; the largest wins.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.

        Returns
        -------
        ndarray of shape (n, T), or (n,) for two classes
            Products with the codes, minus half of their squared lengths if these differ, so that the nearest code has the
            largest score. For two classes, the score of the second. For labels, positive where the label is predicted.
        """
        scores = self._scores(self._points(X))
        return scores[:, 1] if len(self.classes_) == 2 and not self.multilabel_ else scores

    def predict(self, X: Any) -> Array:
        """Predict classes.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.

        Returns
        -------
        ndarray of shape (n,), or (n, labels) of zeros and ones
        """
        X = self._points(X)
        if self.multilabel_:
            return (self._scores(X) > 0).astype(self._label_type)
        if X.dtype == np.float32:
            return self.classes_[self._scores(X).argmax(axis=1)]
        return self.classes_[self.model_.classify(X, **self._how)]

    @available_if(lambda self: self.loss == name_of("loss", lib.ORFF_LOSS_LOGISTIC))
    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes; only for loss="logistic".

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.

        Returns
        -------
        ndarray of shape (n, T)
        """
        scores = self._scores(self._points(X))
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)
