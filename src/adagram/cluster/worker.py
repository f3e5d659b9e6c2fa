"""What runs in the processes of the cluster: training a share of the words, giving and taking output rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from adagram.cluster.merge import Changed, Rows
from adagram.cluster.share import Share
from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.rest import REST
from adagram.model.shards import write_shard
from adagram.model.storage import ARRAYS, read_arrays, write_arrays
from adagram.training.continue_model import Start
from adagram.types import I64, Arrays


class RoundReport(NamedTuple):
    """What a worker did in a round."""

    tally: dict[str, float]
    node: str  # where it runs
    sent: int  # bytes to other workers
    memory: int  # bytes of private memory at its highest


class TrainingWorker:
    """An actor. Its calls come in the order in which the driver makes them."""

    def open(
        self,
        folder: str,
        fingerprint: str,
        config: dict[str, Any],
        number: int,
        n_workers: int,
        model: str | None = None,  # to go on from
    ) -> None:
        corpus = open_same(Path(folder), fingerprint)
        options = TrainConfig.from_dict(config)
        past = Start(Model.load(model, raw=True)).past(corpus, options.memory) if model else None
        self._share = Share(corpus, options, number, n_workers, past)
        self._sent = 0

    def is_up(self) -> bool:
        return True

    def train(self, start: int, stop: int, only_hot: bool) -> Any:
        """Train on places start:stop of the run and give what changed, to each merger its rows."""
        self.train_alone(start, stop)
        changed = self._share.changed(only_hot)
        self._sent += sum(
            given.nbytes for number, given in enumerate(changed) if number != self._share.number
        )
        return changed

    def train_alone(self, start: int, stop: int) -> None:
        """Train; a single worker has nobody to share with."""
        self._share.train(start, stop)

    def merge(self, *given: Changed) -> Rows:
        """A merger's task: the rows that all workers gave it, merged."""
        merger = self._share.merger
        if merger is None:
            raise AssertionError(f"worker {self._share.number} merges no rows")
        merged = merger.merge(given)
        self._sent += merged.nbytes * (self._share.n_workers - 1)
        return merged

    def take(self, *merged: Rows) -> None:
        """Take what was merged: after this all workers have the same values of these rows."""
        self._share.take(merged)

    def end_round(self) -> RoundReport:
        import ray

        node = ray.get_runtime_context().get_node_id()
        report = RoundReport(self._share.take_tally(), node, self._sent, peak_memory())
        self._sent = 0
        return report

    # -- files, in folders that all nodes see

    def write_state(self, folder: str) -> None:
        write_arrays(Path(folder) / state_file(self._share.number), self._share.state())

    def restore(self, folder: str) -> None:
        files = [Path(folder) / state_file(number) for number in range(self._share.n_workers)]
        self._share.restore([read_arrays(file) for file in files])

    def write_arrays(self, folder: str) -> None:
        arrays, n = self._share.model_arrays(), self._share.n_workers
        checksum = self._share.corpus.vocabulary.checksum
        if n == 1:  # all words in order: an ordinary model
            write_arrays(Path(folder) / ARRAYS, {k: v for k, v in arrays.items() if k != "words"}, checksum)
            if rest := self._share.system.rest_arrays():
                write_arrays(Path(folder) / REST, rest, checksum)
        else:
            write_shard(Path(folder), self._share.number + 1, n, arrays, checksum)

    def rest_arrays(self) -> tuple[Arrays, I64]:
        """What its words need to go on, and which they are."""
        return self._share.system.rest_arrays(), self._share.system.owned


def open_same(folder: Path, fingerprint: str) -> EncodedCorpus:
    """The encoded corpus as this node sees it; it must be the driver's."""
    if not folder.is_dir():
        raise InputError(f"a worker does not see {folder}; put it on a file system that all nodes share")
    corpus = EncodedCorpus.open(folder)
    if corpus.fingerprint != fingerprint:
        raise InputError(
            f"a worker sees another corpus or vocabulary in {folder}; give all nodes the same one"
        )
    return corpus


def state_file(number: int) -> str:
    return f"worker-{number:05}.safetensors"


def peak_memory() -> int:
    """Highest private memory of this process so far, as Linux tells it: without mapped files."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        resident = {name: int(fields[name].split()[0]) for name in ("VmHWM", "RssFile", "RssShmem")}
    except (OSError, KeyError, ValueError):
        return 0
    return 1024 * max(0, resident["VmHWM"] - resident["RssFile"] - resident["RssShmem"])
