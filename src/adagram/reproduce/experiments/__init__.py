"""The experiments by name, in the order of the paper."""

from adagram.reproduce.experiments.base import Experiment
from adagram.reproduce.experiments.fuzzy import FUZZY
from adagram.reproduce.experiments.likelihood import LIKELIHOOD
from adagram.reproduce.experiments.neighbours import NN, RESOLUTION
from adagram.reproduce.experiments.scws import SCWS
from adagram.reproduce.experiments.search import SEARCH
from adagram.reproduce.experiments.senses import SENSES
from adagram.reproduce.experiments.wsi import WSI

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each for each in (NN, RESOLUTION, SENSES, LIKELIHOOD, WSI, FUZZY, SEARCH, SCWS)
}
