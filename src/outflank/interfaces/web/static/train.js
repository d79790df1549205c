/**
 * Train: problems from your own mistakes, endgames with one best move, and the opening books. A wrong move is played
 * out, so that one sees what it allows; a right one too, to the end of the line. In an opening all values are shown.
 */
import { announce, el, newButton, plural, setText } from "./dom.js";
import { BoardView } from "./board.js";
import { answered, dropProblem, INTERVALS, keepEndgame, keepOpening, problems } from "./problems.js";
import { rulesText, squareName, transcript } from "./rules.js";
import { server } from "./server.js";
import { habit, setHabit } from "./storage.js";
import { table } from "./table.js";
import { GameTree } from "./tree.js";
import { preparingText, signed } from "./words.js";

const BOOKS = [
  ["standard 8x8", "Openings, most discs win"],
  ["reversed 8x8", "Openings, fewest discs win"],
];
const EMPTIES = [6, 8, 10, 12, 14];
const STEP = 800; // milliseconds between the moves of a line that is played out
const LOOK_SECONDS = 2;
const AS_GOOD = 0.5; // discs; estimates differ by more than that from one look to the next
const SHOWN = 8; // moves of a line

/** What is on the board. */
const now = {
  /** @type {import("./problems.js").Problem | null} */
  problem: null,
  /** @type {GameTree | null} */
  tree: null,
  /** Whether the first answer was given, after which nothing counts. */
  counted: false,
  busy: false,
};
/** What was shown and not answered: "Next" leads to the others before it comes back. @type {Set<string>} */
const shown = new Set();
let timer = 0;
const parts = {
  place: el("div", { class: "board", id: "train-board" }),
  task: el("h2", { class: "status", id: "train-task" }, "Train"),
  told: el("p", { id: "train-told", role: "status" }),
  count: el("p", { class: "hint", id: "train-count" }),
  boxes: el("dl", { class: "facts" }),
};
const board = new BoardView(parts.place, press, "Problem");
const buttons = {
  again: newButton({ onclick: reset }, "Try again"),
  answer: newButton({ onclick: showAnswer }, "Show the answer"),
  next: newButton({ class: "primary", id: "train-next", onclick: next }, "Next"),
  look: newButton({ onclick: look }, "Look at it in Analyse"),
  drop: newButton({ onclick: drop }, "Drop it"),
};
const source = el(
  "select",
  { id: "train-source", onchange: () => setHabit("train", source.value) || next() },
  el("option", { value: "mistake" }, "Your own mistakes"),
  ...EMPTIES.map((empties) => el("option", { value: empties }, `Endgames with ${empties} empty squares`)),
  ...BOOKS.map(([rules, text]) => el("option", { value: rules }, text)),
);

const tell = (text) => setText(parts.told, text);
const nameOf = (move) => squareName(move, now.tree.rules.size);

const MINUTE = 60_000;

/** Those of a source that come back now: the longest waiting first, of those of one minute the dearest. */
function due(all, wanted) {
  const isWanted = ({ kind, empties, game }) => {
    if (kind === "mistake") return wanted === kind;
    return kind === "opening" ? wanted === game.rules : empties === Number(wanted) && isHere(game);
  };
  const since = ({ due: time }) => Math.floor(time / MINUTE);
  return all
    .filter((each) => isWanted(each) && each.due <= Date.now())
    .sort((a, b) => since(a) - since(b) || (b.loss ?? 0) - (a.loss ?? 0));
}

const isBook = (wanted) => BOOKS.some(([rules]) => rules === wanted);

/** Endgames are those of the board that one plays on. */
const isHere = ({ rules }) => rules === rulesText(table.tree.rules);

async function next() {
  stop();
  try {
    const wanted = source.value;
    const all = await problems();
    const waiting = due(all, wanted);
    const first = waiting.find(({ id }) => !shown.has(id));
    if (first) show(first);
    else if (wanted === "mistake" && waiting.length) showAgain(waiting);
    else if (wanted === "mistake") nothingDue(all);
    else if (isBook(wanted)) await nextOpening(all, wanted);
    else show(await keepEndgame(await made(Number(wanted))));
  } catch (error) {
    tell(error.message);
  }
  await showCount();
}

/** Begins with the first again when all that wait were shown: there are no other mistakes. */
function showAgain(waiting) {
  shown.clear();
  show(waiting[0]);
}

/** The next position of a book that was not asked yet; when all were, the one that comes back soonest. */
async function nextOpening(all, rules) {
  const mine = all.filter(({ kind, game }) => kind === "opening" && game.rules === rules);
  const number = Math.max(-1, ...mine.map((each) => each.number)) + 1;
  const reply = await server.ask("drill", { rules, number }).catch((error) => {
    if (!mine.length) throw error;
  });
  if (reply) return show(await keepOpening(reply, number));
  show(mine.sort((a, b) => a.due - b.due)[0]);
}

