/**
 * What outlives a reload: the game in the address, the games of this tab, habits and the latest game on this machine.
 *
 * - The address holds the line up to the position on screen, so that it can be copied as a link:
 *   `#view=analyse&rules=standard-8x8&moves=f5d6c3`. Another game and another view are another place in the browser's
 *   history, so that Back leads to them; moves are not.
 * - sessionStorage belongs to one tab and keeps its games whole, with players and clocks, so that a reload, Back and
 *   Forward find them as they were left; two tabs never overwrite each other's games.
 * - localStorage keeps the habits (theme, last settings) and the game in which somebody played last, to go on with it
 *   in a new tab. Opening a game, looking through it and closing a tab do not make it the latest.
 */
import { parseMoves, parseRules, rulesText, transcript } from "./rules.js";
import { PERSON, table } from "./table.js";
import { GameTree } from "./tree.js";

const LATEST = "outflank.game";
const STAMP = "outflank.stamp"; // changes whenever the latest game is written
const GAMES = "outflank.games"; // ids of the games of this tab, the newest first
const MOST_GAMES = 12;
const VIEWS = ["play", "analyse", "games", "train", "lessons"];

/** What the address says in "Lessons", where it is the lesson's: `lesson=alphabeta` and how it is set up. */
let lesson = "lesson=";

/** Writes a lesson to the address. @param {string} text */
export function setLesson(text) {
  lesson = text;
  saveSoon();
}

/** The part of the address after #, for the position on screen. */
export function address(tree = table.tree, view = table.view) {
  if (view === "lessons") return `#${lesson}`;
  const parts = new URLSearchParams({ view, rules: rulesText(tree.rules).replace(" ", "-") });
  const moves = transcript(tree.moves(), tree.rules.size);
  if (moves) parts.set("moves", moves);
  if (tree.start) parts.set("start", tree.start);
  return `#${parts}`;
}

/**
 * A link to the position on screen that anybody with this server can open: the moves that led here, those that follow
 * (`then`), who plays (an agent as `agent:` and its text), and what a review said.
 */
export function link() {
  const { tree, players, node } = table;
  const parts = new URLSearchParams(address(tree, "analyse").slice(1));
  const line = tree.line();
  const then = transcript(line.slice(node.ply + 1).map(({ move }) => move), tree.rules.size);
  if (then) parts.set("then", then);
  for (const side of ["black", "white"]) {
    const { kind, text, name } = players[side];
    if (kind === "agent" || name) parts.set(side, kind === "agent" ? `agent:${text}` : name);
  }
  if (line.some(({ review }) => review)) parts.set("review", line.map((each) => verdictText(each, tree.rules)).join("."));
  return `${location.origin}${location.pathname}#${parts}`;
}

const MARKS = { i: "inaccuracy", m: "mistake", b: "blunder" };
const VERDICT = /^(-?\d+)_(-?\d+)_(x?)(\d*)_(\d*)_([a-p]\d{1,2}|pa|)_([imb]?)$/;

/** A verdict as text: value and loss in tenths of a disc, exact or not, depth, confidence, the best move, the mark. */
function verdictText({ review }, { size }) {
  if (!review) return "";
  const { value, loss, exact, depth, confidence, best, mark } = review;
  const better = best === null ? "" : transcript([best], size);
  const tenths = (number) => Math.round(10 * (number ?? 0));
  return `${tenths(value)}_${tenths(loss)}_${exact ? "x" : ""}${depth ?? ""}_${confidence ?? ""}_${better}_${mark?.[0] ?? ""}`;
}

/** The verdict of a text for the position from which `played` was played; undefined where the text says none. */
function readVerdict(text, played, { size }) {
  const [, value, loss, exact, depth, confidence, better, mark] = VERDICT.exec(text ?? "") ?? [];
  if (value === undefined) return undefined;
  const [best = null] = parseMoves(better, size);
  return {
    value: value / 10,
    loss: loss / 10,
    exact: Boolean(exact),
    depth: Number(depth),
    confidence: Number(confidence),
    best,
    pv: best === null ? [] : [best],
    played,
    mark: MARKS[mark] ?? "",
  };
}

const LONGEST_NAME = 200;

/** The player that a link names. @returns {import("./table.js").Player} */
function linkedPlayer(text) {
  const name = (text ?? "").slice(0, LONGEST_NAME);
  if (!name.startsWith("agent:")) return name ? { ...PERSON, name, away: true } : PERSON;
  const agent = name.slice("agent:".length);
  return { kind: "agent", text: agent, name: agent };
}

/** What was last written as the latest game, where that was this game. @type {WeakMap<GameTree, string>} */
const stamps = new WeakMap();

/** The game on the table with players and clocks, as text; `unpack` reads it. */
export function recordOf() {
  const { tree, players, clock, paused, view } = table;
  return JSON.stringify({ hash: address(), tree, players, clock, paused, view, stamp: stamps.get(tree) });
}

