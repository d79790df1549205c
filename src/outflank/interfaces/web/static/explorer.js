/**
 * The tab "Openings": what was played in the position on the board, in a collection of games, and what the engine's
 * book says of it. A click plays a move; games that came this way open on the board.
 *
 * One question a position: the counts come with the values of the book. The games and the analyst are asked when one
 * rests on the position for a moment, so that clicking through an opening stays light.
 */
import { announce, byId, capital, el, newButton, oncePerFrame, plural, setText } from "./dom.js";
import { rulesText, squareName } from "./rules.js";
import { server } from "./server.js";
import { habit, setHabit } from "./storage.js";
import { table } from "./table.js";
import { GameTree } from "./tree.js";
import { signed } from "./words.js";

const REST = 250; // milliseconds on a position before its games and the analyst are asked for
const LOOK_SECONDS = 15;
const POLL = 400; // milliseconds between two looks at collections that are being read
const ROWS = 12; // games that the server lists at once
const RESULTS = [
  ["any", "Any result"],
  ["black", "Black won"],
  ["white", "White won"],
  ["draw", "Drawn"],
];

/** @type {import("./board.js").BoardView} */
let board;
/** What the server offers. @type {{name: string, ready: boolean, read: number, problems: string[], boards: any[]}[]} */
let collections = [];
let mostBytes = 0;
/** What is known of the position on the board. */
const now = { node: null, moves: [], book: new Map(), values: new Map(), games: 0, trouble: "" };
let asked = 0;
let offset = 0;
let stopLooking = () => {};
let timer = 0;
let polling = 0;

const collection = el("select", { id: "explorer-collection", onchange: () => choose(collection.value) });
const player = el("input", { type: "search", id: "explorer-player", autocomplete: "off", oninput: filterSoon });
const years = ["from", "to"].map((end) =>
  el("input", { type: "number", id: `explorer-${end}`, min: 1900, max: 2100, oninput: filterSoon }),
);
const result = el(
  "select",
  { id: "explorer-result", onchange: restart },
  ...RESULTS.map(([value, text]) => el("option", { value }, text)),
);
const judge = el("input", {
  type: "checkbox",
  id: "explorer-judge",
  onchange: () => setHabit("explorer-judge", judge.checked) || restart(),
});
const file = el("input", {
  type: "file",
  multiple: true,
  class: "unseen",
  tabindex: -1,
  "aria-label": "Files of games",
  onchange: () => bring([...file.files]).finally(() => (file.value = "")),
});
const parts = {
  state: el("p", { class: "hint", id: "explorer-state", role: "status" }),
  progress: el("progress", { id: "explorer-progress", class: "idle", "aria-label": "Reading games" }),
  body: el("tbody", { id: "explorer-moves" }),
  points: el("th", { scope: "col", class: "number" }),
  games: el("tbody", { id: "explorer-games" }),
  range: el("span", { class: "hint", id: "explorer-range" }),
  filters: el("details", { class: "explorer-filters" }),
  list: el("details", { class: "explorer-list", ontoggle: () => parts.list.open && fillGames() }),
};
const pages = [
  newButton({ class: "quiet", onclick: () => turn(-ROWS) }, "Previous"),
  newButton({ class: "quiet", onclick: () => turn(ROWS) }, "Next"),
];
const add = newButton({ id: "explorer-add", onclick: () => file.click() }, "Add games…");

const isShown = () => table.view === "analyse" && !byId("panel-openings").hidden;
const chosen = () => collections.find(({ name }) => name === collection.value);
/** What the chosen collection has on this board. */
const here = () => chosen()?.boards.find(({ rules }) => rules === rulesText(table.tree.rules));

function question() {
  const [first_year, last_year] = years.map(({ value }) => Number(value) || null);
  return {
    game: table.tree.request(),
    collection: here() ? collection.value : "",
    ...{ player: player.value.trim(), first_year, last_year, result: result.value },
  };
}

let filtering = 0;

/** Asks again when somebody has stopped typing. */
function filterSoon() {
  clearTimeout(filtering);
  filtering = setTimeout(restart, 200);
}

