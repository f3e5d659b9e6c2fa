"""`adagram models`, `info`, `senses`, `neighbours`, `words`, `diff`: find and inspect models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from typer import Argument, Option

from adagram.api import load
from adagram.cli import options as opt
from adagram.cli.output import log, print_table, rounded
from adagram.config import settings_used
from adagram.files.folders import MODEL, kind_of
from adagram.files.json import read_json
from adagram.model.neighbours import marginal_senses, rank_words, usual_min_count
from adagram.model.sheet import entry_of

if TYPE_CHECKING:
    from adagram.model import Model, Sense

TopOption = Annotated[int, Option(min=0, help="Number of nearest senses to show.")]
MinCountOption = Annotated[
    float | None,
    Option(
        "--min-count",
        min=0,
        help="Only neighbours with at least this count (default: 20, or 1 if few senses have that).",
    ),
]


def models(json: opt.JsonOption = False) -> None:
    """List the models that can be named here: those of the package and of this folder.

    Example: adagram models

    Every verb also takes the path of a model folder, a zip or tar file of one, and hf:OWNER/NAME, a model on the
    Hugging Face Hub, which is downloaded once. A model folder here comes before a model of the package with its name.
    """
    from adagram.files.hub import packaged_models

    found = {name: ("package", folder) for name, folder in packaged_models().items()}
    found |= {folder.name: ("this folder", folder) for folder in sorted(Path().iterdir()) if kind_of(folder) is MODEL}
    rows = []
    for name, (place, folder) in found.items():
        about = read_json(folder / MODEL.mark, {"config": dict}, MODEL.article)
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        text = (about.get("source") or {}).get("text", "")
        rows.append((name, place, about["config"]["dim"], round(size / 1e6, 1), text))
    print_table("model place dim megabytes text", rows, json)
    log("Also: a model folder or archive by its path, or hf:OWNER/NAME from the Hugging Face Hub.")


def info(model: opt.ModelPath, raw: opt.RawOption = False, json: opt.JsonOption = False) -> None:
    """Print the size of a model, how it was trained and how many senses it found.

    Example: adagram info model/
    """
    loaded = load(model, raw)
    sizes = np.diff(loaded.offsets)
    corpus, training = loaded.info.get("corpus", {}), loaded.info.get("training", {})
    config = settings_used(loaded.config)
    if "senses" in config:
        config["fixed_senses"] = config.pop("senses")  # K of mpsg and mssg; `senses` is how many were found
    facts = {
        "words": len(sizes),
        "senses": loaded.n_senses,
        "senses_per_word": round(float(sizes.mean()), 4),
        "words_with_several_senses": int((sizes > 1).sum()),
        "most_senses": int(sizes.max()),
        "dtype": loaded.info.get("dtype", "float32"),
        "decisions": len(loaded.decisions),
        "sense_sheet": loaded.sheet.path.name if loaded.sheet else None,
        "corpus_words": corpus.get("tokens"),
        "corpus_fingerprint": corpus.get("fingerprint"),
        **{f"training_{key}": value for key, value in training.items()},
        **config,
    }
    print_table("property value", list(facts.items()), json, rounded)


def senses(
    model: opt.ModelPath,
    word: Annotated[str, Argument(help="A word of the vocabulary, or a sense such as apple#1.")],
    top: TopOption = 10,
    min_count: MinCountOption = None,
    all_: Annotated[bool, Option("--all", help="Include rare senses and senses made of leftovers.")] = False,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    raw: opt.RawOption = False,
    wide: opt.WideOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Print the senses of a word by falling prior, with expected count, nearest senses of other words and labels.

    Example: adagram senses model/ apple --top 5

    After `adagram describe` each sense has its strongest collocates and an example too.
    Senses with less than 2 % of the uses, or fewer than 10, are left out unless --all is given, and so are senses made
    of leftovers, whose neighbours are side senses of other words.
    """
    loaded = load(model, raw).at(resolution)
    found: list[Sense] = loaded.senses(word, top, usual_min_count(loaded) if min_count is None else min_count)
    found.sort(key=lambda sense: -sense.prior)
    if len(found) > 1 and not all_:
        marginal = zip(loaded.names(loaded.rows(word)), marginal_senses(loaded, word).tolist(), strict=True)
        left_out = {name for name, is_out in marginal if is_out}
        found = [sense for sense in found if sense.name not in left_out]
        if left_out:
            log(f"{len(left_out)} more with few uses or made of leftovers; --all shows them")
    rows: list[tuple[object, ...]] = [
        (s.name, s.prior, s.count, [{"sense": n.name, "similarity": n.similarity} for n in s.neighbours]) for s in found
    ]
    columns = ["sense", "prior", "count", "neighbours"]
    if any(s.label for s in found):
        columns.append("label")
        rows = [(*row, s.label) for row, s in zip(rows, found, strict=True)]
    if loaded.sheet:
        columns += ["collocates", "example"]
        rows = [(*row, *entry_of(loaded, loaded.row(s.name)).brief()) for row, s in zip(rows, found, strict=True)]
    print_table(columns, rows, json, wide=wide, first="sense prior label neighbours count example")


