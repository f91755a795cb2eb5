"""Rows left out by blocks and groups, and what a fit warns of."""
import warnings

import numpy as np
import pytest

import orff


def stations(rng, count=60, times=10):
    places = np.repeat(rng.uniform(0, 1, (count, 2)), times, axis=0)
    y = np.sin(11 * places[:, 0]) * np.cos(9 * places[:, 1]) + 0.05 * rng.normal(size=len(places))
    return places, y, np.repeat([f"station {i}" for i in range(count)], times)


def test_groups_are_left_out_together():
    X, y, groups = stations(np.random.default_rng(1))
    grouped = orff.ORFFRegressor(sigma=0.12, lambda_=3e-6).fit(X, y, groups=groups)
    assert grouped.folds_ == "groups"
    assert grouped.held_out_mse_ > 4 * grouped.cv_mse_
    again = orff.ORFFRegressor(sigma=0.12, lambda_=3e-6).fit(X, y, groups=np.unique(groups, return_inverse=True)[1])
    assert again.held_out_mse_ == grouped.held_out_mse_


def test_blocks_are_left_out_where_there_are_no_groups():
    rng = np.random.default_rng(2)
    X = rng.uniform(0, 1, (500, 2))
    Y = np.c_[np.sin(11 * X[:, 0]), np.cos(9 * X[:, 1])] + 0.05 * rng.normal(size=(500, 2))
    model = orff.ORFFRegressor().fit(X, Y)
    assert model.folds_ == "blocks"
    assert model.output_held_out_mse_.shape == (2,)
    np.testing.assert_allclose(model.output_held_out_mse_.mean(), model.held_out_mse_)
    assert 0.8 < model.held_out_coverage_[95] <= 1
    assert orff.ORFFRegressor(folds_by="random").fit(X, Y).folds_ == "random"


def test_groups_of_another_number_of_rows_are_refused():
    X, y, groups = stations(np.random.default_rng(3))
    with pytest.raises(ValueError, match="inconsistent"):
        orff.ORFFRegressor(sigma=0.2).fit(X, y, groups=groups[1:])


def test_a_doubtful_fit_warns():
    rng = np.random.default_rng(4)
    X = rng.uniform(0, 1, (400, 2))
    y = np.sin(20 * X[:, 0]) * np.cos(20 * X[:, 1])
    with pytest.warns(UserWarning, match="too few features"):
        orff.ORFFRegressor(features=4, sigma=0.05).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        orff.ORFFRegressor().fit(X, y + 0.1 * rng.normal(size=400))
