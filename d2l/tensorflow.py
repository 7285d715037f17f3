"""The book's functions and classes for TensorFlow.

What stands below the banner is generated from the cells marked `#@save` in the book's pages; change it there.
`plt` (matplotlib.pyplot in the book's style) is loaded when first used.
"""

import sys
from types import ModuleType

from .requirement import require

require("tensorflow")

from . import tensorflow_import  # isort: skip  # before keras and tensorflow
import keras
import numpy as np
import tensorflow as tf

from . import fashion_mnist
from .display import LiveFigure, as_array, load_pyplot, use_svg_display
from .transfer import fetch

d2l = sys.modules[__name__]
plt: ModuleType  # by __getattr__


def __getattr__(name: str) -> ModuleType:
    if name == "plt":
        return load_pyplot()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


#################   WARNING   ################
# The below part is generated automatically (provisional)

import hashlib
import inspect
import os
import time
from itertools import accumulate
from pathlib import Path
import numpy as onp


ones_like = tf.ones_like
ones = tf.ones
zeros_like = tf.zeros_like
zeros = tf.zeros
meshgrid = tf.meshgrid
sin = tf.sin
sinh = tf.sinh
cos = tf.cos
cosh = tf.cosh
tanh = tf.tanh
linspace = tf.linspace
exp = tf.exp
int32 = tf.int32
int64 = tf.int64
float32 = tf.float32
stack = tf.stack
abs = tf.abs
eye = tf.eye
arange = tf.range
log = tf.math.log
matmul = tf.matmul
tensor = tf.constant
normal = tf.random.normal
rand = tf.random.uniform
randn = tf.random.normal
concat = tf.concat
sigmoid = tf.sigmoid
batch_matmul = tf.matmul
reshape = tf.reshape
reduce_sum = tf.reduce_sum
reduce_mean = tf.reduce_mean
argmax = tf.argmax
astype = tf.cast
transpose = tf.transpose
expand_dims = tf.expand_dims
repeat = tf.repeat
def numpy(x, *args, **kwargs):
    return x.numpy(*args, **kwargs)

nn_Module = keras.Model
swapaxes = keras.ops.swapaxes


def size(x):
    """Number of elements of `x`."""
    return int(tf.size(x))


def to(x, device):
    """A copy of `x` on `device`."""
    with tf.device(device):
        return tf.identity(x)


def add_to_class(Class):
    """Return a decorator that makes the function below it a method of `Class`."""
    def decorator(function):
        setattr(Class, function.__name__, function)
        return function
    return decorator


class HyperParameters:
    """Mixin that keeps the arguments of a constructor."""
    def save_hyperparameters(self, ignore=[]):
        """Keep the arguments of the calling method as attributes and in the dictionary `hparams`.

        Arguments whose names are in `ignore` are left out.
        """
        caller = inspect.getargvalues(inspect.currentframe().f_back)
        self.hparams = {name: caller.locals[name] for name in caller.args[1:]
                        if name not in ignore}
        for name, value in self.hparams.items():
            setattr(self, name, value)


class Timer:
    """Stopwatch that keeps every interval it measured, in seconds."""
    def __init__(self):
        self.times = []
        self.start()

    def start(self):
        """Begin an interval."""
        self.begin = time.perf_counter()

    def stop(self):
        """End the interval, keep its length and return it."""
        self.times.append(time.perf_counter() - self.begin)
        return self.times[-1]

    def avg(self):
        """Mean length of the intervals."""
        return sum(self.times) / len(self.times)

    def sum(self):
        """Total length of the intervals."""
        return sum(self.times)

    def cumsum(self):
        """Totals after the first, the second, ... interval."""
        return list(accumulate(self.times))


def set_figsize(figsize=(3.5, 2.5)):
    """Set the size of the figures to come, in inches."""
    d2l.use_svg_display()
    d2l.plt.rcParams['figure.figsize'] = figsize


def set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend):
    """Label and scale the axes of a plot; None leaves a limit to matplotlib."""
    axes.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale, yscale=yscale)
    if xlim is not None:
        axes.set_xlim(xlim)
    if ylim is not None:
        axes.set_ylim(ylim)
    if legend:
        axes.legend(legend)


