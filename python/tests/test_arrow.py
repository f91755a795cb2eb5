"""Tables that come by the Arrow C stream or by __dataframe__."""
import sys

import numpy as np
import pytest

import orff
from orff._arrow import Table, from_arrow


def only(protocol):
    """A class of tables that are handed over by one protocol, and by nothing else."""
    def hand_over(self, *arguments, **options):
        return getattr(self.held, protocol)(*arguments, **options)

    return type("Only", (), {"__init__": lambda self, held: setattr(self, "held", held), protocol: hand_over})


def regressor(**more):
    return orff.ORFFRegressor(**{**dict(sigma=1.0, lambda_=1e-3, features=60), **more})


@pytest.fixture(name="pa")
def arrow():
    return pytest.importorskip("pyarrow", reason="there is no pyarrow, of PyPI: tables of Arrow are not tried")


@pytest.fixture(name="tables")
def tables_fixture(pa, field):
    X, Y = field
    return pa.table({"x": X[:, 0], "y": X[:, 1]}), pa.table({"u": Y[:, 0], "v": Y[:, 1]})


def test_tables_are_arrays_with_names(tables, field, tmp_path):
    X, Y = field
    inputs, outputs = tables
    model, plain = regressor().fit(inputs, outputs), regressor().fit(X, Y)
    assert list(model.feature_names_in_) == ["x", "y"] and list(model._output_names) == ["u", "v"]
    np.testing.assert_array_equal(model.predict(inputs), plain.predict(X))
    assert model.evaluate(inputs, outputs)["rmse"] == plain.evaluate(X, Y)["rmse"]
    np.testing.assert_array_equal(model.curl(inputs), plain.curl(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(inputs.select(["y", "x"]))
    model.save(tmp_path / "model")
    assert list(orff.load(tmp_path / "model").feature_names_in_) == ["x", "y"]
    sums = orff.Moments(sigma=1.0, features=60).accumulate(inputs, outputs)
    assert [entry["name"] for entry in sums.notes["inputs"]] == ["x", "y"]


@pytest.mark.parametrize("protocol", ["__arrow_c_stream__", "__dataframe__"])
def test_anything_with_a_protocol_is_taken(tables, field, protocol):
    plain = regressor().fit(*field)
    inputs, outputs = (only(protocol)(table) for table in tables)
    assert not hasattr(inputs, "__array__") and not hasattr(inputs, "columns")
    model = regressor().fit(inputs, outputs)
    assert list(model.feature_names_in_) == ["x", "y"]
    np.testing.assert_array_equal(model.predict(only(protocol)(tables[0])), plain.predict(field[0]))


def test_a_stream_is_read_once(tables, field):
    plain = regressor().fit(*field)
    model = regressor().fit(*(table.to_reader(max_chunksize=70) for table in tables))
    np.testing.assert_array_equal(model.predict(tables[0].to_reader()), plain.predict(field[0]))


def test_columns_are_not_copied_where_they_need_not_be(pa):
    numbers = np.linspace(0, 1, 50)
    column = from_arrow(pa.table({"x": numbers}))
    assert isinstance(column, Table) and column.shape == (50, 1) and np.shares_memory(column, numbers)
    assert np.shares_memory(from_arrow(pa.array(numbers)), numbers)
    single = from_arrow(pa.table({"a": numbers.astype(np.float32), "b": numbers.astype(np.float32)}))
    assert single.dtype == np.float32 and single.flags.c_contiguous
    assert from_arrow(pa.table({"a": numbers.astype(np.float32), "b": np.arange(50)})).dtype == np.float64


def test_null_is_missing(pa, field):
    X, Y = field
    Y = Y.copy()
    Y[::7, 0] = np.nan
    inputs = pa.table({"x": X[:, 0], "y": X[:, 1]})
    outputs = pa.table({"u": pa.array(Y[:, 0], from_pandas=True), "v": Y[:, 1]})
    assert outputs["u"].null_count == 58
    np.testing.assert_array_equal(regressor().fit(inputs, outputs).predict(inputs), regressor().fit(X, Y).predict(X))
    with pytest.raises(ValueError, match="X contains NaN"):
        regressor().fit(outputs, inputs)


def test_what_is_no_number_is_refused(pa):
    with pytest.raises(ValueError, match="X: column 'b' contains string; expected numbers"):
        regressor().fit(pa.table({"a": [1.0, 2.0], "b": ["1", "2"]}), [1.0, 2.0])
    with pytest.raises(ValueError, match="X: column 't' contains timestamp"):
        from_arrow(pa.table({"t": np.array(["2020-01-01"], dtype="datetime64[us]")}))


def test_classes_and_single_columns(pa, field):
    X, Y = field
    names = np.where(Y[:, 0] > 0, "up", "down")
    inputs = pa.table({"x": X[:, 0], "y": X[:, 1]})
    plain = orff.ORFFClassifier(features=30).fit(X, names)
    for labels in (pa.array(names.tolist()), pa.chunked_array([names[:9].tolist(), names[9:].tolist()]),
                   pa.table({"way": names.tolist()})):
        model = orff.ORFFClassifier(features=30).fit(inputs, labels)
        assert (model.predict(inputs) == plain.predict(X)).all() and list(model.classes_) == ["down", "up"]
    for y in (pa.array(Y[:, 0]), pa.chunked_array([Y[:9, 0], Y[9:, 0]])):
        assert regressor().fit(inputs, y).predict(inputs).shape == (400,)
    assert list(orff.OperatorFourierFeatures(sigma=1.0, features=9).fit(inputs).feature_names_in_) == ["x", "y"]


def test_polars(field):
    pl = pytest.importorskip("polars", reason="there is no polars, of PyPI: its tables are not tried")
    pytest.importorskip("pyarrow")
    X, Y = field
    inputs, outputs = pl.DataFrame({"x": X[:, 0], "y": X[:, 1]}), pl.DataFrame({"u": Y[:, 0], "v": Y[:, 1]})
    model = regressor().fit(inputs, outputs)
    assert list(model.feature_names_in_) == ["x", "y"]
    np.testing.assert_array_equal(model.predict(inputs), regressor().fit(X, Y).predict(X))
    assert regressor().fit(inputs, outputs["u"]).predict(inputs).shape == (400,)


def test_without_pyarrow_its_name_is_said(monkeypatch, field):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    X, Y = field
    with pytest.raises(ImportError, match="pip install pyarrow"):
        regressor().fit(only("__arrow_c_stream__")(None), Y)
    read = type("Read", (), {"__dataframe__": None, "__array__": lambda self, *arguments, **options: X})()
    assert from_arrow(read) is read


def test_names_of_an_array(field):
    X, Y = field
    table = Table.of(X, ["a", "b"])
    assert np.shares_memory(table, X)
    model = regressor().fit(table, Y)
    assert list(model.feature_names_in_) == ["a", "b"] and type(model.predict(table)) is np.ndarray
    with pytest.raises(ValueError, match="feature names"):
        model.predict(Table.of(X, ["b", "a"]))
