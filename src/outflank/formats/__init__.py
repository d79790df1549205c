"""Games and positions as text, in and out.

`transcripts` reads and writes moves such as `f5d6c3`, `obf` reads files of scored positions, `ggf` reads and writes
whole games with players and result, and `recognise` reads any of them without being told which.
"""

from outflank.formats.ggf import GgfGame, ggf, ggf_value, read_ggf
from outflank.formats.obf import Problem, read_obf
from outflank.formats.recognise import Recognised, recognise
from outflank.formats.transcripts import play_moves, replay, transcript

__all__ = [
    "GgfGame",
    "Problem",
    "Recognised",
    "ggf",
    "ggf_value",
    "play_moves",
    "read_ggf",
    "read_obf",
    "recognise",
    "replay",
    "transcript",
]
