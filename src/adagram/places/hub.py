"""Models on the Hugging Face Hub: `hf:owner/name`, or `hf:owner/name@revision`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adagram.errors import AdagramError, InputError, need
from adagram.model import Model
from adagram.whole import MODEL, SUMS

PREFIX = "hf:"
EXTRA = "hub"
FILES = [*MODEL.files, SUMS]  # nothing else is fetched or sent
_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")


def fetch(name: str) -> Path:
    """The folder of a model from the Hub, in huggingface_hub's cache; files that are there are not fetched again."""
    hub = need("huggingface_hub", EXTRA, name)
    repository, revision = _parse(name.removeprefix(PREFIX))
    with _sentences(repository):
        return Path(hub.snapshot_download(repository, revision=revision, allow_patterns=FILES))


def push(folder: Path, name: str, private: bool = False) -> str:
    """Send a model folder to the Hub, where a repository is made if there is none; the address of the commit."""
    Model.load(folder)  # or it is refused
    hub = need("huggingface_hub", EXTRA, "push")
    repository, revision = _parse(name.removeprefix(PREFIX))
    with _sentences(repository):
        api = hub.HfApi(library_name="adagram")
        api.create_repo(repository, private=private, exist_ok=True)
        sent = api.upload_folder(
            repo_id=repository,
            folder_path=folder,
            allow_patterns=FILES,
            revision=revision,
            commit_message="Upload an adagram model",
        )
    return str(sent.commit_url)


def _parse(name: str) -> tuple[str, str | None]:
    found = _NAME.fullmatch(name)
    if not found:
        raise InputError(
            f"{name!r} is no name of a model on the Hub; it must be OWNER/NAME or OWNER/NAME@REVISION"
        )
    return found[1], found[2]


@contextmanager
def _sentences(repository: str) -> Iterator[None]:
    """What the Hub or the way to it objects to, in a sentence."""
    errors = need("huggingface_hub.errors", EXTRA, repository)
    log_in = "log in with `hf auth login`, or set HF_TOKEN"
    try:
        yield
    except errors.RepositoryNotFoundError:
        raise InputError(
            f"the Hub has no model {repository}, or it is private; check the name, or {log_in}"
        ) from None
    except errors.RevisionNotFoundError:
        raise InputError(f"{repository} has no such revision; leave out what stands after @") from None
    except errors.HFValidationError as error:
        raise InputError(str(error)) from None
    except errors.LocalEntryNotFoundError:  # before version 1 an HfHubHTTPError too
        raise AdagramError(
            f"the Hub cannot be reached, and {repository} is not in the cache; try again later"
        ) from None
    except errors.HfHubHTTPError as error:
        status = getattr(error.response, "status_code", None)
        advice = log_in if status in (401, 403) else "try again later"
        raise AdagramError(f"the Hub answered {status} for {repository}; {advice}") from None
    except Exception as error:
        # Whatever the network library of huggingface_hub raises; its module differs between versions.
        if type(error).__module__.partition(".")[0] not in ("httpx", "httpx2", "httpcore", "requests"):
            raise
        raise AdagramError(f"the Hub cannot be reached for {repository}: {error}") from None