def plot(X, Y=None, xlabel=None, ylabel=None, legend=[], xlim=None, ylim=None,
         xscale='linear', yscale='linear', fmts=('-', 'm--', 'g-.', 'r:'),
         figsize=(3.5, 2.5), axes=None):
    """Plot one curve or a list of curves.

    `plot(Y)` counts the points from 0, `plot(X, Y)` gives their abscissas: one array for all curves or one for each.
    """
    def curves(data):
        """A list of one-dimensional arrays."""
        nested = isinstance(data, (list, tuple)) and len(data) and onp.ndim(data[0])
        arrays = [d2l.as_array(x) for x in (data if nested else [data])]
        return [row for x in arrays for row in (x if x.ndim == 2 else [x])]

    Y, X = (curves(X), None) if Y is None else (curves(Y), curves(X))
    if X is None:
        X = [onp.arange(len(y)) for y in Y]
    elif len(X) == 1:
        X = X * len(Y)
    d2l.set_figsize(figsize)
    axes = axes or d2l.plt.gca()
    axes.cla()
    for i, (x, y) in enumerate(zip(X, Y)):
        axes.plot(x, y, fmts[i % len(fmts)])
    d2l.set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend)


class Animator:
    """Plot of curves that grow while a loop runs."""
    def __init__(self, xlabel=None, ylabel=None, legend=None, xlim=None,
                 ylim=None, xscale='linear', yscale='linear',
                 fmts=('-', 'm--', 'g-.', 'r:'), nrows=1, ncols=1,
                 figsize=(3.5, 2.5)):
        d2l.use_svg_display()
        self.fig = d2l.plt.figure(figsize=figsize)
        d2l.plt.close(self.fig)  # shown by LiveFigure, not again at the cell's end
        self.axes = self.fig.subplots(nrows, ncols, squeeze=False).ravel()
        self.live = d2l.LiveFigure(self.fig)
        self.fmts, self.X, self.Y = fmts, None, None
        self.config_axes = lambda: d2l.set_axes(
            self.axes[0], xlabel, ylabel, xlim, ylim, xscale, yscale, legend)

    def add(self, x, y):
        """Append the point (x, y), or with a list y one point to each curve; None skips a curve."""
        ys = y if hasattr(y, '__len__') else [y]
        xs = x if hasattr(x, '__len__') else [x] * len(ys)
        if self.X is None:
            self.X, self.Y = [[] for _ in ys], [[] for _ in ys]
        for i, (a, b) in enumerate(zip(xs, ys)):
            if a is not None and b is not None:
                self.X[i].append(a)
                self.Y[i].append(b)
        self.live.update(self.redraw)

    def redraw(self):
        """Draw the curves as they are now."""
        self.axes[0].cla()
        for x, y, fmt in zip(self.X, self.Y, self.fmts):
            self.axes[0].plot(x, y, fmt)
        self.config_axes()


class ProgressBoard(d2l.HyperParameters):
    """Plot of named curves, each of whose points is the mean of several values."""
    def __init__(self, xlabel=None, ylabel=None, xlim=None, ylim=None,
                 xscale='linear', yscale='linear', ls=['-', '--', '-.', ':'],
                 colors=['C0', 'C1', 'C2', 'C3'], fig=None, axes=None,
                 figsize=(3.5, 2.5), display=True):
        self.save_hyperparameters()
        self.waiting, self.curves, self.live = {}, {}, None

    def draw(self, x, y, label, every_n=1):
        """Give the curve `label` a value; each `every_n` of them become one point, their mean."""
        points = self.waiting.setdefault(label, [])
        points.append((x, y))
        self.curves.setdefault(label, [])
        if len(points) < every_n:
            return
        self.curves[label].append(onp.mean(points, axis=0))
        points.clear()
        if self.display:
            self.show()

    def show(self):
        """Bring the figure up to date."""
        if self.live is None:
            d2l.use_svg_display()
            if self.fig is None:
                self.fig = d2l.plt.figure(figsize=self.figsize)
                d2l.plt.close(self.fig)  # shown by LiveFigure, not again at the cell's end
            self.live = d2l.LiveFigure(self.fig)
        self.live.update(self.redraw)

    def redraw(self):
        """Draw the curves as they are now."""
        axes = self.axes or self.fig.gca()
        axes.cla()
        for i, (label, points) in enumerate(self.curves.items()):
            if points:
                axes.plot(*onp.array(points).T, label=label, color=self.colors[i % len(self.colors)],
                          linestyle=self.ls[i % len(self.ls)])
        d2l.set_axes(axes, self.xlabel, self.ylabel, self.xlim, self.ylim, self.xscale, self.yscale,
                     [label for label, points in self.curves.items() if points])