/** Keeps the game in this tab, and as the latest game when somebody has just played or it still is that one. */
export function keepGame({ played = false } = {}) {
  const { tree } = table;
  const isLatest = played || (stamps.has(tree) && stamps.get(tree) === read(localStorage, STAMP));
  if (isLatest) stamps.set(tree, Math.random().toString(36).slice(2));
  const stamp = stamps.get(tree);
  const record = recordOf();
  const [first, ...others] = [tree.id, ...gamesHere().filter((id) => id !== tree.id)];
  for (const id of others.splice(MOST_GAMES - 1)) forget(sessionStorage, `${GAMES}.${id}`);
  keep(sessionStorage, `${GAMES}.${first}`, record);
  keep(sessionStorage, GAMES, JSON.stringify([first, ...others]));
  if (!isLatest) return;
  keep(localStorage, LATEST, record);
  keep(localStorage, STAMP, stamp);
}

/** The place in the browser's history, null before the first. @type {{game: string, view: string} | null} */
let place = null;
let travelling = false;

/** Writes the game to the address and to the tab. */
export function save(how) {
  keepGame(how);
  if (travelling) return;
  const { tree, view } = table;
  const hash = address();
  const isOther = place !== null && (place.game !== tree.id || place.view !== view);
  if (!isOther && location.hash === hash && history.state?.game === tree.id) return;
  const dialog = history.state?.dialog; // an open dialog is a place of its own, which another game takes over
  place = { game: tree.id, view, ...(dialog && !isOther && { dialog }) };
  if (isOther && !dialog) history.pushState(place, "", hash);
  else history.replaceState(place, "", hash);
}

/** Opens what the browser's history has led to, without making a new place in it. @param {() => void} open */
export function travel(open) {
  travelling = true;
  try {
    open();
  } finally {
    travelling = false;
    place = { game: table.tree.id, view: table.view };
    save();
  }
}

const REST = 200; // milliseconds; browsers refuse pages that change their address too often
let saving = 0;

/** The same within a moment, once for many changes. */
export function saveSoon() {
  saving ||= setTimeout(() => {
    saving = 0;
    save();
  }, REST);
}

/** The game to begin with: that of this tab, unless the address names another; null when there is neither. */
export function restored() {
  const here = revisited();
  if (here) return here;
  const running = stored(gamesHere()[0]);
  const linked = fromAddress();
  if (linked && !linked.tree) return running && { ...running, view: linked.view };
  return running && (!linked || running.hash === location.hash) ? running : linked;
}

/**
 * The game of this tab that belongs to the place in the browser's history, with its position and view of then; null
 * when the place has none, such as a link that was pasted into the address.
 */
export function revisited() {
  const id = history.state?.game;
  const linked = fromAddress();
  const game = id === table.tree.id ? { ...table } : stored(id);
  if (!game || !linked) return null;
  return { ...game, view: linked.view, at: linked.tree && game.tree.growLine(game.tree.root, linked.tree.moves()) };
}

const gamesHere = () => parsed(read(sessionStorage, GAMES)) ?? [];

/** A game of this tab. */
function stored(id) {
  const game = unpack(read(sessionStorage, `${GAMES}.${id}`));
  if (game?.stamp) stamps.set(game.tree, game.stamp);
  return game;
}

/** The game in which somebody played last, in any tab; null when there is none. */
export const latest = () => unpack(read(localStorage, LATEST));

/**
 * The game that the address names, null when it names none. Moves that are not legal end it, and `refused` says so.
 * A link to a lesson names a view only: the game on the table stays.
 */
export function fromAddress(hash = location.hash) {
  const parts = new URLSearchParams(hash.slice(1));
  if (parts.has("lesson")) {
    lesson = hash.slice(1);
    return { view: "lessons" };
  }
  const rules = parseRules(parts.get("rules") ?? "");
  const view = VIEWS.includes(parts.get("view")) ? parts.get("view") : "analyse";
  const start = parts.get("start");
  if (!rules || (start && !isLine(start, rules.size))) return null;
  const tree = new GameTree(rules, start);
  const legal = parseMoves(parts.get("moves") ?? "", rules.size).every((move) => tree.play(move));
  tree.growLine(tree.current, parseMoves(parts.get("then") ?? "", rules.size));
  const line = tree.line();
  (parts.get("review") ?? "").split(".").forEach((text, ply) => {
    const review = readVerdict(text, line[ply + 1]?.move ?? null, rules);
    if (review && line[ply]) line[ply].review = review;
  });
  return {
    tree,
    view,
    players: { black: linkedPlayer(parts.get("black")), white: linkedPlayer(parts.get("white")) },
    refused: legal ? "" : `Move ${tree.current.ply + 1} of the link is not legal; the game ends before it.`,
  };
}

const isLine = (line, size) => new RegExp(`^[XO-]{${size * size}} [XO]$`).test(line);

/** The game of a text that `recordOf` wrote; null where it is none. */
export function unpack(text) {
  try {
    const record = parsed(text);
    return record && { ...record, tree: GameTree.fromJSON(record.tree) };
  } catch {
    return null; // written by another version: begin afresh
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A habit of this person, such as the theme. */
export const habit = (name, otherwise) => parsed(read(localStorage, `outflank.${name}`)) ?? otherwise;

export const setHabit = (name, value) => keep(localStorage, `outflank.${name}`, JSON.stringify(value));

function read(storage, key) {
  try {
    return storage.getItem(key);
  } catch {
    return null; // storage may be forbidden; the page works without it
  }
}

function keep(storage, key, text) {
  try {
    storage.setItem(key, text);
  } catch {
    // full or forbidden: the address still holds the game
  }
}

function forget(storage, key) {
  try {
    storage.removeItem(key);
  } catch {
    // forbidden: then there is nothing either
  }
}
