"""Models in files and pickles: in Python, by the program orff and in C the predictions are the same to the last bit."""
import copy
import json
import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import orff

TREE = Path(__file__).resolve().parents[2]


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments), "--threads", "1", "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def same_everywhere(model, X, path, program, tmp_path):
    """Python and the program predict alike from the file."""
    np.save(tmp_path / "X.npy", X)
    run(program, "predict", path, tmp_path / "X.npy", "-o", tmp_path / "F.npy")
    F = np.load(tmp_path / "F.npy")
    mine = model.predict(X)
    assert np.array_equal(F.reshape(mine.shape), mine)
    assert np.array_equal(orff.load(path).predict(X), mine)


@pytest.mark.parametrize("estimator", [
    orff.ORFFRegressor(kernel="div-free"),
    orff.ORFFRegressor(kernel="curl-free+decomposable", sigma="0.8+0.3", weight="auto"),
    orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, output_matrix=[[2.0, 1.0], [1.0, 2.0]]),
    orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, solver="pcg"),
    orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, precision="single"),
    orff.OVKRegressor(kernel="div-free", sigma=0.8, lambda_=1e-3),
    orff.OVKRegressor(sigma=0.8, lambda_=1e-3),
], ids=repr)
def test_models_of_python(estimator, field, program, tmp_path):
    X, Y = field[0][:120], field[1][:120]
    model = estimator.fit(X, Y)
    model.save(tmp_path / "model")
    same_everywhere(model, X, tmp_path / "model", program, tmp_path)
    loaded = orff.load(tmp_path / "model")
    assert type(loaded) is type(model) and loaded.chosen_lambda_ == model.chosen_lambda_
    assert loaded.n_features_in_ == 2 and loaded.kernel_ == model.kernel_
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(other.predict(X), model.predict(X))
        if model.model_.describe().has_posterior:
            assert np.array_equal(other.predict(X, return_std=True)[1], model.predict(X, return_std=True)[1])


@pytest.mark.parametrize("command, options, estimator", [
    ("fit", [], orff.ORFFRegressor()),
    ("fit", ["--kernel", "div-free"], orff.ORFFRegressor(kernel="div-free")),
    ("fit", ["--kernel", "curl-free+decomposable", "--sigma", "0.8+0.3", "--lambda", "0.01", "--features", "60"],
     orff.ORFFRegressor(kernel="curl-free+decomposable", sigma="0.8+0.3", lambda_=0.01, features=60)),
    ("fit", ["--output-matrix", "covariance", "--sigma", "0.8", "--base", "matern52"],
     orff.ORFFRegressor(output_matrix="covariance", sigma=0.8, base="matern52")),
    ("exact", ["--kernel", "div-free", "--sigma", "0.8"], orff.OVKRegressor(kernel="div-free", sigma=0.8)),
], ids=str)
def test_models_of_the_program(command, options, estimator, field, program, tmp_path):
    X, Y = field[0][:120], field[1][:120]
    np.save(tmp_path / "tx.npy", X)
    np.save(tmp_path / "ty.npy", Y)
    run(program, command, tmp_path / "tx.npy", tmp_path / "ty.npy", *options, "-o", tmp_path / "model")
    model = orff.load(tmp_path / "model")
    same_everywhere(model, X, tmp_path / "model", program, tmp_path)
    assert np.array_equal(estimator.fit(X, Y).predict(X), model.predict(X))  # the same options, the same model


