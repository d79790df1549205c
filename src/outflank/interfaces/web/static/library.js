/**
 * The library: every game that was played or brought in, kept by itself in this browser, on this machine.
 *
 * Two tables of the browser's own database: `games` has a line for each game, which the list shows and searches, and
 * `trees` the whole of it with variations, reviews, players and clocks. A game enters when something is done in it;
 * merely opening one does not. Where the browser allows no database the page works without a library.
 */
import { plural, toast } from "./dom.js";
import { rulesText, transcript } from "./rules.js";
import { recordOf } from "./storage.js";
import { table } from "./table.js";
import { playerName } from "./words.js";

const NAME = "outflank";
const VERSION = 1;
const REST = 700; // milliseconds; a game is written once for many changes

/**
 * A game in the list.
 * @typedef {{id: string, begun: number, saved: number, black: string, white: string, rules: string, plies: number,
 *   result: string, over: boolean, reviewed: boolean, moves: string, words: string}} Entry
 */

/** @type {Promise<IDBDatabase> | null} */
let opened = null;

function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      const { result } = request;
      result.createObjectStore("games", { keyPath: "id" });
      result.createObjectStore("trees", { keyPath: "id" });
      result.createObjectStore("problems", { keyPath: "id" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/** Does something with tables and waits until it is done; returns what the work's request found. */
export async function within(tables, mode, work) {
  const base = await database();
  return new Promise((resolve, reject) => {
    const transaction = base.transaction(tables, mode);
    const request = work(...[tables].flat().map((name) => transaction.objectStore(name)));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("It was not kept."));
  });
}

/** All games, the latest first. @returns {Promise<Entry[]>} */
export async function entries() {
  const all = await within("games", "readonly", (games) => games.getAll());
  return all.sort((a, b) => b.saved - a.saved);
}

/** The whole of a game as text, undefined when it is not there. */
export const wholeGame = async (id) => (await within("trees", "readonly", (trees) => trees.get(id)))?.text;

/** Puts games with their wholes into the library. @param {{entry: Entry, text: string}[]} games */
export const put = (games) =>
  within(["games", "trees"], "readwrite", (list, trees) => {
    for (const { entry, text } of games) {
      list.put(entry);
      trees.put({ id: entry.id, text });
    }
  });

/** Takes a game out. */
export const remove = (id) =>
  within(["games", "trees"], "readwrite", (list, trees) => {
    list.delete(id);
    trees.delete(id);
  });

/** How a game stands at the end of a line. */
function resultOf({ position, end }) {
  if (end) return end.loser === "black" ? "0–1" : "1–0";
  return position.over ? `${position.black}–${position.white}` : "";
}

/** The line of the list for the game on the table. @returns {Entry} */
export function entryOf({ tree, players }, begun, saved = Date.now()) {
  const line = tree.line();
  const last = line.at(-1);
  const entry = {
    id: tree.id,
    begun,
    saved,
    black: playerName(players.black),
    white: playerName(players.white),
    rules: rulesText(tree.rules),
    plies: last.ply,
    result: resultOf(last),
    over: last.position.over || Boolean(last.end),
    reviewed: line.some(({ review }) => review),
    moves: tree.start ? "" : transcript(tree.moves(last), tree.rules.size),
  };
  const day = new Date(begun).toLocaleDateString("sv"); // 2026-11-16, on the clock of this machine
  const { black, white, rules, result, moves } = entry;
  return { ...entry, words: [black, white, rules, result, day, moves].join(" ").toLowerCase() };
}

/** When each game began that is in the library. @type {WeakMap<object, number>} */
const kept = new WeakMap();
let timer = 0;

/** Writes the game on the table now, if it belongs into the library. */
export async function keepNow() {
  clearTimeout(timer);
  timer = 0;
  const { tree, players } = table;
  if (!kept.has(tree) || !tree.root.children.length) return;
  try {
    await put([{ entry: entryOf({ tree, players }, kept.get(tree)), text: recordOf() }]);
    table.tell("kept");
  } catch {
    // no room or no database: the tab still has the game
  }
}

const keepSoon = () => {
  timer ||= setTimeout(keepNow, REST);
};

/** Lets the game on the table be kept from now on. */
export function keep(begun = Date.now()) {
  if (!kept.has(table.tree)) kept.set(table.tree, begun);
  keepSoon();
}

/** Makes problems of the mistakes that a review has found. */
async function learn({ nodes }) {
  const { tree, players } = table;
  try {
    const { keepMistakes } = await import("./problems.js");
    const title = `${playerName(players.black)} – ${playerName(players.white)}`;
    const made = await keepMistakes(tree, nodes, players, title);
    if (made) toast(`${plural(made, "position")} of this game can be trained now, in “Train”.`);
  } catch {
    // no database: then there is no training either
  }
}

/** Listens to the table. */
export function setUpLibrary() {
  table.on("reviewed", learn);
  table.on("cursor", ({ isNew }) => {
    if (isNew) keep();
    else if (kept.has(table.tree)) keepSoon();
  });
  table.on("notes", ({ quiet }) => (quiet ? kept.has(table.tree) && keepSoon() : keep()));
  table.on("players", keepSoon);
  table.on("leave", () => {
    if (timer) keepNow();
  });
  addEventListener("pagehide", () => {
    if (timer) keepNow();
  });
}
