"""Learning from arrays: a linear policy plays black in hundreds of games at once and follows what wins (REINFORCE)."""

import numpy as np

from outflank.batch import Games

if __name__ == "__main__":
    rng, games = np.random.default_rng(1), Games(250, "standard 6x6", auto_reset=False)
    weights = np.zeros((72, 37), np.float32)  # from planes to actions
    for episode in range(31):
        games.reset(seed=episode)
        steps, result = [], np.zeros(len(games), np.float32)
        while not games.done.all():
            mine = ~games.done & (games.turn == 0)
            seen = games.planes.reshape(len(games), -1).astype(np.float32)
            odds = np.exp(seen @ weights) * games.legal
            drawn = (rng.exponential(size=odds.shape) / np.maximum(odds, 1e-30)).argmin(axis=1)
            slope = np.eye(37, dtype=np.float32)[drawn] - odds / np.maximum(odds.sum(axis=1, keepdims=True), 1e-30)
            steps.append((seen, slope * mine[:, None]))
            games.step(np.where(mine, drawn, games.random_actions()))
            result += np.where(mine, games.rewards, -games.rewards)
        surprise = (result - result.mean())[:, None] / len(games)
        weights += sum(seen.T @ (slope * surprise) for seen, slope in steps)
        if episode % 15 == 0:
            print(f"after {episode} x {len(games)} games: {100 * (result > 0).mean():.0f} % won against random moves")