def neighbours(
    model: opt.ModelPath,
    sense: opt.SenseName,
    top: TopOption = 10,
    min_count: MinCountOption = None,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    raw: opt.RawOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Print the senses of other words with the highest cosine to a sense.

    Example: adagram neighbours model/ 'apple#1'
    """
    loaded = load(model, raw).at(resolution)
    found = loaded.neighbours(sense, top, usual_min_count(loaded) if min_count is None else min_count)
    print_table("sense similarity", [(n.name, n.similarity) for n in found], json)


def words(
    model: opt.ModelPath,
    ambiguous: Annotated[
        bool, Option("--ambiguous", help="List the most clearly ambiguous words, the best first.")
    ] = False,
    top: Annotated[int, Option(min=1, help="Number of words to show.")] = 50,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    raw: opt.RawOption = False,
    wide: opt.WideOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Print the words of a model, the most frequent first, or those that are most clearly ambiguous.

    Example: adagram words model/ --ambiguous --top 20

    With --ambiguous, words are ranked by √(2 · prior of the second sense) · distance² · coherence · agreement · log of
    the count. The distance is 1 - cosine between the nearest words of the two senses that are most alike, the coherence
    the mean cosine between the nearest words of the least coherent sense; frequent words whose senses point everywhere
    are left out. The agreement tells how much more often than by chance two nearby occurrences have the same sense;
    training with --merge-senses measures it, and other models rank without it.
    """
    loaded = load(model, raw).at(resolution)
    if ambiguous:
        ranked = rank_words(loaded, top)
        columns = "word score second_prior distance coherence agreement senses"
        rows = [
            (r.word, r.score, r.share, r.distance, r.coherence, r.agreement, _gists(loaded, r.word, json))
            for r in ranked
        ]
        print_table(columns, rows, json, wide=wide, first="word senses score")
        return
    vocabulary = loaded.vocabulary
    # Words that a continued run added have the last ids, however frequent they are.
    best = np.argsort(-np.asarray(vocabulary.counts), kind="stable")[:top].tolist()
    sizes = np.diff(loaded.offsets)
    found = [(vocabulary.words[w], int(vocabulary.counts[w]), int(sizes[w])) for w in best]
    print_table("word count senses", found, json, wide=wide)


_SHOWN = 5  # neighbours in a table
_IN_GIST = 3  # neighbours that say what a sense is about


def _gists(model: Model, word: str, as_json: bool) -> str | list[str]:
    """Say what each sense of a word is about: its label, else its nearest words."""
    found = model.senses(word, _IN_GIST, usual_min_count(model))
    shown = [sense for sense, is_out in zip(found, marginal_senses(model, word), strict=True) if not is_out]
    gists = [sense.label or ", ".join(near.name.rpartition("#")[0] for near in sense.neighbours) for sense in shown]
    return gists if as_json else " | ".join(gists)


def diff(
    old: Annotated[Path, Argument(help="The earlier model.")],
    new: Annotated[Path, Argument(help="The model that continues it.")],
    what: Annotated[
        str, Option(help="Kinds of changes, separated by commas: came, born, faded, moved.")
    ] = "came,born,faded,moved",
    top: Annotated[int, Option(min=1, help="Number of changes of each kind.")] = 20,
    min_count: Annotated[float, Option(min=0, help="Leave out senses with fewer uses.")] = 20.0,
    wide: opt.WideOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Compare a model with one that continues it: new words, senses that were born, faded or moved.

    Example: adagram diff model/ model2/ --what born,moved --top 10

    NEW must have been made by `adagram train --continue` from OLD. The largest changes come first; the size is the
    word's count (came), the sense's share of its word (born), how much of that it lost (faded), or 1 - cosine (moved).
    """
    from adagram.model.diff import difference

    kinds = [kind.strip() for kind in what.split(",")]
    changes = difference(load(old, raw=True), load(new, raw=True), kinds, top, min_count)

    def shown(neighbours: list[Any]) -> Any:
        if json:
            return [{"sense": n.name, "similarity": n.similarity} for n in neighbours]
        return [n.name for n in neighbours[:_SHOWN]]

    rows = [(c.what, c.name, c.size, shown(c.before), shown(c.after)) for c in changes]
    print_table("change name size before after", rows, json, wide=wide)