def test_classes_of_both(field, program, tmp_path):
    X, Y = field[0][:120], field[1][:120]
    y = np.where(Y[:, 0] > 0, "north", "south")
    header, lines = "x1,x2,side", [",".join(("%.17g" % a, "%.17g" % b, c)) for (a, b), c in zip(X, y)]
    (tmp_path / "t.csv").write_text("\n".join([header, *lines]) + "\n")
    run(program, "fit", tmp_path / "t.csv", "--inputs", "x1,x2", "--outputs", "side", "--classify", "--sigma", "0.8",
        "-o", tmp_path / "theirs")
    theirs, mine = orff.load(tmp_path / "theirs"), orff.ORFFClassifier(sigma=0.8).fit(X, y)
    assert list(theirs.classes_) == ["north", "south"] and list(theirs.feature_names_in_) == ["x1", "x2"]
    import pandas as pd

    table = pd.DataFrame(X, columns=["x1", "x2"])
    assert np.array_equal(theirs.decision_function(table), mine.decision_function(X))
    mine.save(tmp_path / "mine")
    run(program, "predict", tmp_path / "mine", tmp_path / "t.csv", "--inputs", "x1,x2", "--bare",
        "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().split()[1:] == list(mine.predict(X))
    assert np.array_equal(orff.load(tmp_path / "mine").predict(X), mine.predict(X))


@pytest.mark.parametrize("labels", [np.array([-3, 7]), np.array([1.0, 2.0]), np.array([False, True])])
def test_labels_keep_their_type(labels, field, tmp_path):
    X, Y = field
    model = orff.ORFFClassifier(sigma=0.8, lambda_=1e-3).fit(X, labels[(Y[:, 0] > 0) * 1])
    orff.save(model, tmp_path / "model")
    loaded = orff.load(tmp_path / "model")
    assert loaded.classes_.dtype == labels.dtype and np.array_equal(loaded.predict(X), model.predict(X))


def test_moments_of_both(field, program, tmp_path):
    X, Y = field
    np.save(tmp_path / "tx.npy", X)
    np.save(tmp_path / "ty.npy", Y)
    run(program, "moments", tmp_path / "tx.npy", tmp_path / "ty.npy", "--kernel", "div-free", "--sigma", "0.8",
        "--features", "50", "-o", tmp_path / "theirs")
    theirs = orff.Moments.load(tmp_path / "theirs")
    mine = orff.Moments(kernel="div-free", sigma=0.8, features=50).accumulate(X, Y)
    assert np.array_equal(theirs.totals().S, mine.totals().S) and (theirs + mine).rows == 800
    mine.save(tmp_path / "mine")
    run(program, "fit", "--from-moments", tmp_path / "mine", "-o", tmp_path / "model")
    model = orff.ORFFRegressor(kernel="div-free").fit_moments(theirs)
    assert np.array_equal(orff.load(tmp_path / "model").predict(X), model.predict(X))


C_PROGRAM = r"""
#include <orff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_doubles(const char *path, size_t count, double *numbers) {
    FILE *file = fopen(path, "rb");
    const size_t got = file ? fread(numbers, sizeof *numbers, count, file) : 0;
    if (file) fclose(file);
    return got != count;
}

/* c model predict X n | c model fit X n Y: two inputs, two outputs */
int main(int argc, char **argv) {
    const size_t n = (size_t)atol(argv[4]);
    double *X = malloc(2 * n * sizeof *X), *F = malloc(2 * n * sizeof *F);
    orff_model *model = NULL;
    orff_part part = orff_part_default();
    orff_settings settings = orff_settings_default();
    (void)argc;
    orff_set_threads(1);
    part.rule = ORFF_RULE_DIV_FREE;
    part.sigma = 0.8;
    settings.parts = &part;
    settings.n_parts = 1;
    settings.lambda = 1e-3;
    settings.sampling.features = 60;
    if (read_doubles(argv[3], 2 * n, X)) return 1;
    if (!strcmp(argv[2], "fit")) {
        if (read_doubles(argv[5], 2 * n, F) || orff_model_fit(&model, &settings, 2, 2, n, X, F, NULL)) return 1;
        if (orff_model_save(model, argv[1], false)) return 1;
    } else if (orff_model_load(&model, argv[1])) {
        fprintf(stderr, "%s\n", orff_error_message());
        return 1;
    }
    if (orff_model_predict(model, n, X, F)) return 1;
    fwrite(F, sizeof *F, 2 * n, stdout);
    orff_model_free(model);
    return 0;
}
"""


def test_c_and_python_are_one(field, tmp_path):
    library = os.environ.get("ORFF_LIBRARY", str(TREE / "build" / "release" / "liborff.so"))
    (tmp_path / "c.c").write_text(C_PROGRAM)
    try:
        command = [os.environ.get("CC", "cc"), "-I", TREE / "include", tmp_path / "c.c", library, "-o", tmp_path / "c",
                   f"-Wl,-rpath,{os.path.dirname(library)}"]
        built = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no C compiler")
    assert built.returncode == 0, built.stderr
    X, Y = field
    X.tofile(tmp_path / "X")
    Y.tofile(tmp_path / "Y")

    def in_c(*arguments):
        done = subprocess.run([tmp_path / "c", *map(str, arguments)], capture_output=True)
        assert done.returncode == 0, done.stderr
        return np.frombuffer(done.stdout).reshape(X.shape)

    model = orff.ORFFRegressor(kernel="div-free", sigma=0.8, lambda_=1e-3, features=60).fit(X, Y)
    model.save(tmp_path / "python")
    assert np.array_equal(in_c(tmp_path / "python", "predict", tmp_path / "X", len(X)), model.predict(X))
    F = in_c(tmp_path / "theirs", "fit", tmp_path / "X", len(X), tmp_path / "Y")
    assert np.array_equal(orff.load(tmp_path / "theirs").predict(X), F)
    assert np.array_equal(F, model.predict(X))


def test_compact_files_are_smaller_and_the_same(field, tmp_path):
    X, Y = field
    model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, posterior=False, features=1000).fit(X, Y)
    orff.save(model, tmp_path / "full")
    orff.save(model, tmp_path / "compact", compact=True)
    assert (tmp_path / "compact").stat().st_size < 0.7 * (tmp_path / "full").stat().st_size
    assert np.array_equal(orff.load(tmp_path / "compact").predict(X), model.predict(X))


