"""Import MXNet 1.9.1 on a current NumPy: import this module before `mxnet`."""
import numpy as onp

modern = int(onp.__version__.split(".")[0]) >= 2
renamed = dict(
    int=int, float=float, object=object, complex=complex, str=str, PZERO=0.0, NZERO=-0.0, Inf=onp.inf,
    Infinity=onp.inf, infty=onp.inf, PINF=onp.inf, NINF=-onp.inf, NaN=onp.nan, NAN=onp.nan, product=onp.prod,
    cumproduct=onp.cumprod, sometrue=onp.any, alltrue=onp.all, row_stack=onp.vstack, in1d=onp.isin,
    trapz=getattr(onp, "trapezoid", None), float_=onp.float64, unicode_=onp.str_)
if not modern:
    renamed["bool"] = bool
for name, value in renamed.items():
    if name not in onp.__dict__:
        setattr(onp, name, value)
if modern:
    numpy_getattr = onp.__getattr__

    def missing_getattr(name):
        try:
            return numpy_getattr(name)
        except AttributeError:
            if name.startswith("__"):
                raise

            def removed(*args, **kwargs):
                raise NotImplementedError(f"numpy.{name} was removed from NumPy")
            return removed

    onp.__getattr__ = missing_getattr
    onp.set_printoptions(legacy="1.25")
import mxnet  # noqa
if modern:
    onp.__getattr__ = numpy_getattr
