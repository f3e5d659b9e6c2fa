"""The values printed in the paper (Bartunov et al.), for the columns beside ours."""

from __future__ import annotations

TOKENS, DIM, WINDOW, MIN_COUNT = 990_000_000, 300, 5, 20
ALPHA = 0.15  # of the comparisons

Senses = list[tuple[float, str]]  # p(z), nearest neighbours

# Table "NN", α = 0.1
NEIGHBOURS: dict[str, Senses] = {
    "python": [
        (0.33, "monty, spamalot, cantsin"),
        (0.42, "perl, php, java, c++"),
        (0.25, "molurus, pythons"),
    ],
    "apple": [(0.34, "almond, cherry, plum"), (0.66, "macintosh, iifx, iigs")],
    "date": [
        (0.10, "unknown, birth, birthdate"),
        (0.28, "dating, dates, dated"),
        (0.31, "to-date, stateside"),
        (0.31, "deadline, expiry, dates"),
    ],
    "bow": [
        (0.46, "stern, amidships, bowsprit"),
        (0.38, "spear, bows, wow, sword"),
        (0.16, "teign, coxs, evenlode"),
    ],
    "mass": [
        (0.22, "vespers, masses, liturgy"),
        (0.42, "energy, density, particle"),
        (0.36, "wholesale, widespread"),
    ],
    "run": [
        (0.02, "earned, saves, era"),
        (0.35, "managed, serviced"),
        (0.26, "2-run, ninth-inning"),
        (0.37, "drive, go, running, walk"),
    ],
    "net": [
        (0.34, "pre-tax, pretax, billion"),
        (0.28, "negligible, total, gain"),
        (0.16, "fox, est/edt, sports"),
        (0.23, "puck, ball, lobbed"),
    ],
    "fox": [
        (0.38, "cbs, abc, nbc, espn"),
        (0.14, "raccoon, wolf, deer, foxes"),
        (0.33, "abc, tv, wonderfalls"),
        (0.14, "gardner, wright, taylor"),
    ],
    "rock": [
        (0.23, "band, post-hardcore"),
        (0.10, "little, big, arkansas"),
        (0.29, "pop, funk, r&b, metal, jazz"),
        (0.14, "limestone, bedrock"),
        (0.23, "'n', roll, `n', 'n"),
    ],
}

# Table "resolution": word -> model -> senses
RESOLUTION: dict[str, dict[str, Senses]] = {
    "light": {
        "skipgram": [(1.00, "far-red, emitting")],
        "adagram-0.05": [(1.00, "far-red, illumination")],
        "adagram-0.075": [(0.28, "armoured, amx-13, kilcrease"), (0.72, "bright, sunlight, luminous")],
        "adagram-0.1": [
            (0.09, "tvärbanan, hudson-bergen"),
            (0.17, "dark, bright, green"),
            (0.09, "4th, dragoons, 2nd"),
            (0.26, "radiation, ultraviolet"),
            (0.28, "darkness, shining, shadows"),
            (0.11, "self-propelled, armored"),
        ],
    },
    "core": {
        "skipgram": [(1.00, "cores, component, i7")],
        "adagram-0.05": [(0.40, "corium, cores, sub-critical"), (0.60, "basic, i7, standards-based")],
        "adagram-0.075": [
            (0.30, "competencies, curriculum"),
            (0.34, "cpu, cores, i7, powerxcell"),
            (0.36, "nucleus, backbone"),
        ],
        "adagram-0.1": [
            (0.21, "reactor, hydrogen-rich"),
            (0.13, "intel, processors"),
            (0.27, "curricular, competencies"),
            (0.15, "downtown, cores, center"),
            (0.24, "nucleus, rag-tag, roster"),
        ],
    },
}

# Table "likelihood": log-likelihood, ARI on WWSI train
LIKELIHOOD: dict[str, tuple[float, float | None]] = {
    "skipgram": (-7.403, None),
    "skipgram-2d": (-7.387, None),
    "adagram-0.05": (-7.399, 0.007),
    "adagram-0.1": (-7.385, 0.226),
    "adagram-0.15": (-7.382, 0.268),
    "adagram-0.2": (-7.378, 0.254),
    "adagram-0.25": (-7.375, 0.250),
    "adagram-0.5": (-7.387, 0.230),
}

# Tables of ARI, V-measure and F-score. np-mssg is the paper's NP-MSSG.50D.30K, with as many multi-sense words as ours.
WSI: dict[str, dict[str, dict[str, float]]] = {
    "ARI": {
        "mssg": {"SemEval-2007": 0.048, "SemEval-2010": 0.085, "SemEval-2013": 0.033, "WWSI": 0.194},
        "np-mssg": {"SemEval-2007": 0.031, "SemEval-2010": 0.058, "SemEval-2013": 0.023, "WWSI": 0.163},
        "mpsg": {"SemEval-2007": 0.044, "SemEval-2010": 0.077, "SemEval-2013": 0.014, "WWSI": 0.160},
        "adagram-0.15": {"SemEval-2007": 0.069, "SemEval-2010": 0.097, "SemEval-2013": 0.061, "WWSI": 0.286},
    },
    "V-measure": {
        "mssg": {"SemEval-2007": 0.067, "SemEval-2010": 0.144, "SemEval-2013": 0.033, "WWSI": 0.215},
        "np-mssg": {"SemEval-2007": 0.057, "SemEval-2010": 0.119, "SemEval-2013": 0.023, "WWSI": 0.188},
        "adagram-0.15": {"SemEval-2007": 0.114, "SemEval-2010": 0.200, "SemEval-2013": 0.192, "WWSI": 0.326},
    },
    "paired-F": {
        "mssg": {"SemEval-2007": 0.528, "SemEval-2010": 0.492, "SemEval-2013": 0.437, "WWSI": 0.632},
        "np-mssg": {"SemEval-2007": 0.496, "SemEval-2010": 0.488, "SemEval-2013": 0.392, "WWSI": 0.621},
        "adagram-0.15": {"SemEval-2007": 0.448, "SemEval-2010": 0.439, "SemEval-2013": 0.342, "WWSI": 0.588},
    },
}

# Table of SemEval-2013 task 13: fuzzy NMI, fuzzy B-cubed
FUZZY: dict[str, tuple[float, float]] = {
    "mssg": (0.070, 0.287),
    "np-mssg": (0.064, 0.273),
    "adagram-0.15": (0.089, 0.132),
}

# Table of SCWS: AvgSimC, MaxSimC (× 100); skipgram-ns is the paper's 900-dimensional one
SCWS: dict[str, tuple[float, float]] = {
    "mssg": (69.3, 57.26),
    "np-mssg": (66.1, 50.27),
    "mpsg": (65.4, 63.6),
    "skipgram": (65.2, 65.2),
    "skipgram-ns": (68.4, 68.4),
    "adagram-0.15": (61.2, 53.8),
}
