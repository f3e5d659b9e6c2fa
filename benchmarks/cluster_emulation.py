"""Workers of a cluster without one: replicas are trained in turn by this process and merged as on Ray.

    python benchmarks/cluster_emulation.py ENCODED HELDOUT --workers 1 2 4 8 16 --turn 4096 --output FILE.tsv

ENCODED is made by `adagram encode`, HELDOUT a text file, of which 300,000 words are scored. One worker is Algorithm 1
in sequence. Senses are those beyond the first of each word, as they are learned and after those that are one meaning
are merged, as at the end of a run.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import time
from pathlib import Path

from adagram.cluster.replica import Part, Replica
from adagram.cluster.train import ClusterChunks
from adagram.config import TrainConfig, read_options
from adagram.corpus.encoded import EncodedCorpus
from adagram.model import Model
from adagram.systems.adagram import AdaGram
from adagram.systems.base import take_tally
from adagram.training.merge_senses import groups_to_merge, near_pairs

COLUMNS = (
    "corpus",
    "epochs",
    "workers",
    "turn",
    "senses",
    "merged",
    "live senses a token",
    "held-out",
    "MB per M words",
)
N_HELD_OUT = 300_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoded", type=Path)
    parser.add_argument("heldout", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--turn", type=int, default=0, help="tokens of a worker; 0: as on Ray")
    parser.add_argument("--epochs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    corpus = EncodedCorpus.open(options.encoded)
    held_out = re.findall(r"[^\W\d_]+", options.heldout.read_text(encoding="utf-8").lower())[:N_HELD_OUT]
    given = {"epochs": options.epochs or None, "seed": options.seed, "merge_senses": False, "lanes": 1}
    config = read_options(given)[0].resolve(len(corpus.tokens))
    git = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    if not options.output.exists():
        options.output.write_text("\t".join((*COLUMNS, "training s", "merging s", "commit")) + "\n")
    for n in options.workers:
        turn = options.turn or ClusterChunks().turn_of(len(corpus.tokens), n)
        figures = measure(corpus, config, n, turn, held_out)
        line = "\t".join([options.encoded.name, str(config.epochs), str(n), str(turn), *figures, commit])
        with options.output.open("a", encoding="utf-8") as out:
            out.write(line + "\n")
        print(line, flush=True)


def nbytes(message: Part) -> int:
    return sum(array.nbytes for array in message)


def measure(corpus: EncodedCorpus, config: TrainConfig, n: int, turn: int, held_out: list[str]) -> tuple[str, ...]:
    replicas = [Replica(corpus, config, n) for _ in range(n)]
    total, sent, seconds = config.epochs * len(corpus.tokens), 0, [0.0, 0.0]
    for start in range(0, total, n * turn):
        began = time.thread_time()
        for number, replica in enumerate(replicas):
            replica.train(*(min(total, start + i * turn) for i in (number, number + 1)))
        trained = time.thread_time()
        if n > 1:
            changes = [replica.changes(1)[0] for replica in replicas]
            merged = replicas[0].merge(changes)
            sent += sum(map(nbytes, changes)) * (n - 1) // n + nbytes(merged) * (n - 1)  # as with n mergers
            for replica in replicas:
                replica.apply([merged])
        seconds[0] += trained - began
        seconds[1] += time.thread_time() - trained
    tallies = [take_tally(replica.scratch) for replica in replicas]
    live = sum(tally["live"] for tally in tallies) / sum(tally["tokens"] for tally in tallies)
    system = replicas[0].system
    assert isinstance(system, AdaGram)
    model = Model(system.model_arrays(), corpus.vocabulary, {"config": config.to_dict()})
    extra, likelihood = model.n_senses - len(corpus.vocabulary), model.log_likelihood(held_out)
    system.merge(list(groups_to_merge(model, near_pairs(model, corpus))))
    merged = len(system.model_arrays()["counts"]) - len(corpus.vocabulary)
    return (
        *(str(extra), str(merged), f"{live:.3f}", f"{likelihood:.4f}", f"{sent / total:.0f}"),
        *(f"{each:.0f}" for each in seconds),
    )


if __name__ == "__main__":
    main()