/** Asks for the position on the board. */
async function restart() {
  clearTimeout(timer);
  stopLooking();
  if (!isShown()) return;
  const number = ++asked;
  const { node } = table;
  offset = 0;
  try {
    const reply = await server.ask("explore", question());
    if (number !== asked) return;
    const book = new Map(reply.book.map((each) => [each.move, each]));
    Object.assign(now, { node, moves: reply.moves, games: reply.games, book, values: new Map(), trouble: "" });
  } catch (error) {
    if (number !== asked) return;
    Object.assign(now, { node, moves: [], games: 0, book: new Map(), values: new Map(), trouble: error.message });
  }
  show();
  timer = setTimeout(() => rest(number, node), REST);
}

/** What is asked for when one stays on a position. */
function rest(number, node) {
  if (number !== asked || !isShown() || !server.isOpen) return;
  if (parts.list.open) fillGames();
  if (!judge.checked || !table.position.legal.size) return;
  stopLooking = server.stream("analyse", { game: table.tree.request(node), seconds: LOOK_SECONDS }, (reply) => {
    if (reply.kind !== "analysis" || number !== asked) return;
    now.values = new Map(reply.moves.map((each) => [each.move, each]));
    soon();
  });
}

/** Rows of the table: what was played, then what else the book or the analyst knows, the best first. */
function rows() {
  const counted = now.moves.flatMap(({ move, alike, ...facts }) =>
    [move, ...alike].map((each, i) => ({ ...facts, move: each, isTwin: i > 0 })),
  );
  const known = new Set(counted.map(({ move }) => move));
  const others = [...table.position.legal.keys()]
    .filter((move) => !known.has(move) && (now.book.has(move) || now.values.has(move)))
    .map((move) => ({ move, games: 0 }))
    .sort((a, b) => valueOf(b.move) - valueOf(a.move));
  return [...counted.filter(({ isTwin }) => !isTwin), ...others];
}

const valueOf = (move) => now.book.get(move)?.value ?? now.values.get(move)?.value ?? -Infinity;

const soon = oncePerFrame(show);

function show() {
  if (!isShown() || now.node !== table.node) return;
  const all = rows();
  setText(parts.points, `${capital(table.position.turn)}'s points`);
  showRows(all);
  setText(parts.state, stateText(all));
  parts.state.classList.toggle("trouble", Boolean(now.trouble));
  showNotes();
}

/** Rows of a position by their moves: they stay while values come in, so that none vanishes under the finger. */
const kept = new Map();
let keptFor = null;

function showRows(all) {
  if (keptFor !== now.node) kept.clear();
  keptFor = now.node;
  const wanted = all.map((each) => {
    if (!kept.has(each.move)) kept.set(each.move, newRow(each.move));
    fill(kept.get(each.move), each);
    return kept.get(each.move);
  });
  const { body } = parts;
  if (wanted.length === body.children.length && wanted.every((row, i) => row === body.children[i])) return;
  const focused = body.contains(document.activeElement) ? document.activeElement : null;
  body.replaceChildren(...wanted);
  if (focused) (body.contains(focused) ? focused : body.querySelector("button"))?.focus();
}

function newRow(move) {
  const name = squareName(move, table.tree.rules.size);
  const number = () => el("td", { class: "number" });
  const play = newButton({ class: "quiet", "aria-label": `Play ${name}`, onclick: () => table.play(move) }, name);
  return el(
    "tr",
    { onpointerenter: () => board.preview(move), onpointerleave: () => board.preview(null) },
    el("td", {}, play),
    ...[number(), number(), number()],
    el("td", { class: "number" }, el("span"), el("span", { class: "book-mark" })),
    el("td", { class: "opening-name" }),
  );
}

/** Writes what is known of a move; the book's value where it has one, otherwise the analyst's of this moment. */
function fill({ children: [, games, points, discs, value, name] }, { move, games: count, share, margin, opening }) {
  const book = now.book.get(move);
  const found = book ?? now.values.get(move);
  setText(games, count ? count.toLocaleString("en") : "–");
  setText(points, count ? `${Math.round(100 * share)} %` : "");
  setText(discs, count ? signed(margin) : "");
  setText(value.firstChild, found ? signed(found.value) : "");
  setText(value.lastChild, book ? " book" : "");
  setText(name, opening ?? "");
}

