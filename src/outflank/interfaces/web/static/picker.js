/**
 * A choice of player: first the entries of the caller (a person, nobody, the default), then the levels with their
 * measured ratings, then any agent written as text. A level goes by its name, because its agent depends on the board.
 */
import { el } from "./dom.js";
import { rulesText } from "./rules.js";
import { server, welcome } from "./server.js";

const BY_TEXT = "by-text";
let made = 0;

/**
 * The player of a picker's answer; a person is as given.
 * @param {{value: string, name: string}} picked @param {import("./table.js").Player} person
 * @returns {import("./table.js").Player}
 */
export function playerOf({ value, name }, person) {
  if (value === "person") return person;
  if (!value)
    throw new Error("An agent was chosen but not named; write for example minimax(depth=6), or choose a level.");
  return { kind: "agent", text: value, name };
}

/** Has the server read an agent that was written by hand, so that a slip is told before the game begins. */
export async function checkAgent({ text }) {
  if (text && !welcome?.levels.some((level) => level.name === text)) await server.ask("agent", { agent: text });
}

const ROUND = 10; // Elo; a rating is known to some dozens

/** "Club · about 1440"; random moves are where the ratings begin, other boards have no ratings. */
function levelLabel({ name, ratings }, rules) {
  if (!ratings[rules]) return name;
  const { rating, low, high } = ratings[rules];
  return high > low ? `${name} · about ${Math.round(rating / ROUND) * ROUND}` : `${name} · ${rating}`;
}

/** How surely the rating of a level is known, and whether the level below it may be as strong. */
function certainty(level, rules) {
  const rated = level.ratings[rules];
  if (!rated || rated.high === rated.low) return "";
  const below = welcome.levels[welcome.levels.indexOf(level) - 1];
  const isStep = rated.rating - below.ratings[rules].rating > (rated.high - rated.low) / 2;
  const close = isStep ? "" : ` On this board ${below.name} may be as strong.`;
  return ` Rated ${rated.low} to ${rated.high} (95 %).${close}`;
}

/** The list of agents that a text field suggests; one for the whole page. */
function suggestions() {
  const known = document.getElementById("agent-names");
  const list = known ?? document.body.appendChild(el("datalist", { id: "agent-names" }));
  const agents = (welcome?.agents ?? []).map(({ name, summary }) => el("option", { value: name, label: summary }));
  list.replaceChildren(
    ...(welcome?.levels ?? []).map(({ text, name }) => el("option", { value: text, label: name })),
    ...agents,
  );
}

/**
 * @param {string} label
 * @param {{value: string, text: string}[]} first entries that are no agents
 * @param {(picked: {value: string, name: string}) => void} [onChange]
 */
export function agentPicker(label, first, onChange = () => {}) {
  const id = `picker-${++made}`;
  const select = el("select", { id, onchange: () => changed() });
  const text = el("input", {
    type: "text",
    list: "agent-names",
    "aria-label": `${label}: agent as text`,
    placeholder: "minimax(depth=6)",
    spellcheck: "false",
    autocomplete: "off",
    hidden: true,
    onchange: () => changed(),
  });
  const field = el(
    "div",
    { class: "field" },
    el("label", { for: id }, label),
    select,
    text,
    el("p", { class: "hint note-line" }),
  );

  let rules = "standard 8x8";

  function fill() {
    const before = select.value;
    const option = (value, words) => el("option", { value }, words);
    const levels = el(
      "optgroup",
      { label: "Levels and their Elo above random moves" },
      ...(welcome?.levels ?? []).map((level) => option(level.name, levelLabel(level, rules))),
    );
    select.replaceChildren(
      ...first.map((entry) => option(entry.value, entry.text)),
      levels,
      option(BY_TEXT, "Another agent, as text…"),
    );
    if (before) pick(before);
    suggestions();
  }

  function picked() {
    if (select.value === BY_TEXT) return { value: text.value.trim(), name: text.value.trim() };
    return { value: select.value, name: select.value };
  }

  function show() {
    text.hidden = select.value !== BY_TEXT;
    const level = welcome?.levels.find((each) => each.name === select.value);
    field.lastChild.textContent = level ? `It ${level.note}.${certainty(level, rules)}` : "";
  }

  function changed() {
    show();
    if (!text.hidden && !text.value) text.focus();
    else onChange(picked());
  }

  /** Chooses an entry by its value; text that is no entry goes into the field. */
  function pick(value) {
    const known = [...select.options].some((option) => option.value === value);
    select.value = known ? value : BY_TEXT;
    if (!known) text.value = value;
    show();
  }

  /** Shows the ratings under these rules. */
  function rate(wanted) {
    rules = rulesText(wanted);
    fill();
  }

  fill();
  server.addEventListener("welcome", fill);
  return { field, picked, pick, rate };
}