def show_images(imgs, num_rows, num_cols, titles=None, scale=1.5):
    """Show images, (H, W) or (H, W, 3), in rows and columns; return the axes of the cells."""
    d2l.use_svg_display()
    figsize = (num_cols * scale, num_rows * scale)
    _, axes = d2l.plt.subplots(num_rows, num_cols, figsize=figsize, squeeze=False)
    axes = axes.ravel()
    for axis in axes:
        axis.set_axis_off()
    for i, (axis, image) in enumerate(zip(axes, imgs)):
        axis.imshow(d2l.as_array(image), cmap='gray')
        if titles:
            axis.set_title(titles[i])
    return axes


class Minibatches:
    """Cuts arrays of equal length into minibatches, in a new order each epoch if `shuffle`."""
    def __init__(self, arrays, batch_size, convert, shuffle=False, seed=0):
        self.arrays, self.batch_size, self.convert = arrays, batch_size, convert
        self.random = onp.random.default_rng(seed) if shuffle else None

    def __len__(self):
        count = -(-len(self.arrays[0]) // self.batch_size)  # rounded up
        return min(count, 4) if d2l.short_run() else count

    def __iter__(self):
        size = len(self.arrays[0])
        order = self.random.permutation(size) if self.random else onp.arange(size)
        for i in range(len(self)):
            rows = order[i * self.batch_size:(i + 1) * self.batch_size]
            yield self.convert(*(array[rows] for array in self.arrays))


def short_run():
    """Whether the environment variable D2L_SHORT asks for runs of seconds, as the book's tests do."""
    return os.environ.get('D2L_SHORT', '') not in ('', '0')


def image_batch(images, labels, resize=None):
    """Bytes as tensors: images (N, H, W, 1) in [0, 1], labels (N,)."""
    X = d2l.fashion_mnist.pixels(images, resize)[..., None]
    return tf.constant(X), tf.constant(labels, dtype=tf.int32)


def load_data_fashion_mnist(batch_size, resize=None):
    """Return Fashion-MNIST's training minibatches, shuffled, and its test minibatches.

    A minibatch is a pair of images in [0, 1] and labels from 0 to 9; images are interpolated to `resize` pixels
    or (height, width).
    """
    data = d2l.FashionMNIST(batch_size, resize or (28, 28))
    return data.train_dataloader(), data.val_dataloader()


class DataModule(d2l.HyperParameters):
    """The training and validation data of a model."""
    def __init__(self, root='../data', num_workers=4):
        self.save_hyperparameters()

    def get_dataloader(self, train):
        """Iterable over the minibatches of one part; each kind of data defines it."""
        raise NotImplementedError

    def train_dataloader(self):
        return self.get_dataloader(train=True)

    def val_dataloader(self):
        return self.get_dataloader(train=False)


class FashionMNIST(d2l.DataModule):
    """60,000 training and 10,000 test images of clothes in ten classes."""
    def __init__(self, batch_size=64, resize=(28, 28)):
        super().__init__()
        resize = (resize, resize) if isinstance(resize, int) else tuple(resize)
        self.save_hyperparameters()

    def get_dataloader(self, train):
        def convert(images, labels):
            return d2l.image_batch(images, labels, self.resize)
        return d2l.Minibatches(d2l.fashion_mnist.arrays(train), self.batch_size, convert, shuffle=train)

    def text_labels(self, indices):
        """Names of the classes with these numbers."""
        return [d2l.fashion_mnist.LABELS[int(i)] for i in indices]

    def visualize(self, batch, nrows=1, ncols=8, labels=[]):
        """Show the first images of a minibatch under their labels."""
        X, y = batch
        images = d2l.as_array(X[:nrows * ncols]).squeeze()
        d2l.show_images(images, nrows, ncols, titles=labels or self.text_labels(y[:nrows * ncols]))


DATA_HUB = {}


def download(url, folder='../data', sha1_hash=None):
    """Download a file into `folder` unless it is there already, and return its path.

    `url` may be a name in `DATA_HUB`, whose entries are pairs (url, SHA-1 in hexadecimal). A ValueError is raised
    if what arrives has another SHA-1.
    """
    if url in d2l.DATA_HUB:
        url, sha1_hash = d2l.DATA_HUB[url]
    path = Path(folder, url.split('/')[-1])

    def intact():
        return sha1_hash is None or hashlib.sha1(path.read_bytes()).hexdigest() == sha1_hash

    if not (path.is_file() and intact()):
        d2l.fetch(url, path)
        if not intact():
            raise ValueError(f'{url} has another SHA-1 than {sha1_hash}')
    return str(path)


class Module(keras.Model, d2l.HyperParameters):
    """A model that knows its loss, its optimizer and how to plot its progress."""
    def __init__(self, plot_train_per_epoch=2, plot_valid_per_epoch=1):
        super().__init__()
        del self.loss  # Keras keeps an argument of `compile` under this name
        self.save_hyperparameters()
        self.board = d2l.ProgressBoard()

    def loss(self, y_hat, y):
        raise NotImplementedError

    def forward(self, X):
        return self.net(X)

    def call(self, X, training=None):
        return self.forward(X)  # the layers inside learn `training` from Keras


@d2l.add_to_class(d2l.Module)
def plot(self, key, value, train):
    """Add a value to the curve `train_key` or `val_key`, over epochs."""
    trainer = self.trainer
    if train:
        x = trainer.train_batch_idx / trainer.num_train_batches
        every_n = trainer.num_train_batches // self.plot_train_per_epoch
    else:
        x = trainer.epoch + 1
        every_n = trainer.num_val_batches // self.plot_valid_per_epoch
    self.board.xlabel = 'epoch'
    self.board.draw(x, float(d2l.as_array(value)), ('train_' if train else 'val_') + key,
                    every_n=max(every_n, 1))


@d2l.add_to_class(d2l.Module)
def training_step(self, batch):
    """Loss of a training minibatch, whose last element holds the labels."""
    loss = self.loss(self(*batch[:-1]), batch[-1])
    self.plot('loss', loss, train=True)
    return loss


@d2l.add_to_class(d2l.Module)
def validation_step(self, batch):
    """Plot the loss of a validation minibatch."""
    self.plot('loss', self.loss(self(*batch[:-1]), batch[-1]), train=False)


@d2l.add_to_class(d2l.Module)
def configure_optimizers(self):
    """Minibatch SGD with the model's learning rate `lr`."""
    return keras.optimizers.SGD(self.lr)


class Classifier(d2l.Module):
    """A model that tells classes apart."""
    def validation_step(self, batch):
        """Plot the loss and the accuracy of a validation minibatch."""
        Y_hat = self(*batch[:-1])
        self.plot('loss', self.loss(Y_hat, batch[-1]), train=False)
        self.plot('acc', self.accuracy(Y_hat, batch[-1]), train=False)

    def accuracy(self, Y_hat, Y, averaged=True):
        """Fraction of the rows of `Y_hat` that are largest at the label; without `averaged`, 1 or 0 for each row."""
        Y_hat = d2l.reshape(Y_hat, (-1, Y_hat.shape[-1]))
        correct = d2l.argmax(Y_hat, axis=1) == d2l.astype(d2l.reshape(Y, (-1,)), d2l.argmax(Y_hat, axis=1).dtype)
        correct = d2l.astype(correct, d2l.float32)
        return d2l.reduce_mean(correct) if averaged else correct


@d2l.add_to_class(d2l.Classifier)
def loss(self, Y_hat, Y, averaged=True):
    """Cross-entropy of the logits `Y_hat` and the labels `Y`: their mean, or one value for each row."""
    losses = keras.losses.sparse_categorical_crossentropy(
        tf.reshape(Y, (-1,)), tf.reshape(Y_hat, (-1, Y_hat.shape[-1])), from_logits=True)
    return tf.reduce_mean(losses) if averaged else losses


class Trainer(d2l.HyperParameters):
    """Fits a model to data for `max_epochs` epochs.

    A gradient longer than `gradient_clip_val` > 0 is scaled to that length.
    """
    def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0):
        self.save_hyperparameters()

    def prepare_data(self, data):
        """Take the minibatches from `data` and count them."""
        self.train_dataloader = data.train_dataloader()
        self.val_dataloader = data.val_dataloader()
        self.num_train_batches = len(self.train_dataloader)
        self.num_val_batches = len(self.val_dataloader or ())

    def prepare_model(self, model):
        """Tie the model to this trainer and its plot to the number of epochs."""
        model.trainer = self
        model.board.xlim = [0, self.max_epochs]
        self.model = model

    def prepare_batch(self, batch):
        """Where a minibatch goes to its device; here it stays where it is."""
        return batch

    def fit(self, model, data):
        """Train `model` on `data` and validate it after each epoch."""
        self.prepare_data(data)
        self.prepare_model(model)
        self.optim = model.configure_optimizers()
        self.train_batch_idx = self.val_batch_idx = 0
        for self.epoch in range(self.max_epochs):
            self.fit_epoch()