function stateText(all) {
  if (now.trouble) return now.trouble;
  const from = chosen();
  const found = here();
  if (!from) return all.length ? "What the engine's book says of the moves." : "The book does not have this position.";
  const problems = from.problems.length ? ` ${from.problems.join(" ")}` : "";
  if (!from.ready) return `Reading ${from.name}: ${plural(from.read, "game")} so far…`;
  if (!found) return `There are no games of ${rulesText(table.tree.rules)} in ${from.name}.${problems}`;
  const left = found.left_out ? `, ${found.left_out.toLocaleString("en")} left out (no result, or another start)` : "";
  const of = `${now.games.toLocaleString("en")} of ${found.games.toLocaleString("en")} games${left}`;
  return `${of} went on from here.${problems}`;
}

/** Writes on the squares how often each was chosen. */
function showNotes() {
  const notes = new Map();
  for (const { move, alike, games, share } of now.moves)
    for (const square of [move, ...alike])
      notes.set(square, {
        lines: [`${Math.max(1, Math.round((100 * games) / now.games))}%`],
        meaning: `points ${Math.round(100 * share)} %, played in`,
        best: games === now.moves[0].games,
      });
  board.showNotes(notes);
}

// --- games that came this way ---------------------------------------------------------------------------------------

async function fillGames() {
  const number = asked;
  if (!here() || !now.games) {
    parts.games.replaceChildren();
    setText(parts.range, "No games.");
    return showPages(0);
  }
  try {
    const { total, games } = await server.ask("explored_games", { ...question(), offset });
    if (number !== asked) return;
    parts.games.replaceChildren(...games.map(gameRow));
    const last = Math.min(offset + ROWS, total);
    setText(parts.range, total ? `${offset + 1} to ${last} of ${plural(total, "game")}` : "No games.");
    showPages(total);
  } catch (error) {
    setText(parts.range, error.message);
  }
}

function showPages(total) {
  pages[0].disabled = offset === 0;
  pages[1].disabled = offset + ROWS >= total;
}

function turn(step) {
  offset += step;
  fillGames();
}

const resultText = (score) => (score ? `${score > 0 ? "black" : "white"} by ${Math.abs(score)}` : "draw");

function gameRow({ number, black, white, year, score }) {
  const label = `Open ${black || "?"} against ${white || "?"}${year ? `, ${year}` : ""}`;
  const cell = (text, kind = "") => el("td", { class: kind }, text);
  return el(
    "tr",
    {},
    el("td", {}, newButton({ class: "quiet", "aria-label": label, onclick: () => open(number) }, "Open")),
    cell(black || "?", "agent"),
    cell(white || "?", "agent"),
    cell(year ? String(year) : "–", "number"),
    cell(resultText(score), "number"),
  );
}

/** Puts a game on the board, at the position from which it was found. */
async function open(number) {
  const { cells, turn: side } = table.position;
  try {
    const { game, collection: of } = question();
    const reply = await server.ask("explored_game", { game, collection: of, number });
    const tree = GameTree.fromGame(reply.game);
    const seat = (name) => ({ kind: "person", name: name || "?", away: true });
    tree.goTo(tree.line().find(({ position }) => position.cells === cells && position.turn === side) ?? tree.root);
    table.open({ tree, players: { black: seat(reply.black), white: seat(reply.white) }, view: "analyse" });
    announce(`${reply.black} against ${reply.white}, ${resultText(reply.score)}.`);
    byId("board").querySelector("[tabindex='0']").focus();
  } catch (error) {
    setText(parts.range, error.message);
  }
}

// --- collections ----------------------------------------------------------------------------------------------------

/** Looks what there is, again while something is being read. */
async function load() {
  clearTimeout(polling);
  if (!server.isOpen) return;
  const before = JSON.stringify(here() ?? null);
  try {
    const reply = await server.ask("collections");
    collections = reply.collections;
    mostBytes = reply.most_bytes;
    add.hidden = !reply.takes;
  } catch {
    return; // the connection comes back
  }
  showCollections();
  const reading = collections.find(({ ready }) => !ready);
  parts.progress.classList.toggle("idle", !reading);
  if (reading) polling = setTimeout(load, POLL);
  if (JSON.stringify(here() ?? null) !== before) restart();
  else show();
}

/** The collection that somebody chose; null where nobody did. @type {string | null} */
let wanted = habit("explorer", null);
let listed = "";

