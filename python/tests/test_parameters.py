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
    words = {True: "yes", False: "no"}
    compared = 0
    for name, value in defaults.items():
        option = "lambda" if name == "lambda_" else name
        if option not in shown or option == "precision":  # "auto" follows the array's type
            continue
        said = words.get(value, value) if isinstance(value, bool) else value
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
    (dict(base="matern", shape=1.5), dict(base="matern32")),
    (dict(kernel=["div-free", "curl-free"], base=["cauchy", "matern"], shape=[1, 2.25]),
     dict(kernel="div-free:rational-quadratic/1+curl-free:matern/2.25")),
    (dict(features=np.int64(40), seed=np.uint8(0), center=np.bool_(True)), dict(features=40.0)),
    (dict(kernel="decomposable+decomposable", sigma="0.7+0.9", output_matrix=[np.eye(2), [[2, 1], [1, 3]]]),
     dict(kernel="decomposable@0.7+decomposable@0.9", output_matrix="1,0;0,1+2,1;1,3")),
    (dict(output_matrix=("laplacian", [[0, 1], [1, 0]], 0.5)), dict(output_matrix="laplacian:0,1;1,0:0.5")),
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
    assert fitted(field, sigma="median").sigma_[0] == pytest.approx(np.median(pdist(X)), rel=0.05)  # of some pairs
    both = fitted(field, kernel="div-free+decomposable", sigma="median+0.3").sigma_
    assert both.shape == (2, 2) and both[1, 0] == 0.3
    model = orff.ORFFRegressor(kernel="div-free", sigma="median", covariates=[2], lambda_=1e-3, features=40)
    scales = model.fit(np.c_[X, 1000 * X[:, 0]], Y).sigma_
    assert scales[0] == scales[1] == pytest.approx(np.median(pdist(X)), rel=0.05) and scales[2] > 100


def test_laplacian_pulls_joined_outputs_together(field):
    X, Y = field
    W = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.warns(UserWarning, match="variance of the outputs"):
        model = orff.ORFFRegressor(output_matrix=("laplacian", W, 0), **FIXED).fit(X, Y)
    F = model.predict(X) - Y.mean(axis=0)
    np.testing.assert_allclose(F[:, 0], -F[:, 1], atol=1e-9)  # the constants are in the null space