@d2l.add_to_class(d2l.Trainer)
def fit_epoch(self):
    """Train on every training minibatch once, then validate."""
    for batch in self.train_dataloader:
        with tf.GradientTape() as tape:
            loss = self.model.training_step(self.prepare_batch(batch))
        params = self.model.trainable_variables
        grads = tape.gradient(loss, params)
        self.optim.apply_gradients(zip(grads, params))
        self.train_batch_idx += 1
    for batch in self.val_dataloader or ():
        self.model.validation_step(self.prepare_batch(batch))
        self.val_batch_idx += 1


def sgd(params, grads, lr, batch_size):
    """Take one step of minibatch SGD in place, for gradients summed over `batch_size` examples."""
    for param, grad in zip(params, grads):
        param.assign_sub(lr * grad / batch_size)


def budget(gpu, cpu):
    """The number of epochs or steps to run: `gpu` if there is an accelerator, else `cpu`; at most 1 in a short run."""
    chosen = gpu if d2l.num_gpus() else cpu
    return min(chosen, 1) if d2l.short_run() else chosen


def devices(k):
    """Return the names of `k` devices: GPUs if there are enough, else logical CPUs.

    Raises ValueError if `k` is less than 1, RuntimeError if TensorFlow has started with fewer CPUs than `k`.
    """
    if k < 1:
        raise ValueError(f'{k} devices: there must be at least one')
    if d2l.num_gpus() >= k:
        return [d2l.gpu(i) for i in range(k)]
    cpu = tf.config.list_physical_devices('CPU')[0]
    try:
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * k)
        tf.config.set_soft_device_placement(False)
    except RuntimeError:
        pass  # TensorFlow has started; there may be enough devices all the same
    cpus = len(tf.config.list_logical_devices('CPU'))
    if cpus < k:
        raise RuntimeError(f'TensorFlow has started with {cpus} CPU device(s): restart the kernel and call '
                           f'devices({k}) before any other operation')
    return [d2l.Device(f'/CPU:{i}') for i in range(k)]


