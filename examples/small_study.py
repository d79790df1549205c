"""A study: a question, pairings that answer it, and claims that the games confirm, refute or leave open.

As a TOML file the same is played by `outflank study FILE.toml`; docs/writing-a-study.md explains the keys."""

from outflank.arena.store import Store
from outflank.execute import Here
from outflank.studies.compare import judge
from outflank.studies.run import play, results_of, views_of
from outflank.studies.toml import study_from

STUDY = {
    "title": "Is greed good on 6x6?",
    "pairings": [
        {"name": "greed", "a": "greedy", "b": "random", "games": 100, "size": 6},
        {"name": "foresight", "a": "minimax(depth=2)", "b": "greedy", "games": 100, "size": 6},
    ],
    "claims": [
        {"text": "Greed beats chance", "above": ["greed"]},
        {"text": "Foresight beats greed", "above": ["foresight"]},
    ],
}

if __name__ == "__main__":
    study = study_from(STUDY, "greed")
    with Store(":memory:") as store:
        play([study], 1.0, store, Here())
        results = results_of(study, 1.0, views_of(store), {})
    for judgement in judge(study, results):
        print(f"{judgement.claim.text}: {judgement.outcome} ({judgement.evidence})")