def test_transformers_pickle(field):
    for parameters in (dict(kernel="div-free"), dict(kernel="div-free+curl-free", sigma="1+2")):
        features = orff.OperatorFourierFeatures(features=30, **parameters).fit(field[0])
        other = pickle.loads(pickle.dumps(features))
        assert np.array_equal(other.transform(field[0]), features.transform(field[0]))
        assert np.array_equal(other.operator(field[0][:3]), features.operator(field[0][:3]))


def test_trouble_with_files(field, tmp_path):
    with pytest.raises(FileNotFoundError):
        orff.load(tmp_path / "nothing")
    (tmp_path / "bad").write_bytes(b"no model at all" * 10)
    with pytest.raises(ValueError, match="bad"):
        orff.load(tmp_path / "bad")
    model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3).fit(*field)
    with pytest.raises(OSError, match="missing"):
        model.save(tmp_path / "missing" / "model")


def degrees():
    """Winds around a point of the ocean."""
    rng = np.random.default_rng(5)
    X = np.c_[rng.uniform(-72, -68, 120), rng.uniform(38, 42, 120)]
    return X, np.c_[np.sin(X[:, 1]), np.cos(X[:, 0])] + 0.05 * rng.normal(size=(120, 2))


def test_longitude_and_latitude(program, tmp_path):
    X, Y = degrees()
    np.savetxt(tmp_path / "t.csv", np.c_[X, Y], fmt="%.17g", delimiter=",", header="lon,lat,u,v", comments="")
    run(program, "fit", tmp_path / "t.csv", "--inputs", "lon,lat", "--outputs", "u,v", "--geo", "lonlat", "--kernel",
        "div-free", "--sigma", "100", "--lambda", "1e-8", "--features", "60", "-o", tmp_path / "theirs")
    parameters = dict(geo="lonlat", kernel="div-free", sigma=100.0, lambda_=1e-8, features=60)
    mine = orff.ORFFRegressor(**parameters).fit(X, Y)
    import pandas as pd

    theirs, table = orff.load(tmp_path / "theirs"), pd.DataFrame(X, columns=["lon", "lat"])
    assert np.array_equal(theirs.predict(table), mine.predict(X))
    mine.save(tmp_path / "mine")
    run(program, "predict", tmp_path / "mine", tmp_path / "t.csv", "--inputs", "lon,lat", "--std", "--derive",
        "divergence,curl,jacobian", "--bare", "-o", tmp_path / "out.csv")
    out = np.genfromtxt(tmp_path / "out.csv", delimiter=",", skip_header=1)
    F, std, cov = mine.predict(X, return_std=True, return_cov=True)
    assert np.array_equal(out[:, :2], F)
    np.testing.assert_allclose(out[:, 2:4], std, rtol=1e-10)
    np.testing.assert_allclose(out[:, 2:4] ** 2, np.diagonal(cov, axis1=1, axis2=2), rtol=1e-10)
    np.testing.assert_allclose(out[:, 4], mine.divergence(X), atol=1e-12)
    np.testing.assert_allclose(out[:, 6], mine.curl(X), rtol=1e-10)  # each field has its error beside it
    np.testing.assert_allclose(out[:, 8:12].reshape(-1, 2, 2), mine.jacobian(X), rtol=1e-9, atol=1e-12)
    again = pickle.loads(pickle.dumps(orff.load(tmp_path / "mine")))
    assert np.array_equal(again.predict(X), F) and again.geo == "lonlat"
    assert not hasattr(mine, "partial_fit")
    with pytest.raises(ValueError, match="two outputs"):
        orff.ORFFRegressor(geo="lonlat", sigma=1.0).fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="degrees"):
        orff.ORFFRegressor(geo="lonlat", sigma=1.0).fit(1000 * X, Y)