def cpu():
    """Return the name of the first CPU device, a string that `tf.device` takes and `with` accepts as it is."""
    return Device('/CPU:0')


def num_gpus():
    """Return the number of visible GPUs: CUDA, ROCm or Apple Metal. Does not start TensorFlow's runtime."""
    return len(tf.config.get_visible_devices('GPU'))


class Device(str):
    """The name of a TensorFlow device; `with device:` does what `with tf.device(device):` does."""

    def __enter__(self):
        self.__dict__.setdefault('entered', []).append(tf.device(str(self)))
        self.entered[-1].__enter__()
        return self

    def __exit__(self, *exception):
        self.entered.pop().__exit__(*exception)


def gpu(i=0):
    """Return the name of GPU `i`, whether or not it exists.

    Raises ValueError if `i` is negative.
    """
    if i < 0:
        raise ValueError(f'GPUs are numbered from 0: there is no GPU {i}')
    return Device(f'/GPU:{i}')


def try_gpu(i=0):
    """Return `gpu(i)` if it exists, else `cpu()`.

    Raises ValueError if `i` is negative.
    """
    if i < 0:
        raise ValueError(f'GPUs are numbered from 0: there is no GPU {i}')
    return gpu(i) if i < num_gpus() else cpu()


def try_all_gpus():
    """Return the list of all GPUs, or `[cpu()]` if there are none."""
    return [gpu(i) for i in range(num_gpus())] or [cpu()]