/** A new endgame from the server. */
function made(empties) {
  tell("Making a problem…");
  const request = { rules: rulesText(table.tree.rules), empties, seed: Math.floor(Math.random() * 2 ** 31) };
  return new Promise((resolve, reject) => {
    server.stream("problem", request, (reply) => {
      if (reply.kind === "preparing") tell(preparingText(reply));
      else if (reply.kind === "problem") resolve(reply);
      else if (reply.last) reject(new Error(reply.message ?? "The server made no problem."));
    });
  });
}

function nothingDue(all) {
  const mine = all.filter(({ kind }) => kind === "mistake");
  const soonest = Math.min(...mine.map((each) => each.due));
  setText(parts.task, mine.length ? "Nothing to repeat now" : "No mistakes yet");
  tell(
    mine.length
      ? `The next of your mistakes comes back ${inWords(soonest - Date.now())}. Endgames are there at any time.`
      : "Play a game, press “Review” when it is over: where you lost three discs or more becomes a problem here.",
  );
  Object.assign(now, { problem: null, tree: null });
  const { rules } = table.tree;
  board.show(new GameTree(rules).position, { size: rules.size, playable: false });
  showButtons();
}

function inWords(milliseconds) {
  const minutes = Math.ceil(milliseconds / MINUTE);
  if (minutes < 60) return `in ${plural(Math.max(1, minutes), "minute")}`;
  const hours = Math.ceil(minutes / 60);
  return hours > 36 ? `in ${Math.round(hours / 24)} days` : `in ${plural(hours, "hour")}`;
}

function show(problem) {
  Object.assign(now, { problem, counted: false });
  shown.add(problem.id);
  reset();
}

function reset() {
  stop();
  const { problem } = now;
  now.tree = GameTree.fromGame(problem.game);
  const { turn } = now.tree.position;
  setText(parts.task, `${turn === "black" ? "Black" : "White"} to move: find the best move`);
  tell(
    problem.kind === "opening"
      ? `${problem.title || "Opening"}: ${transcript(problem.game.moves, now.tree.rules.size)}. Guess the book's move.`
      : problem.kind === "mistake"
      ? `${problem.title}: you played ${nameOf(problem.played)} here and lost ${plural(Math.round(problem.loss), "disc")}.`
      : `${problem.empties} empty squares. One move is better than all others.`,
  );
  draw(true);
  showButtons();
  announce(`${parts.task.textContent}. ${parts.told.textContent}`);
}

function draw(playable, turned = []) {
  const { tree } = now;
  const { move } = tree.current;
  board.show(tree.position, { size: tree.rules.size, last: move === tree.pass ? null : move, playable, turned });
}

function showButtons() {
  const { problem, tree, busy } = now;
  const moved = Boolean(problem) && tree.current.ply > problem.game.moves.length;
  buttons.again.disabled = !problem || !moved || busy;
  for (const name of ["answer", "look", "drop"]) buttons[name].disabled = !problem || busy;
}

async function press(square) {
  const { problem, tree, busy } = now;
  if (busy || !problem || !board.playable || !tree.position.legal.has(square)) return;
  now.busy = true;
  const verdict = square === problem.best ? { right: true, pv: problem.pv } : await judge(problem, square);
  now.busy = false;
  if (now.problem !== problem) return;
  if (!verdict) return showButtons();
  await count(verdict.right);
  if (problem.kind === "opening") return showBook(square, verdict.right);
  tell(verdict.right ? rightText(problem, square) : wrongText(square, verdict));
  announce(parts.told.textContent);
  playOut(verdict.pv?.length ? verdict.pv : [square]);
}

/** Notes the first answer to the problem on the board. */
async function count(right) {
  if (now.counted) return;
  now.counted = true;
  shown.delete(now.problem.id);
  await answered(now.problem, right);
  await showCount();
}

const rightText = (problem, square) =>
  `${nameOf(square)} is right. It comes back ${inWords(problem.due - Date.now())}.`;

const wrongText = (square, { loss }) =>
  `${nameOf(square)} loses ${loss ? plural(loss, "disc") : "discs"} against the best move. This is what it allows.`;

