"""Parameters: their forms, their names and defaults, and what is said when they are wrong."""
import inspect
import json
import re
import subprocess

import numpy as np
import pytest

import orff
from orff._library import ffi, header, lib

FIXED = dict(sigma=0.7, lambda_=1e-3, features=40)


def fitted(field, **parameters):
    return orff.ORFFRegressor(**{**FIXED, **parameters}).fit(*field)


def test_every_function_of_the_header_is_in_the_library():
    names = re.findall(r"\b(orff_\w+)\(", re.sub(r"typedef[^;{]*;", "", header.declarations))
    assert len(names) > 100
    for name in names:
        assert getattr(lib, name) is not None
    assert ffi.sizeof("orff_settings") > 100 and lib.ORFF_OK == 0
    assert ffi.typeof("orff_status").elements[lib.ORFF_STATUS_COUNT - 1] == "ORFF_ERROR_FORMAT"


def test_defaults_are_those_of_the_program(program):
    """Every option of `orff fit` that has a namesake here has the same default."""
    text = subprocess.run([program, "fit", "--help"], capture_output=True, text=True).stdout
    shown = {}
    for block in re.split(r"\n  (?=-)", text):
        name = re.match(r"--([a-z-]+)|-\w, --([a-z-]+)", block.strip())
        default = re.search(r"[\[(]default:? ([^\])]*)[\])]", " ".join(block.split()))
        if name and default:
            shown[(name.group(1) or name.group(2)).replace("-", "_")] = default.group(1)
    defaults = {name: p.default for name, p in inspect.signature(orff.ORFFRegressor).parameters.items()}
    words = {True: "yes", False: "no", (1e-10, 10.0, 45): "1e-10:10:45"}
    compared = 0
    for name, value in defaults.items():
        option = "lambda" if name == "lambda_" else name
        if option not in shown or option == "precision":  # "auto" follows the array's type
            continue
        said = words.get(value, value) if isinstance(value, (bool, tuple)) else value
        said = said if isinstance(said, str) else float(said)
        assert said == (shown[option] if isinstance(said, str) else float(shown[option])), option
        compared += 1
    assert compared >= 15, shown


@pytest.mark.parametrize("one, other", [
    (dict(sigma="0.7"), dict(sigma=0.7)),
    (dict(sigma=[0.7, 0.9]), dict(sigma="0.7,0.9")),
    (dict(kernel="div-free+curl-free", sigma=[[0.7], [0.9]]), dict(kernel="div-free+curl-free", sigma="0.7+0.9")),
    (dict(kernel="div-free+curl-free", weight=[1, 2]), dict(kernel="div-free+curl-free", weight="1+2")),
    (dict(center=True, scale_inputs=False), dict(center="yes", scale_inputs="no")),
    (dict(lambda_="auto"), dict(lambda_="cv")),
    (dict(lambda_="auto", lambda_grid=(1e-6, 1.0, 7)), dict(lambda_=None, lambda_grid="1e-6:1:7")),
    (dict(output_matrix=np.eye(2)), dict(output_matrix="identity")),
    (dict(kernel="helmholtz", mix=1.0), dict(kernel="curl-free")),
], ids=str)
def test_forms_that_mean_the_same(one, other, field):
    np.testing.assert_allclose(fitted(field, **one).predict(field[0]), fitted(field, **other).predict(field[0]),
                               rtol=1e-7, atol=1e-7)


def test_median_is_the_median_distance(field):
    from scipy.spatial.distance import pdist

    X, Y = field
    assert fitted(field, sigma="median").sigma_[0] == pytest.approx(np.median(pdist(X)))
    both = fitted(field, kernel="div-free+decomposable", sigma="median+0.3").sigma_
    assert both.shape == (2, 2) and both[1, 0] == 0.3
    model = orff.ORFFRegressor(kernel="div-free", sigma="median", covariates=[2], lambda_=1e-3, features=40)
    scales = model.fit(np.c_[X, 1000 * X[:, 0]], Y).sigma_
    assert scales[0] == scales[1] == pytest.approx(np.median(pdist(X))) and scales[2] > 100


def test_laplacian_pulls_joined_outputs_together(field):
    X, Y = field
    W = np.array([[0.0, 1.0], [1.0, 0.0]])
    model = orff.ORFFRegressor(output_matrix=("laplacian", W), **FIXED).fit(X, Y)
    F = model.predict(X) - Y.mean(axis=0)
    np.testing.assert_allclose(F[:, 0], -F[:, 1], atol=1e-9)  # the constants are in the null space


def test_losses_and_solvers_run(field):
    X, Y = field
    want = fitted(field, tolerance=1e-10).predict(X)
    for solver in ("lsmr", "idr", "pcg"):
        np.testing.assert_allclose(fitted(field, solver=solver, tolerance=1e-10).predict(X), want, atol=1e-4)
    exact = fitted(field, solver="exact")
    assert exact.model_.describe().engine == 1 and np.abs(exact.predict(X) - want).max() < 0.2
    outliers = Y.copy()
    outliers[::20] += 50
    robust = orff.ORFFRegressor(loss="huber", loss_parameter=0.1, **FIXED).fit(X, outliers)
    assert np.median(np.abs(robust.predict(X) - Y)) < 0.3 * np.median(np.abs(fitted((X, outliers)).predict(X) - Y))
    low, high = (orff.ORFFRegressor(loss="pinball", loss_parameter=q, **FIXED).fit(X, Y).predict(X) for q in (0.1, 0.9))
    assert np.mean(low < Y) > 0.75 and np.mean(Y < high) > 0.75