def test_coordinate_system(program, tmp_path):
    if "no PROJ" in subprocess.run([program, "--version"], capture_output=True, text=True).stdout:
        pytest.skip("built without PROJ")
    X, Y = degrees()
    np.savetxt(tmp_path / "t.csv", np.c_[X, Y], fmt="%.17g", delimiter=",", header="lon,lat,u,v", comments="")
    run(program, "fit", tmp_path / "t.csv", "--inputs", "lon,lat", "--outputs", "u,v", "--crs", "EPSG:32619", "--kernel",
        "div-free", "--sigma", "100", "--lambda", "1e-8", "--features", "60", "-o", tmp_path / "theirs")
    parameters = dict(kernel="div-free", sigma=100.0, lambda_=1e-8, features=60)
    mine, local = orff.ORFFRegressor(crs="EPSG:32619", **parameters), orff.ORFFRegressor(geo="lonlat", **parameters)
    theirs, F = orff.load(tmp_path / "theirs"), mine.fit(X, Y).predict(X)
    assert np.array_equal(theirs.predict(X), F) and theirs.crs == "EPSG:32619"
    assert not np.array_equal(F, local.fit(X, Y).predict(X)) and local.crs is None
    assert np.array_equal(pickle.loads(pickle.dumps(mine)).predict(X), F)
    assert not hasattr(mine, "partial_fit")
    with pytest.raises(ValueError, match="projected"):
        orff.ORFFRegressor(crs="EPSG:4326", **parameters).fit(X, Y)


def test_loaded_parameters_fit_the_same_again(field, tmp_path):
    X, Y = field
    time = np.linspace(0, 1, len(X))
    for parameters, inputs in [
        (dict(kernel="div-free+decomposable", sigma="0.5+0.9", weight=[1.0, 0.5]), X),
        (dict(kernel="curl-free+helmholtz", sigma="0.5+0.9", mix=0.2, covariates=[2]), np.c_[X, time]),
        (dict(kernel="div-free", sigma=0.5, scale_inputs=True), X),
        (dict(sigma=[0.5, 0.8], base="matern32", seed=3, sampling="iid"), X),
    ]:
        model = orff.ORFFRegressor(lambda_=1e-3, features=40, **parameters).fit(inputs, Y)
        model.save(tmp_path / "model")
        again = orff.ORFFRegressor(**orff.load(tmp_path / "model").get_params()).fit(inputs, Y)
        np.testing.assert_allclose(again.predict(inputs), model.predict(inputs), rtol=1e-7, atol=1e-8)


