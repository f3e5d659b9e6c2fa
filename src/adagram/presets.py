"""Values of options that are not given."""

from __future__ import annotations

from typing import Any

# Values that leave an option to the length of the text.
BY_LENGTH: dict[str, Any] = {"alpha": 0, "epochs": 0, "subsample": -1, "lanes": 0}
# What `train` takes where no preset is named: found on WWSI train and the first half of SemEval-2010 (docs/senses.md).
RECOMMENDED: dict[str, Any] = {
    "dim": 100,
    "window": 10,
    "epochs": 0,
    "subsample": -1,
    "min_count": 0,
    "lanes": 0,
}
RECOMMENDED |= {"respect_boundaries": True}
_ADAGRAM: dict[str, Any] = RECOMMENDED | BY_LENGTH | {"merge_senses": True}
EPOCHS = (
    (5_000_000, 10),
    (200_000_000, 4),
    (1_000_000_000, 2),
)  # for texts of up to so many words; one for longer ones
LANES = 8  # of long texts
MIN_COUNTS = ((10_000_000, 5),)  # 20 for longer ones

PRESETS: dict[str, dict[str, Any]] = {
    "paper": {
        "algorithm": "adagram",
        "dim": 300,
        "window": 5,
        "alpha": 0.1,
        "max_senses": 30,
        "epochs": 1,
        "lr": 0.025,
        "subsample": 0.0,
        "shrink_windows": False,
        "respect_boundaries": False,
        "shuffle": False,
        "initial_count": 0.0,
        "memory": 0,
        "merge_senses": False,
        "senses": 3,
        "multi_sense_words": 30_000,
        "new_sense_below": -0.5,
        "negatives": 5,
        "step": "token",
        "lanes": 1,
        "adagrad": 0.025,
        "phrases": 0,
        "min_count": 20,
        "max_words": None,
        "remove_top": 0,
    }
}

# What the authors of an algorithm chose where it is not what AdaGram's did: taken for options that are not given.
_NEELAKANTAN: dict[str, Any] = {"lr": 0.1, "subsample": 1e-3, "negatives": 1, "stop_words": "english"}
_NEELAKANTAN |= {"shrink_windows": True, "respect_boundaries": True, "lanes": 0}
AUTHORS = {"mssg": _NEELAKANTAN, "np-mssg": _NEELAKANTAN}
DEFAULTS = {"adagram": _ADAGRAM, **AUTHORS}  # of other algorithms: RECOMMENDED


def alpha_for(n_tokens: int) -> float:
    """Contexts that fit no sense are met the more often the longer the text is.

    >>> alpha_for(2_000_000), alpha_for(80_000_000)
    (0.1, 0.05)
    """
    return 0.1 if n_tokens <= 50_000_000 else 0.05


def epochs_for(n_tokens: int) -> int:
    """
    >>> epochs_for(2_000_000), epochs_for(80_000_000), epochs_for(10**10)
    (10, 4, 1)
    """
    return next((epochs for most, epochs in EPOCHS if n_tokens <= most), 1)


def subsample_for(n_tokens: int) -> float:
    """Words that occur a hundred times or less are never dropped, so that something is left of a short text.

    >>> subsample_for(80_000_000), subsample_for(10_000)
    (0.0001, 0.01)
    """
    return max(1e-4, min(1.0, 100 / max(n_tokens, 1)))


def lanes_for(n_tokens: int) -> int:
    """At least 64 turns of LANES lanes in a pass: a lane does not see what the others learn in the same turn.

    >>> lanes_for(10_000), lanes_for(300_000), lanes_for(80_000_000)
    (1, 8, 8)
    """
    return max(1, min(LANES, n_tokens // (64 * 512)))


def min_count_for(n_tokens: int) -> int:
    """
    >>> min_count_for(2_000_000), min_count_for(80_000_000)
    (5, 20)
    """
    return next((least for most, least in MIN_COUNTS if n_tokens <= most), 20)
