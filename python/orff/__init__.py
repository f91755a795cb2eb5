"""orff: learning vector-valued functions with operator-valued kernels, at scale.

Estimators in the manner of scikit-learn over the C library liborff:

ORFFRegressor, ORFFClassifier
    Ridge regression and classification with operator-valued random Fourier features.
OVKRegressor
    The same with the exact kernel, for few rows.
ORFFStack
    Layers of random features, learned together.
ORFFVAR
    Vector autoregression: several series learned from their own past.
IOKRegressor
    Objects by their features: regression on psi(y), and the nearest of some candidates.
OperatorFourierFeatures
    The feature map by itself.
fit_field
    A field from an xarray Dataset, and predictions as one.
SphereField
    A field on the whole sphere.
CustomPart
    A part of a kernel by a function of your own.
Moments
    Sums over rows that add, subtract and travel in files.
Functionals
    Derivatives, integrals and differences of potentials as data.
plot_field, plot_error, plot_calibration, plot_residuals, plot_tuning, plot_matrix, plot_spectrum, plot_links
    Pictures by matplotlib.
kernel, loss, bound, plan, directions, load, save
    The kernel itself, single losses, error bounds, predicted costs, unit vectors of angles, files.
"""
# First: numpy, which the others import, may bring the same OpenMP, and that looks at the environment once.
from ._library import __version__, build_info, get_threads, set_threads

from ._bound import bound
from ._classifier import ORFFClassifier
from ._custom import CustomPart
from ._errors import OrffError, Stopped
from ._exact import OVKRegressor
from ._functionals import Functionals
from ._functions import kernel, load, loss, save
from ._lattice_moments import LatticeMoments
from ._moments import Moments
from ._observations import directions
from ._plan import plan
from ._plot_choices import plot_matrix, plot_spectrum, plot_tuning
from ._plots import plot_calibration, plot_error, plot_field, plot_links, plot_residuals
from ._regressor import ORFFRegressor
from ._sphere import SphereField
from ._stack import ORFFStack
from ._iokr import IOKRegressor
from ._series import ORFFVAR
from ._transformer import OperatorFourierFeatures
from ._xarray import Field, fit_field

__all__ = [
    "CustomPart",
    "Field",
    "Functionals",
    "IOKRegressor",
    "LatticeMoments",
    "Moments",
    "ORFFClassifier",
    "ORFFRegressor",
    "ORFFStack",
    "ORFFVAR",
    "OVKRegressor",
    "OperatorFourierFeatures",
    "OrffError",
    "SphereField",
    "Stopped",
    "__version__",
    "bound",
    "build_info",
    "directions",
    "fit_field",
    "get_threads",
    "kernel",
    "load",
    "loss",
    "plan",
    "plot_calibration",
    "plot_error",
    "plot_field",
    "plot_links",
    "plot_matrix",
    "plot_residuals",
    "plot_spectrum",
    "plot_tuning",
    "save",
    "set_threads",
]