def test_losses_and_solvers_run(field):
    X, Y = field
    want = fitted(field, residual=1e-10).predict(X)
    for solver in ("lsmr", "idr", "pcg"):
        np.testing.assert_allclose(fitted(field, solver=solver, residual=1e-10).predict(X), want, atol=1e-4)
    np.testing.assert_allclose(fitted(field, solver="idr", shadow=9, residual=1e-10).predict(X), want, atol=1e-4)
    exact = fitted(field, engine="exact")
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
    (dict(kernel="crul-free"), 'kernel: .*"curl-free"'),
    (dict(kernel=7), "kernel: "),
    (dict(kernel=dict()), "kernel: {} is not"),
    (dict(base="gauss"), "base: .*gauss"),
    (dict(base="matern"), "shape: base matern needs a shape"),
    (dict(base="rational-quadratic"), "shape: "),
    (dict(sigma=-1.0), 'sigma: "-1"'),
    (dict(sigma="wide"), 'sigma: "wide"'),
    (dict(sigma=[]), "sigma: "),
    (dict(sigma=[1.0, 2.0, 3.0]), "sigma: 3 values for 2 inputs"),
    (dict(sigma="1+2+3", kernel="div-free+curl-free"), "sigma: 3 values for 2 parts"),
    (dict(lambda_=0.0), "lambda_: 0 is out of range"),
    (dict(lambda_=np.nan), "lambda_: "),
    (dict(lambda_="best"), 'lambda_: "best" is not a number'),
    (dict(features=0), "features: 0 is out of range"),
    (dict(features=2.5), "features: .* whole number"),
    (dict(features=True), "features: "),
    (dict(sampling="sobol"), "sampling: .*sobol"),
    (dict(weight=-1), "weight: "),
    (dict(mix=2, kernel="helmholtz"), "mix: "),
    (dict(mix=0.2), "mix: no part of the kernel has one"),
    (dict(output_matrix="best"), "output_matrix: "),
    (dict(output_matrix=np.eye(3)), "output_matrix: the matrix is 3 x 3"),
    (dict(output_matrix=7), "output_matrix: 7 is not"),
    (dict(output_matrix=-np.eye(2)), "negative eigenvalue"),
    (dict(covariates=["time"]), 'covariates: "time" is neither'),
    (dict(covariates=[2]), "covariates: 2 is neither"),
    (dict(kernel="curl-free", covariates=[0]), "there are 1 and 2"),
    (dict(kernel="curl-free", base="laplace"), "laplace"),
    (dict(loss="square"), 'loss: .*"squared"'),
    (dict(loss="logistic"), "for classes"),
    (dict(solver="magic"), "solver: .*magic"),
    (dict(loss="huber", solver="direct"), "squared loss"),
    (dict(precision="half"), "precision: .*half"),
    (dict(seed=-1), 'seed: "-1"'),
    (dict(folds=0), "folds: 0 is out of range"),
    (dict(lambda_grid=(1, 0.1, 5)), "lambda_grid: "),
    (dict(center="maybe"), "center: .*maybe"),
    (dict(scale_inputs="maybe"), "scale_inputs: .*maybe"),
    (dict(kernel="auto", sigma=1.0), "sigma: kernel auto chooses this itself"),
    (dict(frequencies=np.ones((4, 5))), "frequencies: "),
], ids=str)
def test_what_is_wrong_is_named(parameters, message, field):
    with pytest.raises(ValueError, match="^" + message if ": " in message else message):
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
    with pytest.raises(ValueError, match="every sample_weight is zero"):
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
    theirs = told("bound", "--kernel", "div-free@1+decomposable@0.5", "--dim", "2", "--diameter", "2", "--epsilon", "0.3",
                  "--features", "20000", "--m", "90")
    mine = orff.bound(2, 2.0, 0.3, kernel="div-free@1+decomposable@0.5", features=20000, m=90.0)
    assert mine.best == theirs["best"] == "importance" and mine.features_needed == theirs["features_needed"]
    whole = dict(kernel="div-free+decomposable", sigma="0.5+0.9")
    assert orff.bound(2, 2.0, 0.5, weight=[1, 9], **whole).terms["b"] > orff.bound(2, 2.0, 0.5, weight=[1, 1], **whole).terms["b"]
    covered = dict(kernel="div-free", sigma=[0.5, 0.7, 0.9], outputs=2)
    near, far = (orff.bound(3, 2.0, 0.5, covariates=[k], **covered).features_needed for k in (0, 2))
    assert near != far
    late = orff.bound(2, 2.0, 0.5, kernel="delayed", delays=[[0, 0], [0.7, -0.4]], sigma=0.8, outputs=2)
    assert late.corrected.applies and not late.corrected.proven
    with pytest.raises(ValueError, match="m is -1"):
        orff.bound(2, 1.0, 0.1, sigma=1.0, m=-1.0)
    with pytest.raises(ValueError, match="sigma: only a fit can choose"):
        orff.kernel([0.0], [1.0], sigma="auto")


# ---- the table of settings


def table():
    """The library's own lines: key, uses."""
    found = []
    while lib.orff_setting_at(len(found)) != ffi.NULL:
        line = lib.orff_setting_at(len(found))
        found.append((ffi.string(line.name).decode(), int(line.uses)))
    return found


def parameter(key):
    return "lambda_" if key == "lambda" else key.replace("-", "_")


