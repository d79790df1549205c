/**
 * The six lessons: what they say, what is to be done, a question with its answer, and the set-up they begin with.
 *
 * @typedef {{rules?: string, start?: string | null, moves?: string, a?: string, b?: string, seed?: number}} Setup
 * @typedef {object} Lesson
 * @property {string} id in links: #lesson=id
 * @property {string} title
 * @property {string} idea one sentence for the list
 * @property {string} source
 * @property {string[]} text
 * @property {{text: string, setup?: Setup, step?: number}[]} tasks
 * @property {string} question
 * @property {string} answer
 * @property {Setup} setup
 */

/** @type {Lesson[]} */
export const LESSONS = [
  {
    id: "minimax",
    title: "Looking ahead: minimax",
    idea: "A program tries all moves, all replies, all answers to them, and expects the opponent to do the same.",
    source:
      "After Phan & Synytsia, who let minimax of depth 3 to 6 play against tree search on 4 × 4, 8 × 8 and 12 × 12.",
    text: [
      "You are looking at the thoughts of a program. Each box is a position, named by the move that leads to it. The top box is the position on the board; the program looks two moves ahead, then counts discs: its own minus the opponent's.",
      "In a square box the program itself is to move, and takes the largest value of the boxes below: max. In a round box the opponent is to move, and takes the smallest: min. So values come up from the bottom, box by box, and the top box gets the value of the game as far as the program can see.",
      "Point at any box, or walk through the tree with the arrow keys: the board shows its position, and beside it every number is explained.",
    ],
    tasks: [
      {
        text: "Press → until the first value comes up from the bottom row. Which side chose it, and why was it not the largest one?",
        setup: {},
      },
      {
        text: "Let it play to the end. Which move does the program choose when it looks two moves ahead?",
        setup: {},
        step: 0,
      },
      {
        text: "Now one move ahead only: the program takes whatever turns the most discs. Does it choose the same move?",
        setup: { a: "minimax(depth=1, search=plain, eval=discs)" },
      },
      {
        text: "Compare depth 2 and depth 4 side by side. How many positions does each look at? Guess depth 6 before you set it.",
        setup: { a: "minimax(depth=2, search=plain, eval=discs)", b: "minimax(depth=4, search=plain, eval=discs)" },
      },
    ],
    question:
      "With about ten moves in every position, how many positions does a search of depth 6 look at, and how much longer does it take than one of depth 5?",
    answer:
      "About 10⁶, a million, and ten times as long: every further move ahead multiplies the work by the number of moves. That is why depth is dear, and why the next lesson is about not looking at most of the tree.",
    setup: { rules: "standard 4x4", moves: "c4b4a2", a: "minimax(depth=2, search=plain, eval=discs)" },
  },
  {
    id: "alphabeta",
    title: "Not looking: alpha-beta and the order of moves",
    idea: "Once a reply refutes a move, the other replies do not matter. How much that saves depends on what is tried first.",
    source:
      "After Phan & Synytsia and He & Lin (alpha-beta), and Zean He, who halved the time of a search by trying good squares first.",
    text: [
      "Two numbers travel down the tree. Alpha is what the side that searches is sure of already; beta is what its opponent can hold it down to. A value outside of the two cannot change the result: somebody would have turned off earlier.",
      "So when a box reaches beta (or, for the opponent, alpha), the rest of its moves is cut off: the grey boxes with dashes. Point at one to read why. The result is the same as without cuts, to the last digit; only the number of positions differs.",
      "A cut needs a good move to be tried early. On the left the moves are tried as they are listed, row by row; on the right good squares come first.",
    ],
    tasks: [
      {
        text: "Press “Next cut” and read the sentence. Find the box elsewhere in the tree from which the number comes that the cut is compared with.",
        setup: {},
      },
      {
        text: "Play both trees to the end. Do they agree on move and value? How many positions did each look at?",
        setup: {},
      },
      {
        text: "No pruning on the left: what does alpha-beta save by itself?",
        setup: {
          a: "minimax(depth=3, search=plain, order=none, eval=positional)",
          b: "minimax(depth=3, search=alphabeta, order=none, eval=positional)",
        },
      },
      {
        text: "The worst squares first: how much of the saving is left?",
        setup: {
          a: "minimax(depth=3, search=alphabeta, order=positional, eval=positional)",
          b: "minimax(depth=3, search=alphabeta, order=worst_first, eval=positional)",
        },
      },
    ],
    question:
      "Could alpha-beta, with an unlucky order, look at more positions than plain minimax, or choose a worse move?",
    answer:
      "Neither. It only leaves out what cannot matter, so in the worst order it looks at exactly as many positions, and its value is always the same. With the best order of all it looks at about the square root of the number: twice the depth for the same work.",
    setup: {
      rules: "standard 6x6",
      moves: "e4e5e6d2c2f6",
      a: "minimax(depth=3, search=alphabeta, order=none, eval=positional)",
      b: "minimax(depth=3, search=alphabeta, order=positional, eval=positional)",
    },
  },
  {
    id: "evaluation",
    title: "What is a position worth? Evaluation",
    idea: "Where the search ends, a formula has to judge. Counting discs is a poor one; what counts changes with the phase of the game.",
    source: "After He & Lin (discs against corners and edges) and Zean He (five terms, weighted by phase).",
    text: [
      "A search is only as wise as the formula at its last row. Material, the number of discs, seems natural and misleads: discs in the middle change colour all the time, a corner never does, and many discs early often mean few moves.",
      "The formula on the right adds five terms: worth of squares, mobility, discs, stable discs, and how closely the own discs lie together. Each has a weight, and the weights change twice in a game: mobility matters early, discs count at the end.",
      "Point at a box of the last row: every term is shown with what it counted, its weight, and what it adds.",
    ],
    tasks: [
      { text: "Both searches look one move ahead. Which moves do they choose? Look at both on the board.", setup: {} },
      {
        text: "Find the term that decides it: compare the boxes of the two moves in the tree on the right.",
        setup: {},
      },
      {
        text: "Two moves ahead: does looking further make up for counting discs?",
        setup: { a: "minimax(depth=2, eval=discs)", b: "minimax(depth=2, eval=five_terms)" },
      },
      {
        text: "Now corners and edges, as He & Lin weigh them, against the five terms.",
        setup: { a: "minimax(depth=2, eval=corners)", b: "minimax(depth=2, eval=five_terms)" },
      },
    ],
    question: "In the last ten moves a program can often see the end of the game. Which evaluation is right there?",
    answer:
      "The plain count of discs, because that is what the game is decided by: at the end of the game it is no estimate any more. That is why the weights of the five terms shift towards discs and stable discs from phase to phase.",
    setup: {
      rules: "standard 8x8",
      moves: "c4c3e6b4a4c5d6c6b6f6d3a6g7h8d7e2f4e8b3a3e3a5a2e7b5f3f8",
      a: "minimax(depth=1, eval=discs)",
      b: "minimax(depth=1, eval=five_terms)",
    },
  },
  {
    id: "montecarlo",
    title: "Asking chance: flat Monte Carlo",
    idea: "No formula at all: play many random games after every move and count who wins. Better games give better answers.",
    source:
      "After “Reversi with Monte Carlo Tree Search”, whose program with heuristic playouts won 50 of 60 games against uniform ones.",
    text: [
      "For every legal move the program plays games to their end and counts the share that it wins. Nothing about Reversi is built in but the rules. Every step is one such game: watch it on the board, or drag the slider below the board through its moves.",
      "On the left both sides play any legal move with equal chance: uniform playouts. On the right the program's own moves in these games follow a simple rule of thumb (good squares, few replies left to the opponent, few discs turned), and only the opponent plays at random.",
    ],
    tasks: [
      { text: "Step through the first round. How different are two games after the same move?", setup: {} },
      { text: "Play to the end with larger steps. Which moves do the two choose, and how sure are they?", setup: {} },
      {
        text: "Press “Other random numbers” below a few times. Which of the two changes its mind more often?",
        setup: {},
      },
      {
        text: "Five games for each move are few. Compare 5 with 100 uniform ones.",
        setup: { a: "montecarlo(playouts=5, playout=uniform)", b: "montecarlo(playouts=100, playout=uniform)" },
      },
    ],
    question:
      "A move is refuted by one single reply, and is good against all others. What does flat Monte Carlo with uniform playouts say of it?",
    answer:
      "That it is good: the one reply is played in only a few of the random games. Flat Monte Carlo measures how a move does against a random opponent. The tree of the next lesson repairs that: it plays the strong reply ever more often.",
    setup: {
      rules: "standard 6x6",
      moves: "e4c5b3c2b6e2b1e3b2c6d6c1f3f4d5f2d2b4a3",
      a: "montecarlo(playouts=25, playout=uniform)",
      b: "montecarlo(playouts=25, playout=own_heuristic)",
    },
  },
  {
    id: "uct",
    title: "A tree that grows where it pays: UCT",
    idea: "Random games again, but most of them where they were promising, and some where little is known yet.",
    source: "After Phan & Synytsia, He & Lin and Zean He, who all let UCT play against minimax.",
    text: [
      "Every simulation has four steps. Select: walk down from the root, always to the child with the largest mean + exploration. Expand: add one new box. Play out: a random game from there, shown on the board. Credit: its result is counted in every box of the path.",
      "Each box shows the mean of its games (from the view of the side that moves into it), its visits, and, while it is being chosen from, its upper confidence bound: mean + c × √(ln N / n). The second part is large for moves that were seldom tried, and shrinks with every visit.",
      "So good moves are tried more and more often, for both sides: the mean of a box drifts from the average of all replies towards the best one.",
    ],
    tasks: [
      {
        text: "Step through the first five simulations. When is the formula used for the first time, and what decided before?",
        setup: {},
      },
      { text: "Choose “Whole simulations” and play. Which part of the tree grows deep, which stays small?", setup: {} },
      {
        text: "No exploration (c = 0) against the usual one. What happens to moves whose first game was lost?",
        setup: {
          a: "uct(playouts=120, c=0, playout=uniform)",
          b: "uct(playouts=120, c=1.41421356237, playout=uniform)",
        },
      },
      {
        text: "Much exploration (c = 3): compare the visits of the best and the worst move.",
        setup: {
          a: "uct(playouts=120, c=1.41421356237, playout=uniform)",
          b: "uct(playouts=120, c=3, playout=uniform)",
        },
      },
    ],
    question: "At the end the program plays the move with the most visits, not the one with the highest mean. Why?",
    answer:
      "A high mean may rest on two lucky games. A move gets many visits only if its mean stays high while it is tried again and again, so visits are the safer opinion. (Four of the five papers play the highest mean; with few simulations that is fragile.)",
    setup: { rules: "standard 6x6", moves: "c2b2", a: "uct(playouts=120, c=1.41421356237, playout=uniform)" },
  },
  {
    id: "reversed",
    title: "The other way round: weighted playouts and an exact end",
    idea: "In the reversed game the fewest discs win. Playouts that avoid corners judge better, and near the end nothing is left to chance.",
    source:
      "After Tenshi, whose weighted playouts won 74 % of 50 games against uniform ones and who solves the last moves exactly, and Zean He.",
    text: [
      "Reversed Reversi is played by the same rules, and who has fewer discs wins. Whatever was good is bad: corners can never be got rid of.",
      "Random games know nothing of that. Weighted playouts draw every move by lot, but not with equal tickets: a corner has 1, other squares 10 to 16. The games become more like real ones, at hardly any cost. On the left the playouts are uniform, on the right weighted; the position and the random numbers are the same.",
      "Near the end a program can do better still: search all of it. The exact search knows only win, draw and loss (+1, 0, −1), needs no evaluation, and is never wrong.",
    ],
    tasks: [
      { text: "Play both to the end with whole simulations. Which moves do they choose?", setup: {} },
      {
        text: "Now the truth: on the right the exact search of the same position. Which of the two was right?",
        setup: { a: "uct(playouts=60, playout=weighted)", b: "minimax(depth=24, eval=discs, win=1)" },
      },
      {
        text: "In the exact tree, look for a box worth +1 whose position on the board has few own discs. Where does the opponent have to take a corner?",
        setup: { a: "minimax(depth=24, eval=discs, win=1)", b: "" },
      },
      {
        text: "The same with simulations in plenty: do 600 uniform ones find what 60 weighted ones find?",
        setup: { a: "uct(playouts=600, playout=uniform)", b: "uct(playouts=60, playout=weighted)" },
      },
    ],
    question: "Why not search exactly from the first move on?",
    answer:
      "A game of 8 × 8 has some 10⁵⁸ courses. With every further empty square the exact search looks at two to four times as many positions. So programs estimate first and switch to the exact search as early as their time allows; the agent called tenshi switches at ten empty squares.",
    setup: {
      rules: "reversed 6x6",
      moves: "c2b4d5e6c5d2e4b3b2d6c6b6a4a3b5b1a6f5a5e3e5f4d1a2f2",
      a: "uct(playouts=60, playout=uniform)",
      b: "uct(playouts=60, playout=weighted)",
    },
  },
];