/** Tells what the book says of a guess, or without one, and shows the values of all moves. */
function showBook(square, right) {
  const { scores, best, due: time } = now.problem;
  const note = (move) => ({ lines: [signed(scores[move])], meaning: "value", best: Number(move) === best });
  board.showNotes(new Map(Object.keys(scores).map((move) => [Number(move), note(move)])));
  tell(`${bookText(square, right)} It comes back ${inWords(time - Date.now())}.`);
  announce(parts.told.textContent);
  showButtons();
}

function bookText(square, right) {
  const { scores, best } = now.problem;
  const worth = (move) => `${nameOf(move)} (${signed(scores[move])})`;
  if (square === null) return `The book plays ${worth(best)}.`;
  if (square === best) return `${worth(square)} is the book's move.`;
  if (right) return `${worth(square)} is as good as the book's ${worth(best)}.`;
  const loss = Math.round(10 * (scores[best] - scores[square])) / 10;
  return `${worth(square)} gives away ${plural(loss, "disc")}: the book plays ${worth(best)}.`;
}

/** What another move than the best is worth; null when nobody could be asked. */
async function judge(problem, square) {
  const known = problem.scores && problem.scores[problem.best] - problem.scores[square];
  if (problem.kind === "opening") return { right: known < AS_GOOD };
  if (known === undefined) tell("Looking whether that is as good…");
  const moves = await looked(problem, square);
  const [mine, best] = [square, problem.best].map((move) => moves.find((each) => each.move === move));
  if (known !== undefined) return { right: false, loss: known, pv: mine?.pv };
  if (!mine || !best) {
    tell("The server cannot be asked now, so only the best move counts. Try another, or show the answer.");
    return null;
  }
  const loss = Math.round(10 * (best.value - mine.value)) / 10;
  return { right: loss < AS_GOOD, loss, pv: mine.pv };
}

/** The values of the moves here as the analyst sees them after a moment; none without a server. */
function looked(problem) {
  return new Promise((resolve) => {
    server.stream("analyse", { game: problem.game, seconds: LOOK_SECONDS }, (reply) => {
      if (reply.kind === "preparing") tell(preparingText(reply));
      if (reply.last) resolve(reply.moves ?? []);
    });
  });
}

async function showAnswer() {
  const { problem } = now;
  await count(false);
  if (problem.kind === "opening") return showBook(null, false);
  const line = problem.pv.length > 1 ? problem.pv : ((await looked(problem)).find(({ move }) => move === problem.best)?.pv ?? problem.pv);
  reset();
  tell(`The best move is ${nameOf(problem.best)}: ${line.slice(0, SHOWN).map(nameOf).join(" ")}.`);
  announce(parts.told.textContent);
  playOut(line);
}

/** Plays a line on the board, move by move. */
function playOut(line) {
  stop();
  const [move, ...rest] = line.slice(0, SHOWN);
  const flips = now.tree.position.legal.get(move) ?? [];
  if (now.tree.play(move)) {
    draw(false, flips);
    if (rest.length) timer = setTimeout(() => playOut(rest), STEP);
  }
  showButtons();
}

function stop() {
  clearTimeout(timer);
}

/** Puts the problem into "Analyse", where everything about it can be asked. */
function look() {
  stop();
  table.open({ tree: GameTree.fromGame(now.problem.game), view: "analyse" });
}

async function drop() {
  await dropProblem(now.problem);
  await next();
}

async function showCount() {
  const all = await problems();
  const waiting = all.filter((each) => each.due <= Date.now()).length;
  setText(parts.count, `${plural(all.length, "problem")}, of which ${waiting} to do now. They are kept in this browser only.`);
  const labels = ["New or missed", "After a day", "3 days", "A week", "16 days", "Known"];
  parts.boxes.replaceChildren(
    ...INTERVALS.map((_, box) =>
      el(
        "div",
        {},
        el("dt", {}, labels[box]),
        el("dd", {}, String(all.filter((each) => each.box === box).length)),
      ),
    ),
  );
}

/** Builds the view. @param {HTMLElement} place */
export function setUp(place) {
  source.value = habit("train", "mistake");
  place.append(
    el("section", { class: "board-side", "aria-label": "Problem" }, parts.place),
    el(
      "div",
      { class: "side" },
      el(
        "section",
        { class: "card", "aria-labelledby": "train-task" },
        parts.task,
        parts.told,
        el("div", { class: "actions" }, buttons.next, buttons.again, buttons.answer, buttons.look, buttons.drop),
      ),
      el(
        "section",
        { class: "card", "aria-label": "Your progress" },
        el("div", { class: "field" }, el("label", { for: "train-source" }, "Train with"), source),
        parts.count,
        parts.boxes,
      ),
    ),
  );
  table.on("view", () => {
    if (table.view !== "train") stop();
    else if (!now.problem) next();
    else showCount();
  });
  next();
}
