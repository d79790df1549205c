/**
 * The dialog "New game": board, rule, players, clock and where to begin.
 *
 * Everything is remembered for the next time. A game from the usual start needs no server; openings and pasted text do.
 */
import { announce, byId, el, newButton, plural } from "./dom.js";
import { field, makeDialog, radios } from "./dialogs.js";
import { agentPicker, checkAgent, playerOf } from "./picker.js";
import { markForRecord } from "./record.js";
import { rulesText } from "./rules.js";
import { server, welcome } from "./server.js";
import { habit, latest, setHabit } from "./storage.js";
import { PERSON, table } from "./table.js";
import { GameTree } from "./tree.js";

const SIZES = [4, 6, 8, 10, 12, 14, 16];
/** Elo above random moves of somebody who plays now and then, and beats random moves in ten games of eleven. */
const CASUAL_ELO = 400;
const CLOCKS = [
  ["", "No clock"],
  ["60+0", "1 minute each"],
  ["180+2", "3 minutes each and 2 seconds a move"],
  ["300+0", "5 minutes each"],
  ["600+5", "10 minutes each and 5 seconds a move"],
  ["1500+10", "25 minutes each and 10 seconds a move"],
];
const OPENINGS = [
  ["start", "The usual start"],
  ["random", "A random opening"],
  ["balanced", "A random opening that is about even"],
  ["pasted", "A pasted game or position"],
];
const RECORDED =
  "This server keeps finished games of a person against an agent, with the name, unless moves were taken back or the " +
  "game was looked at in Analyse. Leave it empty to play without a record.";
const DEFAULTS = {
  size: "8",
  variant: "standard",
  black: "person",
  white: null,
  clock: "",
  opening: "start",
  plies: "8",
  person: "",
};

const option = ([value, text]) => el("option", { value }, text);

/** The person who plays; with a name where the server keeps games. */
function personOf() {
  const person = form.person.value.trim();
  return person && welcome?.records ? { ...PERSON, name: person } : PERSON;
}

/** "180+2" as a clock. */
function clockOf(text) {
  if (!text) return null;
  const [seconds, increment] = text.split("+").map(Number);
  return { seconds, increment };
}

function parts() {
  const person = [{ value: "person", text: "Person" }];
  return {
    size: el("select", { onchange: () => rerate() }, ...SIZES.map((size) => option([size, `${size} × ${size}`]))),
    variant: radios(
      "Who wins",
      "variant",
      [
        ["standard", "Most discs (standard)"],
        ["reversed", "Fewest discs (reversed)"],
      ],
      () => rerate(),
    ),
    black: agentPicker("Black, who begins", person),
    white: agentPicker("White", person),
    clock: el("select", {}, ...CLOCKS.map(option)),
    opening: el("select", { onchange: () => reveal() }, ...OPENINGS.map(option)),
    plies: el("input", { type: "number", min: 1, max: 30 }),
    pasted: el("textarea", { spellcheck: "false", rows: 3 }),
    person: el("input", { type: "text", maxlength: 60, autocomplete: "name" }),
  };
}

/** @type {ReturnType<typeof parts>} */
let form;

/** Levels are rated under each rules apart. */
function rerate() {
  const rules = { variant: form.variant.value, size: Number(form.size.value) };
  for (const picker of [form.black, form.white]) picker.rate(rules);
}

function reveal() {
  const kind = form.opening.value;
  form.plies.parentElement.hidden = kind !== "random" && kind !== "balanced";
  form.pasted.parentElement.hidden = kind !== "pasted";
}

function fillIn() {
  const wish = { ...DEFAULTS, ...habit("new-game", {}) };
  form.size.value = wish.size;
  form.variant.value = wish.variant;
  form.clock.value = wish.clock;
  form.plies.value = wish.plies;
  form.person.value = wish.person;
  form.recorded.hidden = !welcome?.records;
  form.opening.value = wish.opening === "pasted" ? "start" : wish.opening;
  form.black.pick(wish.black);
  rerate();
  form.white.pick(wish.white ?? defaultOpponent(wish.variant)?.name ?? "person");
  reveal();
}

/** The level that a first visitor meets: the one nearest to a casual player, who wins about every other game. */
export function defaultOpponent(variant = "standard") {
  const distance = ({ ratings }) => Math.abs(ratings[`${variant} 8x8`].rating - CASUAL_ELO);
  return [...(welcome?.levels ?? [])].sort((a, b) => distance(a) - distance(b))[0];
}

async function begin() {
  const { size, variant, black, white, clock, opening, plies } = form;
  const players = { black: playerOf(black.picked(), personOf()), white: playerOf(white.picked(), personOf()) };
  await Promise.all(Object.values(players).map(checkAgent));
  const rules = { variant: variant.value, size: Number(size.value) };
  const tree = await firstTree(rules, opening.value);
  setHabit("new-game", {
    size: size.value,
    variant: variant.value,
    black: black.picked().value,
    white: white.picked().value,
    clock: clock.value,
    opening: opening.value,
    plies: plies.value,
    person: form.person.value,
  });
  tree.root.opening = tree.current.ply;
  if (opening.value !== "pasted") markForRecord(tree, players);
  table.open({ tree, players, clock: clockOf(clock.value), view: "play" });
  announce(`New game, ${rulesText(tree.rules)}, ${plural(tree.current.ply, "move")} played.`);
}

async function firstTree(rules, opening) {
  if (opening === "start") return new GameTree(rules);
  if (opening === "pasted")
    return GameTree.fromGame((await server.ask("read", { text: form.pasted.value, ...rules })).game);
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { game } = await server.ask("new", {
    rules: rulesText(rules),
    opening: `${opening}(${form.plies.value})`,
    seed,
  });
  return GameTree.fromGame(game);
}

/** Leads to a room; what it needs is loaded when it is pressed. */
const inviteButton = () =>
  newButton({ onclick: async () => (await import("./invite.js")).invite() }, "Play a friend on the network");

/** Builds the dialog and the button that opens it. */
export function setUpNewGame() {
  form = parts();
  form.recorded = el(
    "div",
    {},
    field("Your name, to record the game", form.person),
    el("p", { class: "hint" }, RECORDED),
  );
  const goOn = newButton(
    {
      onclick: () => {
        table.open(latest());
        dialog.close();
      },
    },
    "Go on with the latest game",
  );
  const dialog = makeDialog({
    title: "New game",
    done: "Start",
    body: [
      el("div", { class: "fields" }, field("Board", form.size), form.variant.group),
      el("div", { class: "fields" }, form.black.field, form.white.field),
      el("p", { class: "hint" }, "A level has its rating on this board: Elo above random moves, give or take."),
      form.recorded,
      el("div", { class: "fields" }, field("Begin with", form.opening), field("Clock", form.clock)),
      field("Moves of the opening", form.plies),
      field("Transcript, position, GGF or OBF", form.pasted),
      el("div", { class: "actions" }, goOn, inviteButton()),
    ],
    onOpen: () => {
      fillIn();
      goOn.hidden = [undefined, location.hash].includes(latest()?.hash);
    },
    onDone: begin,
  });
  byId("open-new").addEventListener("click", dialog.open);
}
