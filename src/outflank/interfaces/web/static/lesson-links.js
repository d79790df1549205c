/** Set-ups of lessons, and how an address names them. */
import { parseMoves, parseRules, play, rulesText, startPosition } from "./rules.js";

/**
 * A position and one or two agents.
 * @typedef {{rules: string, start: string | null, moves: string, a: string, b: string, seed: number}} Setup
 */

/** What a lesson leaves out. @type {Setup} */
export const EMPTY = { rules: "standard 4x4", start: null, moves: "", a: "minimax(depth=3)", b: "", seed: 1 };

/** The game of a set-up, as the server wants it. */
export const gameOf = ({ rules, start, moves }) => ({ rules, start, moves: parseMoves(moves, parseRules(rules).size) });

/** Rules and position of a set-up; moves that are not legal end it. */
export function placeOf({ rules: text, start, moves }) {
  const rules = parseRules(text);
  let position = startPosition(rules, start);
  for (const move of parseMoves(moves, rules.size)) position = play(rules, position, move) ?? position;
  return { rules, position };
}

/** The parts of a set-up that an address names and that can be. */
export function linkedSetup(given) {
  const setup = {};
  const rules = parseRules(given.get("rules") ?? "");
  if (rules && rules.size <= 8) {
    Object.assign(setup, { rules: rulesText(rules), start: null, moves: given.get("moves") ?? "" });
    const start = given.get("start") ?? "";
    if (new RegExp(`^[XO-]{${rules.size ** 2}} [XO]$`).test(start)) setup.start = start;
  }
  for (const key of ["a", "b"]) if (given.has(key)) setup[key] = given.get(key).slice(0, 300);
  if (/^\d{1,9}$/.test(given.get("seed") ?? "")) setup.seed = Number(given.get("seed"));
  return setup;
}

/** What the address says of a lesson: its name, and whatever is not as the lesson has it. */
export function parametersOf(lesson, setup, step) {
  const parameters = new URLSearchParams({ lesson: lesson.id });
  const usual = { ...EMPTY, ...lesson.setup };
  if (["rules", "start", "moves"].some((name) => setup[name] !== usual[name])) {
    parameters.set("rules", setup.rules.replace(" ", "-"));
    if (setup.start) parameters.set("start", setup.start);
    parameters.set("moves", setup.moves);
  }
  for (const key of ["a", "b", "seed"]) if (setup[key] !== usual[key]) parameters.set(key, setup[key]);
  if (step) parameters.set("step", step);
  return parameters;
}

/** Parameters as people write them: brackets and commas need no code in an address. */
export const readable = (parameters) =>
  String(parameters).replace(/%(28|29|2C|3D)/g, (code) => decodeURIComponent(code));
