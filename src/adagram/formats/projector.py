"""Files for the Embedding Projector, on its web page or in TensorBoard."""

from __future__ import annotations

from pathlib import Path

from adagram.files.atomic import new_folder
from adagram.files.folders import PROJECTOR
from adagram.formats.names import safe_names
from adagram.model import Model

VECTORS, METADATA, CONFIG = "vectors.tsv", "metadata.tsv", "projector_config.pbtxt"
_CONFIG = (
    f'embeddings {{\n  tensor_name: "senses"\n  tensor_path: "{VECTORS}"\n  metadata_path: "{METADATA}"\n}}\n'
)


def write_projector(model: Model, path: Path, overwrite: bool = False) -> None:
    """A folder with the vectors, their names, priors and counts, and the configuration that TensorBoard reads."""
    names = safe_names(model, "projector", "\t")
    row_format = "\t".join(["%.9g"] * model.config.dim) + "\n"
    with new_folder(path, PROJECTOR, overwrite) as folder:
        with open(folder / VECTORS, "w", encoding="ascii", newline="\n") as file:
            file.writelines(row_format % tuple(row.tolist()) for row in model.vectors)
        with open(folder / METADATA, "w", encoding="utf-8", newline="\n") as file:
            file.write("sense\tword\tprior\tcount\n")
            for name, prior, count in zip(names, model.priors.tolist(), model.counts.tolist(), strict=True):
                file.write(f"{name}\t{name.rpartition('#')[0]}\t{prior:.6g}\t{count:.6g}\n")
        (folder / CONFIG).write_text(_CONFIG, encoding="ascii")