@pytest.mark.parametrize("cls, uses, without", [
    (orff.ORFFRegressor, 63, ()),
    (orff.ORFFClassifier, 63, ("scale-outputs", "geo", "crs")),
    (orff.OVKRegressor, 1 | 8, ()),
    (orff.OperatorFourierFeatures, 1 | 2, ()),
    (orff.Moments, 1 | 2 | 4, ("weight", "mix", "output-matrix", "engine", "period")),
    (orff.LatticeMoments, 1 | 2 | 4, ("weight", "mix", "output-matrix", "features", "sampling", "importance", "frequencies",
                                      "precision", "engine")),
    (orff.kernel, 1 | 2, ()),
    (orff.bound, 1 | 2, ("weight", "covariates")),
    (orff.plan, 1 | 2 | 4, ("engine", "period")),
], ids=lambda value: getattr(value, "__name__", ""))
def test_every_setting_of_the_table_is_a_parameter_and_documented(cls, uses, without):
    expected = [parameter(key) for key, use in table() if use & uses and key not in without]
    assert len(expected) > 8
    names = list(inspect.signature(cls).parameters)
    assert [name for name in names if name in expected] == expected
    for name in expected:
        assert re.search(rf"^\s*{name} : ", cls.__doc__, re.MULTILINE), name
    with pytest.raises(TypeError, match="unexpected keyword argument 'sigmma'"):
        cls(*[2] * {"kernel": 1, "bound": 3, "plan": 3}.get(cls.__name__, 0), sigmma=1)


def test_a_setting_that_is_new_in_the_table_is_a_parameter(monkeypatch):
    from orff import _parameters
    from orff._settings import TABLE

    new = TABLE["folds"]._replace(name="brand_new", key="brand-new", default=7, help="Something that was not there.")
    monkeypatch.setitem(TABLE, "brand_new", new)

    @_parameters.parameters(_parameters.EVERY)
    class Estimator(orff.ORFFRegressor):
        """An estimator.

        {parameters}
        """

    assert Estimator().brand_new == 7 and Estimator(brand_new=8).get_params()["brand_new"] == 8
    assert "brand_new : int, default=7\n    Something that was not there." in Estimator.__doc__


def test_numbers_survive_as_texts_to_the_last_bit():
    from orff._settings import TABLE, text_of, value_of

    rng = np.random.default_rng(0)
    for value in [0.1, 1 / 3, 1e-300, 5e300, *rng.lognormal(0, 100, 200)]:
        assert value_of("lambda", text_of(TABLE["lambda_"], value)) == value
        assert value_of("lambda", text_of(TABLE["lambda_"], np.float64(value))) == value
    A = rng.normal(size=(3, 3)) * 10.0 ** rng.integers(-300, 300, (3, 3))
    assert np.array_equal(value_of("output-matrix", text_of(TABLE["output_matrix"], A)), A)
    assert value_of("covariates", text_of(TABLE["covariates"], [0, -1], 4)) == [0, 3]
    assert value_of("covariates", text_of(TABLE["covariates"], ["a,b", 2], 4, ["a,b", "3", "x", "y"])) == [0, "x"]
    assert value_of("seed", text_of(TABLE["seed"], 2**64 - 1)) == 2**64 - 1