WRONG_NOTES = [
    ('{"inputs":3}', '"inputs" is not a list'),
    ('{"inputs":[]}', '"inputs" names 0 columns; there are 2'),
    ('{"inputs":[null,null]}', '"inputs[0]" is not an object'),
    ('{"inputs":[{"name":"x"},{}]}', '"inputs[1]" has no "name"'),
    ('{"named":true,"inputs":[{"name":"x"},{"name":2}]}', '"inputs[1].name" is not a text'),
    ('{"inputs":[{"name":"x","low":1},{"name":"y"}]}', '"inputs[0]" has not both numbers'),
    ('{"inputs":[{"name":"x","low":2,"high":1},{"name":"y"}]}', "goes from 2 to 1"),
    ('{"outputs":[{"name":"u"},{"name":"v","units":[]}]}', '"outputs[1].units" is not a text'),
    ('{"named":1}', '"named" is neither'),
    ('{"covariates":{}}', '"covariates" is not a list'),
    ('{"covariates":[2]}', '"covariates[0]" is not the place of an input, 0 to 1'),
    ('{"covariates":[true]}', '"covariates[0]"'),
    ('{"covariates":[1,1]}', "twice"),
    ('{"labels":["a","b"]}', "there are 0 classes"),
    ('{"geo":1}', '"geo" is not an object'),
    ('{"geo":{"lon":"x","lat":0}}', '"geo.lon"'),
    ('{"geo":{"lon":0,"lat":91}}', '"geo.lat"'),
    ('{"geo":{"lon":0,"lat":9},"covariates":[1]}', "there are 1 and 2"),
    ('{"kernel":{"kernel":"div-free","base":null,"sigma":"1"}}', '"kernel.base" is not a text'),
    ('{"python":5}', '"python" is not an object'),
    ('{"python":{"loss":[]}}', '"python.loss" is not a text'),
    ('{"python":{"flat":"no"}}', '"python.flat"'),
    ('{"settings":3}', '"settings" is not a text'),
    ('{"settings":"folds=1"}', '"settings": folds: '),
    ('{"settings":"nonsense"}', '"settings"'),
]


def test_settings_from_when_engines_were_solvers_are_read(field, tmp_path):
    fitted = orff.OVKRegressor(sigma=1.0, lambda_=1e-3).fit(*field)
    fitted.model_.set_notes('{"settings":"sigma=1\\nlambda=1e-3\\nsolver=exact\\n"}')
    fitted.save(tmp_path / "model")
    loaded = orff.load(tmp_path / "model")
    np.testing.assert_allclose(loaded.fit(*field).predict(field[0]), fitted.predict(field[0]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("notes, problem", WRONG_NOTES, ids=[notes for notes, _ in WRONG_NOTES])
def test_wrong_notes_are_refused(notes, problem, field, tmp_path):
    model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, features=10).fit(*field)
    model.model_.set_notes(notes)
    model.save(tmp_path / "model")
    with pytest.raises(orff.OrffError) as refused:
        orff.load(tmp_path / "model")
    assert refused.value.status == "FORMAT" and problem in str(refused.value)
    assert str(tmp_path / "model") in str(refused.value)


@pytest.mark.parametrize("notes, problem", [
    ('{"labels":[null,null,null]}', '"labels[0]" is not a text'),
    ('{"labels":["a","b"]}', '"labels" has 2 entries; there are 3 classes'),
    ('{"labels":["a","b","a"]}', "the same"),
    ('{"labels":["a","b","c"],"python":{"labels":"<i8"}}', "labels"),
    ('{"labels":["a","b","c"],"python":{"labels":"<U999999999"}}', "no type"),
    ('{"labels":["a","b","c"],"python":{"labels":"nonsense"}}', "labels"),
])
def test_wrong_labels_are_refused(notes, problem, field, tmp_path):
    X, Y = field
    model = orff.ORFFClassifier(sigma=1.0, lambda_=1e-3, features=10).fit(X, np.digitize(Y[:, 0], [-0.3, 0.3]))
    model.model_.set_notes(notes)
    model.save(tmp_path / "model")
    with pytest.raises(orff.OrffError, match="notes") as refused:
        orff.load(tmp_path / "model")
    assert problem in str(refused.value)


def test_wrong_notes_of_moments_are_refused(field, tmp_path):
    from orff._errors import check
    from orff._library import lib

    moments = orff.Moments(sigma=1.0, features=10).accumulate(*field)
    for notes in ('{"kernel":{"kernel":"div-free"}}', '{"kernel":[]}', '{"outputs":[]}', '{"covariates":[7]}'):
        check(lib.orff_moments_set_notes(moments._handle, notes.encode()))
        moments.save(tmp_path / "moments")
        with pytest.raises(orff.OrffError, match="notes"):
            orff.load(tmp_path / "moments")
    check(lib.orff_moments_set_notes(
        moments._handle, b'{"kernel":{"kernel":"div-free","base":"gaussian","sigma":"1","_place":"x","rows":"y"}}'))
    moments.save(tmp_path / "moments")
    assert orff.load(tmp_path / "moments").rows == 400


@pytest.mark.parametrize("notes", [
    "", "free text", "[1, 2]", "{}", '{"author":"somebody"}', '{"labels":', "[" * 100000])
def test_texts_of_others_are_no_notes(notes, field, tmp_path):
    model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, features=10).fit(*field)
    model.model_.set_notes(notes)
    model.save(tmp_path / "model")
    assert np.array_equal(orff.load(tmp_path / "model").predict(field[0]), model.predict(field[0]))


