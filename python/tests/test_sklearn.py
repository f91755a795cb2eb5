"""The estimators are scikit-learn's: its own checks, and the company they are used in."""
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import orff


def is_settled(estimator):
    """Nothing is chosen by leaving rows out, and nothing is stopped on the way."""
    chosen = {"auto"} & {str(estimator.get_params().get(name)) for name in ("sigma", "lambda_")}
    return not chosen and getattr(estimator, "loss", "squared") == "squared"


def run(check, estimator):
    """One check. A row of weight 2 is the same as two rows, unless a row that is left out is still there as the other
    one: as with scikit-learn's own RidgeCV, that holds for fixed parameters only, and as closely as a solver ends."""
    name = getattr(check, "func", check).__name__
    if name.startswith("check_sample_weight_equivalence") and not is_settled(estimator):
        pytest.xfail("rows of weight 2 are not two rows when rows are left out, or when a solver stops early")
    check(estimator)


@parametrize_with_checks([
    orff.ORFFRegressor(),
    orff.ORFFClassifier(),
    orff.OVKRegressor(),
    orff.OperatorFourierFeatures(),
])
def test_check_estimator(estimator, check):
    run(check, estimator)


@parametrize_with_checks([
    orff.ORFFRegressor(sigma=2.0, lambda_=1e-3),
    orff.ORFFClassifier(sigma=2.0, lambda_=1e-3),
    orff.OVKRegressor(sigma=2.0, lambda_=1e-3),
    orff.ORFFStack(stack=10, features=50, stack_features=10, epochs=5),
    orff.ORFFClassifier(loss="logistic", sigma=2.0, lambda_=1e-3, iterations=60, residual=1e-4),
    orff.OperatorFourierFeatures(map="Phi", features=20, sigma=1.0),
])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_check_estimator_of_variants(estimator, check):
    run(check, estimator)


def test_pipeline_grid_search_and_cross_validation(field):
    X, Y = field
    pipeline = make_pipeline(StandardScaler(), orff.ORFFRegressor(features=60, sigma=1.0, lambda_=1e-3))
    search = GridSearchCV(pipeline, {"orffregressor__sigma": [0.01, 1.0]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"orffregressor__sigma": 1.0}
    assert search.score(X, Y) > 0.95
    assert cross_val_score(orff.ORFFRegressor(features=60), X, Y, cv=3).min() > 0.9
    y = (Y[:, 0] > 0).astype(int)
    assert cross_val_score(orff.ORFFClassifier(features=60), X, y, cv=3).min() > 0.9


def test_clone_keeps_parameters():
    A = np.eye(2)
    one = orff.ORFFRegressor(sigma=[1.0, 2.0], output_matrix=A, covariates=[1], lambda_=0.1)
    other = clone(one)
    assert other.get_params()["sigma"] == [1.0, 2.0] and np.all(other.output_matrix == A)
    assert repr(other).startswith("ORFFRegressor(")


def test_score_is_r2(field):
    X, Y = field
    model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3).fit(X, Y)
    assert model.score(X, Y) == pytest.approx(r2_score(Y, model.predict(X)))


def test_pandas_names_travel(field, tmp_path):
    X, Y = field
    table, outputs = pd.DataFrame(X, columns=["lon", "lat"]), pd.DataFrame(Y, columns=["u", "v"])
    model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3).fit(table, outputs)
    assert list(model.feature_names_in_) == ["lon", "lat"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["lat", "lon"]])
    model.save(tmp_path / "model")
    assert list(orff.load(tmp_path / "model").feature_names_in_) == ["lon", "lat"]
    covariate = orff.ORFFRegressor(kernel="div-free", covariates=["hour"], sigma=1.0, lambda_=1e-3)
    covariate.fit(table.assign(hour=np.linspace(0, 1, len(table))), outputs)
    assert covariate.jacobian(table.assign(hour=0.5)[:3]).shape == (3, 2, 3)
    assert np.abs(covariate.divergence(table.assign(hour=0.5))).max() < 1e-9


def test_transformer_in_pandas_and_in_a_pipeline(field):
    X, Y = field
    features = orff.OperatorFourierFeatures(sigma=1.0, features=50).set_output(transform="pandas")
    table = features.fit_transform(pd.DataFrame(X, columns=["a", "b"]))
    assert table.shape == (400, 100) and table.columns[0] == "operatorfourierfeatures0"
    pipeline = make_pipeline(orff.OperatorFourierFeatures(sigma=1.0, features=50), Ridge(alpha=1e-3))
    assert pipeline.fit(X, Y).score(X, Y) > 0.95


def test_tune_takes_the_best_and_tells_all(field):
    X, Y = field
    grid = {"kernel": ["curl-free", "div-free"], "sigma": [0.1, 1.0], "lambda_": [1e-4, 1e-2]}
    model = orff.ORFFRegressor(features=60).tune(X, Y, **grid)
    assert model.best_params_["kernel"] == "div-free" and model.kernel == "div-free"
    scores = model.tune_results_["cv_mse"]
    assert len(scores) == 8 and scores.argmin() == model.best_index_
    again = orff.ORFFRegressor(features=60, **model.best_params_).fit(X, Y)
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="sigma is 0.1; expected a list"):
        orff.ORFFRegressor().tune(X, Y, sigma=0.1)


def test_tune_passes_over_the_data_once_for_each_sigma(field):
    X, Y = np.tile(field[0], (30, 1)), np.tile(field[1], (30, 1))

    def steps(**grid):
        """That six candidates tell; a pass over the data tells some of its own."""
        tasks = []
        orff.ORFFRegressor(features=30, progress=lambda task, done, total: tasks.append(task)).tune(X, Y, **grid)
        return tasks.count("tuning")

    lambdas = steps(sigma=[1.0], kernel=["div-free"], lambda_=list(np.logspace(-4, -2, 6)))
    kernels = steps(sigma=[1.0], kernel=["div-free", "curl-free"], lambda_=[1e-4, 1e-3, 1e-2])
    scales = steps(sigma=list(np.linspace(0.5, 1.5, 6)), kernel=["div-free"], lambda_=[1e-3])
    assert lambdas == kernels and scales >= lambdas + 5
