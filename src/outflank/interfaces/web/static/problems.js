/**
 * Problems to train with, kept in this browser: positions of your own games where you lost three discs or more,
 * endgames that the server made, and positions of its opening books. Each comes back after a while, the longer the better you know it.
 *
 * @typedef {object} Problem
 * @property {string} id rules and position: a position is a problem once
 * @property {"mistake" | "endgame" | "opening"} kind
 * @property {{rules: string, start: string | null, moves: number[]}} game
 * @property {number} best
 * @property {number[]} pv the best line
 * @property {Record<number, number>} [scores] of all moves, of an endgame or an opening
 * @property {number} [played] the mistake
 * @property {number} [loss] what it cost, in discs
 * @property {string} [title] of the game it comes from, or the name of the opening
 * @property {number} [number] in the book
 * @property {number} empties
 * @property {number} box how well it is known: index into `INTERVALS`
 * @property {number} due when it comes back, in milliseconds
 * @property {number} asked how often it was answered
 */
import { rulesText } from "./rules.js";
import { within } from "./library.js";
import { GameTree } from "./tree.js";

const DAY = 24 * 3600 * 1000;
/** Until a problem comes back, by how often it was solved at once, one time after the other. */
export const INTERVALS = [0.007 * DAY, DAY, 3 * DAY, 7 * DAY, 16 * DAY, 35 * DAY];
const LEAST_LOSS = 3; // discs

/** All problems. @returns {Promise<Problem[]>} */
export const problems = () => within("problems", "readonly", (all) => all.getAll());

const store = (many) =>
  within("problems", "readwrite", (all) => {
    for (const each of many) all.put(each);
  });

/** Takes a problem out; a position of a book stays known, so that it is not asked as a new one again. */
export const dropProblem = (problem) =>
  problem.kind === "opening"
    ? store([{ ...problem, due: Infinity }])
    : within("problems", "readwrite", (all) => all.delete(problem.id));

function newProblem(kind, game, position, facts) {
  const empties = [...position.cells].filter((cell) => cell === "-").length;
  const id = `${game.rules} ${position.cells} ${position.turn}`;
  return { id, kind, game, empties, box: 0, due: Date.now(), asked: 0, ...facts };
}

/** The problem of an endgame that the server made, kept from now on. @returns {Promise<Problem>} */
export async function keepEndgame({ game, scores }) {
  const { position } = GameTree.fromGame(game);
  const best = Number(Object.keys(scores).reduce((one, other) => (scores[other] > scores[one] ? other : one)));
  const made = newProblem("endgame", game, position, { best, pv: [best], scores });
  await store([made]);
  return made;
}

/** The problem of a position of a book, kept from now on. @returns {Promise<Problem>} */
export async function keepOpening({ game, moves, opening }, number) {
  const { position } = GameTree.fromGame(game);
  const scores = Object.fromEntries(moves.map(({ move, value }) => [move, value]));
  const best = moves[0].move;
  const made = newProblem("opening", game, position, { best, pv: [best], scores, title: opening, number });
  await store([made]);
  return made;
}

const isHere = ({ kind, away }) => kind === "person" && !away;

/**
 * Makes problems of the mistakes of persons in a line that was reviewed; how many are new.
 * @param {import("./tree.js").Node[]} nodes @param {{black: any, white: any}} players
 */
export async function keepMistakes(tree, nodes, players, title) {
  const known = new Set((await problems()).map(({ id }) => id));
  const made = nodes
    .filter(({ review }) => review?.mark && review.loss >= LEAST_LOSS) // unmarked losses may be the analyst's error
    .filter(({ position }) => isHere(players[position.turn]))
    .filter(({ review }) => review.best !== null && review.best !== tree.pass)
    .map((node) => {
      const { best, pv, played, loss } = node.review;
      const facts = { best, pv: pv.length ? pv : [best], played, loss, title };
      return newProblem("mistake", { ...tree.request(node), rules: rulesText(tree.rules) }, node.position, facts);
    })
    .filter(({ id }) => !known.has(id));
  await store(made);
  return made.length;
}

/** Notes how an answer went, and when the problem comes back. */
export async function answered(problem, right) {
  const box = right ? Math.min(problem.box + 1, INTERVALS.length - 1) : 0;
  Object.assign(problem, { box, due: Date.now() + INTERVALS[box], asked: problem.asked + 1 });
  await store([problem]);
}
