/**
 * Single keys for everything that has a button. They press the very buttons, so what is disabled or not in this view
 * stays so; they rest while one types or a dialog is open, and can be switched off in the help.
 */
import { byId } from "./dom.js";
import { habit } from "./storage.js";

/** @type {Record<string, string>} key to the id of a button */
const BUTTONS = {
  n: "open-new",
  v: "open-paste",
  c: "open-share",
  e: "open-edit",
  p: "pass",
  h: "hint",
  f: "play-from",
  u: "undo",
  r: "redo",
  k: "pause",
  j: "step",
  a: "analyse-on",
  "[": "go-back",
  ",": "go-back",
  ArrowLeft: "go-back",
  "]": "go-next",
  ".": "go-next",
  ArrowRight: "go-next",
  Home: "go-first",
  End: "go-last",
  d: "theme",
  z: "zoom",
  "?": "help",
};
const VIEWS = { 1: "play", 2: "analyse", 3: "games", 4: "train", 5: "lessons" };

/** Keys and their meaning, for the help. */
export const SHORTCUTS = [
  ["↑ ↓ ← →", "move on the board"],
  ["Enter", "play on the square"],
  ["L", "go to the next legal square (on the board)"],
  ["B", "go to the board"],
  ["P", "pass"],
  ["H", "hint"],
  ["F", "play from here (in Analyse); projector view (in Lessons)"],
  ["U", "undo"],
  ["R", "redo"],
  ["← →", "one move back, one move on (outside the board)"],
  [", .", "the same, from anywhere; so do [ and ]"],
  ["Home End", "first and last position (outside the board)"],
  ["K", "pause, go on"],
  ["J", "let the agent make one move"],
  ["A", "analysis on or off"],
  ["1 to 5", "play, analyse, games, train, lessons"],
  ["N", "new game"],
  ["V", "paste"],
  ["C", "copy and save"],
  ["E", "edit the board"],
  ["D", "light, dark or as the system"],
  ["Z", "larger squares, where there are many"],
  ["?", "this help"],
];

const isTyping = (target) => target.matches("input:not([type=checkbox], [type=radio]), textarea, select");

/** Listens to the keyboard. @param {() => void} toBoard puts the focus on the board */
export function setUpKeys(toBoard) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]") || !habit("keys", true)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const view = document.querySelector(`nav [data-view="${VIEWS[key]}"]`);
    if (key === "b") toBoard();
    else if (view) view.click();
    else if (key in BUTTONS && byId(BUTTONS[key]).checkVisibility()) byId(BUTTONS[key]).click();
    else return;
    event.preventDefault();
  });
}