def test_what_could_not_be_read_is_not_written(field, tmp_path):
    X, Y = field
    for rows, message in [((1e300 * X, Y), "input 1 .* another unit"), ((X, 1e300 * Y), "output 1 .* another unit")]:
        with pytest.raises(ValueError, match=message):
            orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, scale_outputs=True, features=10).fit(*rows)
    with pytest.raises(ValueError, match="smaller lambda"):
        orff.ORFFRegressor(sigma=1.0, lambda_=1e16, features=10).fit(X, Y)


# ---- loaded estimators are those that were saved


def same(one, other):
    """Equal, arrays by their numbers; sequences may have become arrays or texts of the same meaning."""
    from orff._settings import TABLE, text_of

    assert set(one) == set(other)
    for name, value in one.items():
        if name in TABLE:
            assert text_of(TABLE[name], value, 3) == text_of(TABLE[name], other[name], 3), name
        else:
            assert value == other[name], name


LOADED = [
    orff.ORFFRegressor(),
    orff.ORFFRegressor(output_matrix="covariance", sigma=0.8, lambda_=1e-3),
    orff.ORFFRegressor(output_matrix=np.array([[2.0, 0.7], [0.7, 1.0 / 3.0]]), sigma=[0.8, 1.1], lambda_=1e-3),
    orff.ORFFRegressor(output_matrix=("laplacian", [[0.0, 1.0], [1.0, 0.0]], 0.1), sigma="median"),
    orff.ORFFRegressor(kernel="div-free", center=False, sigma=0.8, lambda_=1e-3, features=40),
    orff.ORFFRegressor(kernel="div-free+decomposable", sigma="0.5+0.9", weight=[1.0, 0.5], output_matrix="covariance",
                       lambda_=1e-3, center=False),
    orff.ORFFRegressor(kernel="curl-free+div-free", weight="auto", criterion="cross-validation", features=60),
    orff.ORFFRegressor(kernel="helmholtz", mix=0.2, base="matern", shape=2.25, seed=3, sampling="iid", folds=4),
    orff.ORFFRegressor(scale_inputs=True, scale_outputs=True, sigma=0.5, lambda_grid=(1e-6, 1.0, 9), posterior=False),
    orff.ORFFRegressor(engine="exact", sigma=0.8),
    orff.ORFFRegressor(frequencies=np.random.default_rng(0).normal(size=(20, 3)) ** 2, sigma=1.0),
    orff.ORFFRegressor(loss="huber", loss_parameter=0.2, sigma=0.8, lambda_=1e-3, iterations=50, features=30),
    orff.ORFFRegressor(kernel="auto", features=60),
    orff.OVKRegressor(kernel="div-free", sigma=0.8, center=False),
    orff.OVKRegressor(output_matrix="covariance", scale_outputs=True),
    orff.ORFFClassifier(sigma=0.8, center=False, output_matrix=[[2.0]]),
    orff.ORFFClassifier(loss="logistic", sigma=0.8, lambda_=1e-3, iterations=30, features=30),
    orff.ORFFClassifier(engine="exact", base="cauchy"),
]


@pytest.mark.parametrize("estimator", LOADED, ids=repr)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_loaded_estimator_is_the_one_that_was_saved(estimator, field, tmp_path):
    X, Y = field[0][:150], field[1][:150]
    classes = isinstance(estimator, orff.ORFFClassifier)
    y = np.where(Y[:, 0] > 0, "north", "south") if classes else Y
    values = (lambda model: model.decision_function(X)) if classes else (lambda model: model.predict(X))
    estimator.fit(X, y).save(tmp_path / "model")
    loaded = orff.load(tmp_path / "model")
    assert type(loaded) is type(estimator)
    same(loaded.get_params(), estimator.get_params())
    before = values(estimator)
    assert np.array_equal(values(loaded), before)
    np.testing.assert_allclose(values(loaded.fit(X, y)), before, rtol=1e-12, atol=1e-12)


