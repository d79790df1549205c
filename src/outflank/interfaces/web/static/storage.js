/**
 * What outlives a reload: the game in the address, the whole tree in this tab, habits on this machine.
 *
 * - The address holds the line up to the position on screen, so that it can be copied as a link:
 *   `#view=analyse&rules=standard-8x8&moves=f5d6c3`.
 * - sessionStorage belongs to one tab: two tabs never overwrite each other's game.
 * - localStorage keeps the habits (theme, last settings) and the latest game, to go on with it in a new tab.
 */
import { parseMoves, parseRules, rulesText, transcript } from "./rules.js";
import { table } from "./table.js";
import { GameTree } from "./tree.js";

const RUNNING = "outflank.game";
const VIEWS = ["play", "analyse", "games"];

/** The part of the address after #, for the position on screen. */
export function address(tree = table.tree, view = table.view) {
  const parts = new URLSearchParams({ view, rules: rulesText(tree.rules).replace(" ", "-") });
  const moves = transcript(tree.moves(), tree.rules.size);
  if (moves) parts.set("moves", moves);
  if (tree.start) parts.set("start", tree.start);
  return `#${parts}`;
}

/** A link to the position on screen that anybody with this server can open. */
export const link = () => `${location.origin}${location.pathname}${address(table.tree, "analyse")}`;

/** Writes the game to the address and to the tab. */
export function save() {
  const hash = address();
  if (location.hash !== hash) history.replaceState(null, "", hash);
  const { tree, players, clock, paused, view } = table;
  const record = JSON.stringify({ hash, tree, players, clock, paused, view });
  keep(sessionStorage, RUNNING, record);
  if (tree.root.children.length) keep(localStorage, RUNNING, record);
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
  const running = unpack(read(sessionStorage, RUNNING));
  const linked = fromAddress();
  return running && (!linked || running.hash === location.hash) ? running : linked;
}

/** The latest game of any tab, null when there is none. */
export const latest = () => unpack(read(localStorage, RUNNING));

/**
 * The game that the address names, null when it names none. Moves that are not legal end it, and `refused` says so.
 */
export function fromAddress(hash = location.hash) {
  const parts = new URLSearchParams(hash.slice(1));
  const rules = parseRules(parts.get("rules") ?? "");
  const view = VIEWS.includes(parts.get("view")) ? parts.get("view") : "analyse";
  const start = parts.get("start");
  if (!rules || (start && !isLine(start, rules.size))) return null;
  const tree = new GameTree(rules, start);
  const legal = parseMoves(parts.get("moves") ?? "", rules.size).every((move) => tree.play(move));
  return {
    tree,
    view,
    refused: legal ? "" : `Move ${tree.current.ply + 1} of the link is not legal; the game ends before it.`,
  };
}

const isLine = (line, size) => new RegExp(`^[XO-]{${size * size}} [XO]$`).test(line);

function unpack(text) {
  try {
    const record = JSON.parse(text);
    return record && { ...record, tree: GameTree.fromJSON(record.tree) };
  } catch {
    return null; // written by another version: begin afresh
  }
}

/** A habit of this person, such as the theme. */
export function habit(name, otherwise) {
  try {
    return JSON.parse(read(localStorage, `outflank.${name}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

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