def test_logistic_has_probabilities(field):
    X, Y = field
    y = (Y[:, 0] > 0.3) * 1 + (Y[:, 0] > -0.3) * 1
    model = orff.ORFFClassifier(loss="logistic", **FIXED).fit(X, y)
    P = model.predict_proba(X)
    assert P.shape == (400, 3) and np.allclose(P.sum(axis=1), 1)
    assert np.array_equal(P.argmax(axis=1), model.predict(X)) and model.score(X, y) > 0.9
    assert not hasattr(orff.ORFFClassifier(), "predict_proba")


@pytest.mark.parametrize("parameters, message", [
    (dict(kernel="crul-free"), "kernel: there is no 'crul-free'"),
    (dict(kernel=7), "kernel is 7"),
    (dict(base="gauss"), "gauss"),
    (dict(sigma=-1.0), "sigma is -1.0"),
    (dict(sigma="wide"), "sigma is 'wide'"),
    (dict(sigma=[1.0, 2.0, 3.0]), "sigma has 3 values for 2 inputs"),
    (dict(sigma="1+2+3", kernel="div-free+curl-free"), "sigma has 3 values for 2 parts"),
    (dict(lambda_=0.0), "lambda_ is 0.0; expected a positive number"),
    (dict(lambda_="best"), "lambda_ is 'best'"),
    (dict(features=0), "features is 0"),
    (dict(features=2.5), "features is 2.5"),
    (dict(sampling="sobol"), "sobol"),
    (dict(weight=-1), "weight is"),
    (dict(mix=2), "mix is 2"),
    (dict(output_matrix="best"), "output_matrix is 'best'"),
    (dict(output_matrix=np.eye(3)), r"output_matrix has shape \(3, 3\)"),
    (dict(output_matrix=-np.eye(2)), "negative eigenvalue"),
    (dict(covariates=["time"]), "covariates: 'time' is neither"),
    (dict(covariates=[0]), "covariates are for kernels with a field's space"),
    (dict(kernel="curl-free", covariates=[0]), "there are 1 and 2"),
    (dict(kernel="curl-free", base="laplace"), "laplace"),
    (dict(loss="square"), "square"),
    (dict(loss="logistic"), "for classes"),
    (dict(solver="magic"), "magic"),
    (dict(loss="huber", solver="direct"), "squared loss"),
    (dict(precision="half"), "precision is 'half'"),
    (dict(seed=-1), "seed is -1"),
    (dict(folds=0), "folds is 0"),
    (dict(lambda_grid=(1, 0.1, 5)), "lambda_grid"),
    (dict(center="maybe"), "center is 'maybe'"),
    (dict(scale_inputs="maybe"), "scale_inputs is 'maybe'"),
    (dict(kernel="auto", sigma=1.0), "chooses it itself"),
], ids=str)
def test_what_is_wrong_is_named(parameters, message, field):
    with pytest.raises(ValueError, match=message):
        fitted(field, **parameters)


def test_library_errors_have_their_kind(field):
    X, Y = field
    with pytest.raises(orff.OrffError, match="weight of row 3 is -1") as caught:
        orff.ORFFRegressor(**FIXED).fit(X, Y, np.where(np.arange(400) == 2, -1.0, 1.0))
    assert caught.value.status == "INVALID_ARGUMENT"
    with pytest.raises(ValueError, match="error bars"):
        fitted(field, posterior=False).predict(X, return_std=True)
    with pytest.raises(MemoryError, match="GB|MB|bytes|memory"):
        orff.OVKRegressor(sigma=1.0, lambda_=1e-3, max_bytes=1000).fit(X, Y)
    with pytest.raises(ValueError, match="every sample_weight is 0"):
        orff.ORFFRegressor(**FIXED).fit(X, Y, np.zeros(400))


def test_kernel_plan_and_bound_agree_with_the_program(program):
    def told(*arguments):
        return json.loads(subprocess.run([program, *arguments, "--json"], capture_output=True, text=True).stdout)

    theirs = told("kernel", "--kernel", "div-free", "--sigma", "0.5", "--x", "0,0", "--z", "0.1,0.2", "--features",
                  "50")
    exact = orff.kernel([0, 0], [0.1, 0.2], kernel="div-free", sigma=0.5)
    approximate = orff.kernel([0, 0], [0.1, 0.2], kernel="div-free", sigma=0.5, features=50)
    np.testing.assert_allclose(exact, theirs["exact"], rtol=1e-14)
    np.testing.assert_allclose(approximate, theirs["approx"], rtol=1e-12)
    theirs = told("bound", "--kernel", "curl-free", "--sigma", "1", "--dim", "2", "--diameter", "2.828", "--epsilon",
                  "0.3", "--features", "20000")
    mine = orff.bound(2, 2.828, 0.3, kernel="curl-free", sigma=1.0, features=20000)
    assert mine.features_needed == theirs["features_needed"] and mine.features == 20000
    assert mine.corrected.applies and mine.corrected.features > 1
    expected = orff.plan(2000, 2, 2, sigma=1.0, features=20)
    assert 0 < expected.seconds < 60 and 1e6 < expected.peak_bytes < 1e9
    with pytest.raises(ValueError, match="not of a sum"):
        orff.bound(2, 1.0, 0.1, kernel="div-free+curl-free")
    with pytest.raises(ValueError, match="no data here"):
        orff.kernel([0.0], [1.0], sigma="auto")
