"""Games and positions as text, in and out: a reader and a writer for each form.

`transcripts` has moves such as `f5d6c3`, `obf_files` scored positions, `ggf_records` whole games with players and
result; `recognise` reads any of them without being told which.
"""

from outflank.formats.ggf_records import ggf_value, read_ggf, write_ggf
from outflank.formats.obf_files import Problem, content_lines, obf_problems, read_obf, write_obf
from outflank.formats.recognise import read, read_all
from outflank.formats.transcripts import read_transcript, write_transcript

__all__ = [
    "Problem",
    "content_lines",
    "ggf_value",
    "obf_problems",
    "read",
    "read_all",
    "read_ggf",
    "read_obf",
    "read_transcript",
    "write_ggf",
    "write_obf",
    "write_transcript",
]