def test_loaded_covariates_and_streams(field, tmp_path):
    import pandas as pd

    X, Y = field
    table = pd.DataFrame(np.c_[X, np.linspace(0, 1, len(X))], columns=["x", "y", "hour"])
    for covariates in (["hour"], [2], [-1]):
        model = orff.ORFFRegressor(kernel="div-free", covariates=covariates, sigma=1.0, lambda_=1e-3).fit(table, Y)
        model.save(tmp_path / "model")
        loaded = orff.load(tmp_path / "model")
        assert loaded.covariates in (["hour"], [2])
        np.testing.assert_allclose(loaded.fit(table, Y).predict(table), model.predict(table), rtol=1e-12, atol=1e-12)
    streamed = orff.ORFFRegressor(output_matrix="covariance", sigma=0.7, lambda_=1e-3, features=40).partial_fit(X, Y)
    streamed.save(tmp_path / "model")
    loaded = orff.load(tmp_path / "model")
    same(loaded.get_params(), streamed.get_params())
    np.testing.assert_allclose(loaded.fit(X, Y).predict(X), streamed.predict(X), rtol=1e-7, atol=1e-7)


def test_files_of_a_run_do_not_travel(field, tmp_path):
    model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, checkpoint=tmp_path / "part", resume=True).fit(*field)
    model.save(tmp_path / "model")
    loaded = orff.load(tmp_path / "model")
    assert loaded.checkpoint is None and loaded.resume is False


@pytest.mark.parametrize("command, options", [
    ("fit", ["--kernel", "div-free+decomposable", "--sigma", "0.8+0.3", "--weight", "1+0.5", "--lambda", "0.01"]),
    ("fit", ["--output-matrix", "covariance", "--sigma", "0.8", "--center", "no", "--lambda", "0.01"]),
    ("exact", ["--kernel", "div-free", "--base", "matern", "--shape", "2.25", "--sigma", "0.7", "--center", "no"]),
    ("tune", ["--kernel", "div-free", "--kernel", "curl-free", "--sigma", "0.4", "--sigma", "0.8", "--center", "no"]),
], ids=str)
def test_what_the_program_fitted_can_be_fitted_again(command, options, field, program, tmp_path):
    X, Y = field[0][:120], field[1][:120] + [5.0, 1.0]
    np.save(tmp_path / "tx.npy", X)
    np.save(tmp_path / "ty.npy", Y)
    run(program, command, tmp_path / "tx.npy", tmp_path / "ty.npy", *options, "-o", tmp_path / "model")
    model = orff.load(tmp_path / "model")
    before = model.predict(X)
    tolerance = 0.02 if command == "tune" else 1e-7  # tuning takes lambda by cross-validation, a fit by the evidence
    np.testing.assert_allclose(model.fit(X, Y).predict(X), before, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name, value", [("seed", 3), ("sampling", "iid"), ("base", "matern52")])
def test_moments_choose_alike(name, value, field, program, tmp_path):
    """The kernel that moments are made for is found by one quick fit, which hears the same settings everywhere."""
    X, Y = field[0][:120], field[1][:120]
    np.savetxt(tmp_path / "rows.csv", np.c_[X, Y], delimiter=",", header="x,y,u,v", comments="", fmt="%.17g")
    run(program, "moments", tmp_path / "rows.csv", "--outputs", "u,v", f"--{name}", value, "-o", tmp_path / "theirs")
    orff.Moments(**{name: value}).accumulate(X, Y).save(tmp_path / "mine")
    sigma, theirs = ([float(word) for word in told["notes"]["kernel"]["sigma"].split(",")] for told in (
        json.loads(subprocess.run([program, "info", tmp_path / file, "--json"], capture_output=True, check=True).stdout)
        for file in ("mine", "theirs")))
    np.testing.assert_allclose(sigma, theirs, rtol=1e-6)
