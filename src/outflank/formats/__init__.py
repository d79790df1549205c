"""Games and positions as text, in and out: a reader and a writer for each form.

`transcripts` has moves such as `f5d6c3`, `obf_files` scored positions, `ggf_records` and `sgf_records` whole games with
players and result, `wthor_files` databases of them; `recognise` reads any of them without being told which, and
`collections` writes many games into a file.
"""

from outflank.formats.ggf_records import ggf_value, read_ggf, write_ggf
from outflank.formats.obf_files import Problem, content_lines, obf_problems, read_obf, write_obf
from outflank.formats.recognise import read, read_all
from outflank.formats.sgf_records import read_sgf, write_sgf
from outflank.formats.transcripts import read_transcript, write_transcript
from outflank.formats.wthor_files import Names, Wthor, read_wthor, write_wthor

__all__ = [
    "Names",
    "Problem",
    "Wthor",
    "content_lines",
    "ggf_value",
    "obf_problems",
    "read",
    "read_all",
    "read_ggf",
    "read_obf",
    "read_sgf",
    "read_transcript",
    "read_wthor",
    "write_ggf",
    "write_obf",
    "write_sgf",
    "write_transcript",
    "write_wthor",
]
