"""Where was a game lost? A review judges every move, from the end to the start, in discs."""

from outflank import read, review

GAME = """f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1
          f7e2g3h4f1e1f2g1b1f8g8b3h3b2h5b7a3a4a1a2c1h7h1h2g2g7b8a8h8h6"""
"""Well played until close to the end. Any text will do: a transcript, a board line, GGF."""

if __name__ == "__main__":
    game = read(GAME)
    for verdict in review(game):
        if verdict.mark and verdict.played is not None and verdict.best is not None:
            sure = "exactly" if verdict.exact else "about"
            print(
                f"move {verdict.ply + 1}, {verdict.played}: {verdict.mark}, gives away {sure} {verdict.loss:g} "
                f"discs; better was {' '.join(map(str, verdict.best_pv[:6]))}"
            )