function showCollections() {
  const text = ({ name, ready, boards }) => {
    const games = boards.reduce((sum, each) => sum + each.games, 0);
    return ready ? `${name} (${games.toLocaleString("en")})` : `${name} (reading…)`;
  };
  const options = [["", "The engine's book alone"], ...collections.map((each) => [each.name, text(each)])];
  if (JSON.stringify(options) === listed) return;
  listed = JSON.stringify(options);
  collection.replaceChildren(...options.map(([value, words]) => el("option", { value }, words)));
  collection.value = options.some(([value]) => value === wanted) ? wanted : (collections[0]?.name ?? "");
}

function choose(name) {
  wanted = name;
  setHabit("explorer", name);
  restart();
}

/** Takes files to the server on this machine, which reads them. */
async function bring(files) {
  if (!files.length) return;
  const tell = (text) => setText(parts.state, text);
  const size = files.reduce((sum, each) => sum + each.size, 0);
  const megabytes = (bytes) => `${Math.ceil(bytes / 2 ** 20)} MB`;
  if (size > mostBytes) return tell(`These files have ${megabytes(size)}; at most ${megabytes(mostBytes)} are taken.`);
  tell(`Taking ${plural(files.length, "file")}…`);
  parts.progress.classList.remove("idle");
  try {
    const head = JSON.stringify({ files: files.map((each) => ({ name: each.name, size: each.size })) });
    const response = await fetch("api/collections", { method: "POST", body: new Blob([`${head}\n`, ...files]) });
    const reply = await response.json();
    if (!response.ok) throw new Error(reply.error);
    choose(reply.name);
    await load();
  } catch (error) {
    parts.progress.classList.add("idle");
    tell(error instanceof TypeError ? "The server cannot be reached." : error.message);
  }
}

// --- building -------------------------------------------------------------------------------------------------------

const field = (label, input) => el("div", { class: "field" }, el("label", { for: input.id }, label), input);
const head = (...columns) =>
  el("thead", {}, el("tr", {}, ...columns.map((column) => (column ? column : el("td")))));
const column = (text, kind = "") => el("th", { scope: "col", class: kind }, text);

function build(panel) {
  parts.filters.append(
    el("summary", {}, "Filter by player, year, result"),
    el("div", { class: "fields" }, field("Player", player), field("Result", result)),
    el("div", { class: "fields" }, field("From year", years[0]), field("To year", years[1])),
  );
  parts.list.append(
    el("summary", {}, "Games that came this way"),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Games that came this way" },
      el(
        "table",
        {},
        head(null, column("Black"), column("White"), column("Year", "number"), column("Result", "number")),
        parts.games,
      ),
    ),
    el("div", { class: "actions pages" }, pages[0], parts.range, pages[1]),
  );
  panel.append(
    el("div", { class: "explorer-source" }, field("Games", collection), add, file),
    parts.filters,
    el("label", { class: "choice" }, judge, "Let the engine judge the moves"),
    parts.state,
    parts.progress,
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Moves that were played" },
      el(
        "table",
        {},
        head(
          ...[column("Move"), column("Games", "number"), parts.points, column("Discs", "number")],
          ...[column("Value", "number"), column("Opening")],
        ),
        parts.body,
      ),
    ),
    parts.list,
    el(
      "p",
      { class: "hint" },
      "On the board: how often a move was chosen; a ring is the most frequent. ",
      "Value: discs ahead at the end for the side to move, by the book or by the engine. ",
      "Files of WTHOR (with .jou and .trn), GGF, SGF, transcripts, stores and indexes can be dropped here; ",
      "they are read on this machine.",
    ),
  );
}

/** Builds the tab. @param {import("./board.js").BoardView} view */
export function setUp(view) {
  board = view;
  const panel = byId("panel-openings");
  document.head.append(el("link", { rel: "stylesheet", href: "static/explorer.css" }));
  judge.checked = habit("explorer-judge", true);
  build(panel);
  panel.addEventListener("dragover", (event) => event.preventDefault());
  panel.addEventListener("drop", (event) => {
    event.preventDefault();
    bring([...event.dataTransfer.files]);
  });
  for (const event of ["game", "cursor", "view", "tab"]) table.on(event, restart);
  server.addEventListener("welcome", load);
  showCollections();
  load();
  restart();
}