@d2l.add_to_class(d2l.Trainer)
def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0):
    """Train for `max_epochs`, on a GPU if `num_gpus` is positive and there is one.

    `gpus` lists those in use, at most `num_gpus`. Gradients longer than `gradient_clip_val` are shortened to that
    norm; 0 leaves them.
    """
    self.save_hyperparameters()
    self.gpus = [d2l.gpu(i) for i in range(min(num_gpus, d2l.num_gpus()))]


@d2l.add_to_class(d2l.Trainer)
def prepare_batch(self, batch):
    """Return the tensors of `batch` on the trainer's first GPU, or as they are without one."""
    if self.gpus:
        with tf.device(self.gpus[0]):
            batch = tuple(tf.identity(a) for a in batch)
    return batch


@d2l.add_to_class(d2l.Trainer)
def prepare_model(self, model):
    """Make `model` the one to train. Its variables stay where they were built."""
    model.trainer = self
    model.board.xlim = [0, self.max_epochs]
    self.model = model


def split_batch(X, y, devices):
    """Split `X` and `y` along their first axis into one piece per device, and put each piece there.

    Returns two lists with `len(devices)` tensors. Pieces differ by one example at most; earlier devices get the
    larger ones. Raises ValueError if `X` and `y` differ in length, or if there are no devices or more
    devices than examples.
    """
    n, k = X.shape[0], len(devices)
    if n != y.shape[0]:
        raise ValueError(f'X has {n} examples, y has {y.shape[0]}: they must have equally many')
    if not 1 <= k <= n:
        raise ValueError(f'cannot split {n} examples over {k} devices: each device needs at least one')
    sizes = [n // k + (j < n % k) for j in range(k)]
    X_pieces, y_pieces = [], []
    for X_j, y_j, device in zip(tf.split(X, sizes), tf.split(y, sizes), devices):
        with tf.device(device):
            X_pieces.append(tf.identity(X_j))
            y_pieces.append(tf.identity(y_j))
    return X_pieces, y_pieces


class Residual(keras.Model):
    """A residual block: ReLU(x + g(x)), where g is two 3×3 convolutions with batch normalisation.

    Input (B, H, W, C), output (B, ⌈H/strides⌉, ⌈W/strides⌉, num_channels). With `use_1x1conv` the input goes
    through a 1×1 convolution before it is added, which other channels or a stride need (else a ValueError).
    """
    def __init__(self, num_channels, use_1x1conv=False, strides=1):
        super().__init__()
        if strides != 1 and not use_1x1conv:
            raise ValueError(f'a block with strides={strides} needs use_1x1conv=True')
        self.correction = keras.Sequential([
            keras.layers.Conv2D(num_channels, 3, strides, padding='same'),
            keras.layers.BatchNormalization(momentum=0.9), keras.layers.ReLU(),
            keras.layers.Conv2D(num_channels, 3, padding='same'),
            keras.layers.BatchNormalization(momentum=0.9)])
        self.shortcut = (keras.layers.Conv2D(num_channels, 1, strides)
                         if use_1x1conv else keras.layers.Identity())

    def call(self, X):
        return tf.nn.relu(self.shortcut(X) + self.correction(X))
