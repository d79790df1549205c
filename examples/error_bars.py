"""How much better is one agent than another? A match says it with 95 % intervals.

Every opening is played with both colours, so that a lopsided one favours nobody.
"""

import outflank

if __name__ == "__main__":
    result = outflank.match("minimax(depth=3)", "minimax(depth=2)", games=60)
    print(result)
    print(f"\nDepth 3 above depth 2, in Elo, with its 95 % interval: {result.elo:+.0f}")
    if result.elo.low is not None and result.elo.low > 0:
        print("So it is better.")