def test_names_of_enumerations_stand_in_the_library_alone():
    """Code of the package asks for names; only docstrings show some."""
    import ast
    from pathlib import Path

    def names(function):
        listed, found = function(), set()
        while listed[len(found)] != ffi.NULL:
            found.add(ffi.string(listed[len(found)]).decode())
        return found

    taken = set().union(*(names(getattr(lib, f"orff_{kind}_names"))
                          for kind in ("rule", "base", "scheme", "loss", "solver", "criterion", "engine"))) - {"auto", "epsilon", "exact", "features", "stack"}  # which are other things too
    for path in Path(orff.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text())
        docs = {id(node.body[0].value) for node in ast.walk(tree) if isinstance(
            node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body and isinstance(node.body[0], ast.Expr)}
        words = [node.value for node in ast.walk(tree)
                 if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs]
        assert not taken & set(words), f"{path.name}: {taken & set(words)}"


# ---- what the table brings with it


@pytest.mark.parametrize("parameters", [dict(base="matern", shape=2.25), dict(base="rational-quadratic", shape=0.7),
                                        dict(base="cauchy-product"), dict(base="matern/4.5")], ids=str)
def test_every_base_reaches_every_estimator_and_function(parameters, field):
    X, Y = field
    rough = orff.kernel(X[0], X[1], sigma=0.7, **parameters)
    near = orff.kernel(X[0], X[1], sigma=0.7, features=3000, **parameters)
    assert abs(near - rough).max() < 0.05 and abs(rough - orff.kernel(X[0], X[1], sigma=0.7)).max() > 1e-4
    features = orff.OperatorFourierFeatures(sigma=0.7, features=3000, **parameters).fit(X)
    assert abs(features.kernel_matrix(X[:1], X[1:2])[0, 0] - rough).max() < 0.05
    given = dict(sigma=0.7, lambda_=1e-4, **parameters)
    exact = orff.OVKRegressor(**given).fit(X, Y).predict(X)
    assert np.abs(orff.ORFFRegressor(features=600, **given).fit(X, Y).predict(X) - exact).max() < 0.3
    assert orff.ORFFClassifier(features=60, **given).fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.9
    moments = orff.Moments(sigma=0.7, features=600, **parameters).accumulate(X, Y)
    np.testing.assert_allclose(orff.ORFFRegressor(lambda_=1e-4).fit_moments(moments).predict(X),
                               orff.ORFFRegressor(features=600, **given).fit(X, Y).predict(X), atol=1e-6)
    assert orff.bound(2, 1.0, 0.1, **parameters).epsilon == 0.1
    assert orff.plan(1000, 2, 2, features=20, **parameters).seconds > 0


def test_own_frequencies(field):
    X, Y = field
    rng = np.random.default_rng(4)
    omega, weights = rng.normal(size=(30, 2)) / 0.7, rng.uniform(0.01, 0.05, 30)
    given = dict(sigma=0.7, lambda_=1e-3)
    model = orff.ORFFRegressor(frequencies=np.c_[omega, weights], **given).fit(X, Y)
    phi = np.hstack([np.cos(X @ omega.T), np.sin(X @ omega.T)]) * np.sqrt(np.tile(weights, 2))
    y = Y - Y.mean(axis=0)
    want = Y.mean(axis=0) + phi @ np.linalg.solve(phi.T @ phi / 400 + 1e-3 * np.eye(60), phi.T @ y / 400)
    np.testing.assert_allclose(model.predict(X), want, rtol=1e-8, atol=1e-9)
    streamed = orff.ORFFRegressor(frequencies=np.c_[omega, weights], **given).partial_fit(X, Y)
    np.testing.assert_allclose(streamed.predict(X), want, rtol=1e-8, atol=1e-9)
    plain = orff.OperatorFourierFeatures(frequencies=omega, sigma=0.7).fit(X)
    assert np.array_equal(plain.omega_, omega) and np.allclose(plain.frequency_weights_, 1 / 30)


def test_a_matrix_for_each_part(field):
    X, Y = field
    A, B = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    model = fitted(field, kernel="decomposable+decomposable", sigma="0.7+0.2", output_matrix=[A, B])
    first = fitted(field, kernel="decomposable+decomposable", sigma="0.7+0.2", output_matrix=[A, B], weight=[1, 1e-9])
    assert np.ptp(model.predict(X)[:, 1]) > 0.1 > np.ptp(first.predict(X)[:, 1])


def test_the_tolerance_of_a_grid(field):
    X, _ = field
    errors = []
    for tolerance in (0.1, 1e-4):
        features = orff.OperatorFourierFeatures(sigma=0.7, sampling="grid", tolerance=tolerance, features=4000).fit(X)
        exact = orff.kernel(X[:20], X[:20], sigma=0.7)
        errors.append(np.abs(features.kernel_matrix(X[:20]) - exact).max())
    assert errors[1] < 1e-4 and errors[1] < errors[0] < 0.1


def test_importance_changes_the_law(field):
    on, off = (orff.OperatorFourierFeatures(kernel="div-free", sigma=0.7, features=50, importance=importance).fit(field[0])
               for importance in (True, False))
    assert np.ptp(off.frequency_weights_) < 1e-15 and not np.array_equal(on.omega_, off.omega_)


# ---- paths, losses, parts of exact models


def test_the_path_of_features_is_that_of_fits(field):
    X, Y = field
    lambdas = [1e-5, 1e-3, 1e-1]
    path = orff.ORFFRegressor(sigma=0.7, features=40).path(X, Y, lambdas)
    assert sorted(path) == sorted(["lambda", "train_mse", "gcv", "dof", "log_evidence", "cv_mse", "noise", "loo_mse"])
    assert np.array_equal(path["lambda"], lambdas)
    for i, value in enumerate(lambdas):
        model = fitted(field, lambda_=value)
        assert path["train_mse"][i] == pytest.approx(model.train_mse_, rel=1e-6)
        assert path["dof"][i] == pytest.approx(model.dof_, rel=1e-6)
    assert np.all(np.isfinite(path["cv_mse"])) and path["loo_mse"] == pytest.approx(path["gcv"], rel=0.2)
    chosen = orff.ORFFRegressor(sigma=0.7, features=40, scale_outputs=False).fit(X, Y)
    at = orff.ORFFRegressor(sigma=0.7, features=40).path(X, Y, chosen.chosen_lambda_)
    assert at["log_evidence"][0] == pytest.approx(chosen.log_evidence_, rel=1e-6)
    whole = orff.ORFFRegressor(sigma=0.7, features=40, lambda_grid=(1e-6, 1.0, 9)).path(X, Y, leave_one_out=False)
    with pytest.raises(ValueError, match="geo: "):
        orff.ORFFRegressor(geo="lonlat").path(X, Y)
    assert len(whole["lambda"]) == 9 and np.all(np.isnan(whole["loo_mse"]))
    assert np.all(np.diff(whole["dof"]) < 0)


def test_leave_one_out_leaves_out_one_row(field):
    X, Y = field[0][:30], field[1][:30]
    for estimator in (orff.ORFFRegressor(sigma=0.7, features=20, center=False),
                      orff.OVKRegressor(sigma=0.7, center=False)):
        path = estimator.path(X, Y, [1e-2])
        errors = []
        for i in range(30):
            kept = np.arange(30) != i
            one = estimator.set_params(lambda_=1e-2 * 30 / 29).fit(X[kept], Y[kept])
            errors.append((one.predict(X[i:i + 1])[0] - Y[i]) ** 2)
        assert path["loo_mse"][0] == pytest.approx(np.mean(errors), rel=1e-6)


def test_alpha_and_the_norm_of_exact_models(field, tmp_path):
    X, Y = field[0][:60], field[1][:60]
    for parameters in (dict(kernel="div-free"), dict(output_matrix=[[2.0, 1.0], [1.0, 2.0]])):
        given = dict(sigma=0.7, **parameters)
        model = orff.OVKRegressor(lambda_=1e-3, **given).fit(X, Y)
        K = orff.kernel(X, **given).transpose(0, 2, 1, 3).reshape(120, 120)
        alpha = model.alpha_
        np.testing.assert_allclose((K @ alpha.ravel()).reshape(60, 2) + Y.mean(axis=0), model.predict(X), rtol=1e-8,
                                   atol=1e-9)
        assert model.norm2_ == pytest.approx(alpha.ravel() @ K @ alpha.ravel(), rel=1e-8)
        model.save(tmp_path / "model")
        assert orff.load(tmp_path / "model").norm2_ == pytest.approx(model.norm2_, rel=1e-12)
    with pytest.raises(ValueError, match="features"):
        fitted(field).model_.alpha()
    assert not hasattr(orff.OVKRegressor(), "alpha_")


def test_single_losses():
    F, Y = np.array([[1.0, 2.0], [0.0, 0.5]]), np.array([[0.0, 2.0], [0.0, 0.0]])
    np.testing.assert_allclose(orff.loss("squared", F, Y), ((F - Y) ** 2).sum(axis=1))
    np.testing.assert_allclose(orff.loss("pinball", F, Y, 0.9), [0.1, 0.05])
    assert orff.loss("epsilon", F[0], Y[0], 0.25) == pytest.approx(0.75)
    value, slope = orff.loss("huber", F, Y, 0.3, gradient=True)
    h = 1e-6
    for k in range(2):
        step = h * np.eye(2)[k]
        difference = (orff.loss("huber", F + step, Y, 0.3) - orff.loss("huber", F - step, Y, 0.3)) / (2 * h)
        np.testing.assert_allclose(slope[:, k], difference, atol=1e-8)
    with pytest.raises(ValueError, match="huber"):
        orff.loss("hubber", F, Y)
