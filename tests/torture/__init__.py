"""Kills, damaged files, attacks and full disks: what must never lose, break or hang anything.

    python -m torture --seconds 120 --seed 1              # in the folder tests; see --help
    python -m torture --kills 1000 --inputs 200000

All of it happens in a new temporary folder, on processes that it starts itself.
"""
