from __future__ import annotations

from behaviour import Behaviour


class TestAdaGram(Behaviour):
    algorithm = "adagram"
