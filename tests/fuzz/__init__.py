"""The fuzzing room: millions of damaged texts for every reader, `python -m fuzz` or `make fuzz`.

`mutate` makes texts out of good ones, `targets` says who reads them and what must hold, `run` feeds them with a watch
on time and memory, `coverage` lets atheris choose them where it is installed. `corpus/TARGET` keeps texts worth
beginning from: good ones, and those that once broke something. `messages` does the same to the page's server, over its
sockets: `python -m fuzz.messages` or `make fuzz-page`.
"""
