/**
 * Lessons: how a program thinks. A lesson is a text, things to do, a question, and a laboratory: a position, one or two
 * agents, and the search of each step by step.
 *
 * The address holds all of it, so that a teacher can prepare a lesson and hand out its link:
 * `#lesson=alphabeta&rules=standard-6x6&moves=c2&a=minimax(depth=3)&b=…&seed=1&step=12`; whatever is left out is as the
 * lesson has it.
 */
import { BoardView } from "./board.js";
import { announce, byId, capital, el, icon, newButton, setText, toast } from "./dom.js";
import { agentChoices, boardChoice } from "./lesson-agents.js";
import { EMPTY, linkedSetup, parametersOf, placeOf, readable } from "./lesson-links.js";
import { listOf, textOf } from "./lesson-pages.js";
import { Pane, tableOf } from "./lesson-pane.js";
import { LESSONS } from "./lesson-texts.js";
import { ZOOMS } from "./lesson-tree.js";
import { rulesText, transcript } from "./rules.js";
import { server } from "./server.js";
import { habit, setHabit, setLesson } from "./storage.js";
import { table } from "./table.js";

const SPEEDS = { slow: 2000, normal: 800, fast: 200, "very fast": 40 }; // milliseconds a step
const PLAYOUT_STEP = 140; // milliseconds between the moves of a playout

/** What is open. */
const now = {
  /** @type {any} */
  lesson: null,
  /** @type {{rules: string, start: string | null, moves: string, a: string, b: string, seed: number} | null} */
  setup: null,
  step: 0,
  /** The step that was asked for: the shorter of two searches may come first, and end before it. */
  asked: 0,
  playing: false,
};
let timer = 0;
let lineTimer = 0;
/** The node that somebody points at. @type {{pane: Pane, node: any} | null} */
let looked = null;

// --- the parts of the view ----------------------------------------------------------------------------------------

const parts = {
  list: el("section", { class: "lesson-list", "aria-labelledby": "lessons-title", hidden: true }),
  room: el("div", { class: "lesson-room", hidden: true }),
  text: el("section", { class: "card lesson-text", "aria-labelledby": "lesson-title" }),
  board: el("div", { class: "board", id: "lesson-board" }),
  caption: el("p", { class: "hint", id: "lesson-caption" }),
  line: el("input", {
    type: "range",
    min: 0,
    value: 0,
    "aria-label": "Move of the playout",
    oninput: () => showLineAt(Number(parts.line.value)),
  }),
  sentence: el("p", { id: "lesson-sentence", class: "lesson-sentence" }),
  facts: el("dl", { class: "lesson-facts", id: "lesson-facts" }),
  factsTitle: el("h3", {}),
  slider: el("input", {
    type: "range",
    min: 0,
    value: 0,
    id: "lesson-step",
    "aria-label": "Step",
    oninput: () => goTo(Number(parts.slider.value)),
  }),
  count: el("span", { class: "ply", id: "lesson-count" }),
  lab: el("section", { class: "lesson-lab", "aria-label": "Laboratory" }),
  panes: el("div", { class: "lesson-panes" }),
  rows: el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "The steps so far" }),
  table: el("details", { class: "lesson-table", ontoggle: () => showTable() }),
  settings: el("div", { class: "lesson-settings" }),
};
const board = new BoardView(parts.board, () => {}, "Position of the step");
const buttons = {
  first: newButton(
    { id: "lesson-first", title: "First step (Home)", onclick: () => byHand(0) },
    icon("first"),
    el("span", { class: "unseen" }, "First step"),
  ),
  back: newButton(
    { id: "lesson-back", title: "One step back (←)", onclick: () => byHand(now.step - stride()) },
    icon("back"),
    el("span", { class: "unseen" }, "One step back"),
  ),
  play: newButton(
    { id: "lesson-play", class: "primary", title: "Play or pause (K)", onclick: () => setPlaying(!now.playing) },
    "Play",
  ),
  next: newButton(
    { id: "lesson-next", title: "One step on (→)", onclick: () => byHand(now.step + stride()) },
    icon("next"),
    el("span", { class: "unseen" }, "One step on"),
  ),
  last: newButton(
    { id: "lesson-last", title: "Last step (End)", onclick: () => byHand(total()) },
    icon("last"),
    el("span", { class: "unseen" }, "Last step"),
  ),
  cut: newButton({ id: "lesson-cut", onclick: nextCut }, "Next cut"),
  link: newButton({ id: "lesson-link", class: "quiet", onclick: copyLink }, "Copy a link to this"),
  project: newButton(
    {
      ...{ id: "lesson-project", class: "quiet", "aria-pressed": "false", onclick: project },
      title: "Large, and the search alone (F); Escape leaves it",
    },
    "Projector",
  ),
  fit: newButton({ id: "lesson-fit", class: "quiet", "aria-pressed": "false", onclick: fit }, "Whole tree"),
};
const speed = el(
  "select",
  { id: "lesson-speed", onchange: () => setHabit("lesson-speed", speed.value) },
  ...Object.keys(SPEEDS).map((name) => el("option", { value: name }, capital(name))),
);
const strides = el(
  "select",
  { id: "lesson-stride" },
  el("option", { value: "1" }, "Every step"),
  el("option", { value: "many" }, "Larger steps"),
);

const lab = {
  setup: () => now.setup,
  look,
  taken() {
    showSteps();
    goTo(now.asked);
  },
};
const panes = { a: new Pane("a", lab), b: new Pane("b", lab) };

// --- steps --------------------------------------------------------------------------------------------------------

const models = () =>
  Object.values(panes)
    .map(({ model }) => model)
    .filter(Boolean);
const total = () => Math.max(0, ...models().map(({ steps }) => steps));
const stride = () => (strides.value === "many" ? Math.max(...models().map((model) => model.stride ?? 5), 1) : 1);

/** Shows a step that somebody asked for, and says what happens in it. */
function byHand(step) {
  setPlaying(false);
  goTo(step, true);
  const { picture } = panes.a;
  if (picture) announce(picture.sentence);
}

function goTo(step, isNew = false) {
  const isSearching = Object.values(panes).some(({ key, model }) => now.setup[key] && !model);
  now.asked = Math.min(Math.max(step, 0), isSearching ? Infinity : total());
  now.step = Math.min(now.asked, total());
  looked = null;
  for (const pane of Object.values(panes)) pane.show(now.step);
  showNow(isNew);
  showSteps();
  writeAddress();
}

function showSteps() {
  parts.slider.max = String(total());
  parts.slider.value = String(now.step);
  parts.slider.setAttribute("aria-valuetext", `Step ${now.step} of ${total()}`);
  setText(parts.count, total() ? `Step ${now.step} of ${total()}` : "Step");
  for (const button of [buttons.first, buttons.back]) button.disabled = now.step <= 0;
  for (const button of [buttons.next, buttons.last]) button.disabled = now.step >= total();
  buttons.cut.hidden = !models().some(({ trace }) => trace.method === "minimax" && /alphabeta/.test(trace.agent));
  const larger = { uct: "Whole simulations", flat: "All moves once", minimax: "Five at a time" }[
    panes.a.model?.trace.method
  ];
  if (larger) setText(strides.lastChild, larger);
}

function setPlaying(playing) {
  clearTimeout(timer);
  now.playing = playing && total() > 0;
  if (now.playing && now.step >= total()) goTo(0);
  setText(buttons.play, now.playing ? "Pause" : "Play");
  if (now.playing) timer = setTimeout(tick, SPEEDS[speed.value]);
}

function tick() {
  goTo(now.step + stride(), true);
  if (now.step >= total()) return setPlaying(false);
  timer = setTimeout(tick, SPEEDS[speed.value]);
}

/** To the next step in which a branch is cut, in either tree. */
function nextCut() {
  const cuts = models().flatMap(({ events, trace }) =>
    trace.method === "minimax" ? events.map(([kind], i) => (kind === "cut" ? i + 1 : 0)) : [],
  );
  const next = cuts.filter((step) => step > now.step).sort((a, b) => a - b)[0];
  if (next) byHand(next);
  else toast("There is no cut after this step.");
}

// --- what the step shows beside the tree --------------------------------------------------------------------------

/** Somebody points at a node of a pane, or at none any more. */
function look(pane, node) {
  looked = node ? { pane, node } : null;
  showNow(false);
}

function showNow(isNew) {
  clearTimeout(lineTimer);
  const pane = looked?.pane ?? (panes.a.picture ? panes.a : panes.b);
  const { picture, model } = pane;
  if (!picture) return;
  const node = looked?.node ?? picture.current;
  const both = panes.a.picture && panes.b.picture;
  const told = Object.values(panes).filter((each) => each.picture);
  setText(
    parts.sentence,
    told.map((each) => `${both ? `${each.key.toUpperCase()}: ` : ""}${each.picture.sentence}`).join("\n"),
  );
  setText(
    parts.factsTitle,
    `${both ? `${pane.key.toUpperCase()}: ` : ""}${model.line(node).length ? model.names(model.line(node)) : "The root"}`,
  );
  parts.facts.replaceChildren(
    ...node
      .facts()
      .map(({ name, value, meaning }) =>
        el("div", {}, el("dt", {}, name), el("dd", {}, el("strong", {}, value), ` ${meaning}`)),
      ),
  );
  const line = looked ? [] : picture.board.line;
  shown = { pane, node, line, moves: model.line(node) };
  parts.line.hidden = !line.length;
  parts.line.max = String(line.length);
  const still =
    matchMedia("(prefers-reduced-motion: reduce)").matches || !isNew || (now.playing && SPEEDS[speed.value] < 700);
  if (line.length && !still) playLine(0);
  else showLineAt(line.length);
  showTable();
}

/** The position of a set-up, until its search is there. */
function showStart() {
  clearTimeout(lineTimer);
  const { rules, position } = placeOf(now.setup);
  board.show(position, { size: rules.size, playable: false });
  parts.line.hidden = true;
  parts.facts.replaceChildren();
  for (const part of [parts.sentence, parts.factsTitle, parts.caption]) setText(part, "");
}

/** What is on the board: a node, and moves played from it. @type {any} */
let shown = null;

function playLine(at) {
  showLineAt(at);
  if (at < shown.line.length) lineTimer = setTimeout(() => playLine(at + 1), PLAYOUT_STEP);
}

function showLineAt(number) {
  const { pane, node, line, moves } = shown;
  const { model } = pane;
  const played = [...moves, ...line.slice(0, number)];
  const position = model.after(played);
  const last = played.at(-1) ?? null;
  const { size } = model.rules;
  board.show(position, { size, last: last === size * size ? null : last, playable: false });
  const values = node.children.filter(
    ({ state, lines, move }) => state !== "cut" && lines[0] !== "…" && move < size * size,
  );
  if (!line.length)
    board.showNotes(
      new Map(values.map((child) => [child.move, { lines: [child.lines[0]], meaning: "value", best: child.best }])),
    );
  parts.line.value = String(number);
  const place = moves.length ? `After ${model.names(moves)}` : "The position that is searched";
  const turn = position.over ? "the game is over" : `${position.turn} to move`;
  setText(
    parts.caption,
    line.length
      ? `Playout, move ${number} of ${line.length}: black ${position.black}, white ${position.white}, ${turn}.`
      : `${place}, ${turn}.`,
  );
  parts.line.setAttribute("aria-valuetext", parts.caption.textContent);
}

function showTable() {
  if (!parts.table.open) return;
  const seen = Object.values(panes).filter(({ picture }) => picture);
  parts.rows.replaceChildren(...seen.flatMap((pane) => tableOf(pane, seen.length)));
}

// --- the set-up ---------------------------------------------------------------------------------------------------

/** Searches with another set-up, from its first step. */
function setUpWith(changes, step = 0) {
  setPlaying(false);
  now.setup = { ...now.setup, ...changes };
  [now.step, now.asked] = [step, step];
  showStart();
  for (const pane of Object.values(panes)) pane.model = null; // both are waited for, whichever is known already
  for (const pane of Object.values(panes)) pane.load();
  parts.room.classList.toggle("two", Boolean(now.setup.b));
  showSettings();
  showSteps();
  writeAddress();
}

function showSettings() {
  const focused = document.activeElement?.id;
  const { setup } = now;
  const isStart = !setup.start && !setup.moves;
  const place = el("p", { class: "hint" }, isStart ? "From the start of the game." : "From a prepared position.");
  const row = (name, ...fields) => el("div", { class: "fields", role: "group", "aria-label": name }, ...fields);
  const agentRow = (key) => row(`Choices of search ${key.toUpperCase()}`, ...agentChoices(setup, key, setUpWith));
  parts.settings.replaceChildren(
    row("Position", boardChoice(setup.rules, setUpWith)),
    el(
      "div",
      { class: "actions" },
      place,
      newButton({ onclick: takeGame }, "Take the position of the game"),
      isStart ? null : newButton({ onclick: () => setUpWith({ start: null, moves: "" }) }, "Take the start"),
    ),
    agentRow("a"),
    setup.b ? agentRow("b") : "",
    el(
      "div",
      { class: "actions" },
      newButton(
        { onclick: () => setUpWith({ b: setup.b ? "" : setup.a }) },
        setup.b ? "Remove the second search" : "Compare with a second search",
      ),
      newButton({ onclick: () => setUpWith({ seed: Math.floor(Math.random() * 1e6) }) }, "Other random numbers"),
    ),
  );
  if (focused) byId(focused)?.focus();
}

/** The position that is on the table in "Play" and "Analyse". */
function takeGame() {
  const { tree } = table;
  if (tree.rules.size > 8) return toast("Lessons are for boards up to 8 × 8.", true);
  if (!tree.position.legal.size) return toast("Nobody has a choice in the position of the game.", true);
  setUpWith({ rules: rulesText(tree.rules), start: tree.start, moves: transcript(tree.moves(), tree.rules.size) });
  toast(`The position of the game, move ${tree.current.ply}.`);
}

// --- lessons and links --------------------------------------------------------------------------------------------

/** The lesson that the address names. */
function openLinked() {
  if (table.view !== "lessons") return;
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has("lesson")) return;
  if (written === `${location.hash}`.slice(1)) return;
  const name = given.get("lesson");
  const lesson = LESSONS.find(({ id }) => id === name);
  if (name && !lesson) toast(`There is no lesson “${name.slice(0, 40)}”; these are all.`, true);
  if (lesson) openLesson(lesson, linkedSetup(given), Number(given.get("step")) || 0);
  else showList();
}

/** The address as this file has written it last. */
let written = " "; // none so far

function writeAddress() {
  const { lesson, setup, asked } = now;
  write(lesson ? parametersOf(lesson, setup, asked) : new URLSearchParams({ lesson: "" }));
}

function write(parameters) {
  written = readable(parameters);
  if (table.view === "lessons") setLesson(written);
}

async function copyLink() {
  const address = `${location.origin}${location.pathname}#${written}`;
  try {
    await navigator.clipboard.writeText(address);
    toast("Copied: whoever opens this link at this server sees this step.");
  } catch {
    toast(address);
  }
}

function showList() {
  setPlaying(false);
  now.lesson = null;
  parts.room.hidden = true;
  parts.list.hidden = false;
  writeAddress();
}

function openLesson(lesson, changes = {}, step = 0) {
  const isOther = now.lesson !== lesson;
  now.lesson = lesson;
  parts.list.hidden = true;
  parts.room.hidden = false;
  if (isOther) parts.text.replaceChildren(...textOf(lesson, setUpTask));
  setUpWith({ ...EMPTY, ...lesson.setup, ...changes }, step);
  if (isOther) scrollTo(0, 0);
  if (step) toLab();
}

function setUpTask(changes, step) {
  setUpWith(changes, step);
  toLab();
}

/** Brings the search into sight where the text stands above it. */
function toLab() {
  const first = parts.lab.firstElementChild; // on a phone the room of the search has no box of its own
  if (first.getBoundingClientRect().top > innerHeight / 2) first.scrollIntoView();
}

// --- projector, keys ----------------------------------------------------------------------------------------------

function press(button, pressed) {
  button.setAttribute("aria-pressed", String(pressed));
  return pressed;
}

const isPressed = (button) => button.getAttribute("aria-pressed") === "true";

/** Larger, and the search alone: for a class that looks at one screen. */
function project() {
  const on = press(buttons.project, !isPressed(buttons.project));
  parts.room.classList.toggle("projected", on);
  document.documentElement.toggleAttribute("data-projected", on);
  announce(on ? "Projector view. Escape leaves it." : "Projector view left.");
  for (const pane of Object.values(panes)) {
    pane.view.zoom = on ? ZOOMS.projected : ZOOMS.usual;
    pane.show(now.step);
  }
}

/** The whole tree in its window, as small as that may be. */
function fit() {
  parts.panes.classList.toggle("fit", press(buttons.fit, !isPressed(buttons.fit)));
}

const KEYS = {
  ...{ ArrowLeft: "back", ",": "back", ArrowRight: "next", ".": "next", Home: "first", End: "last" },
  ...{ k: "play", f: "project" },
};

function onKey(event) {
  if (table.view !== "lessons" || !now.lesson || event.defaultPrevented || !habit("keys", true)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape" && isPressed(buttons.project)) return project();
  if (event.target.matches("input, select, textarea") || !(event.key in KEYS)) return;
  event.preventDefault();
  buttons[KEYS[event.key]].click();
}

/** Builds the view. @param {HTMLElement} place */
export function setUp(place) {
  const style = el("link", { rel: "stylesheet", href: "static/lessons.css", onload: openLinked, onerror: openLinked });
  document.head.append(style); // trees are drawn when it is there: they look at the room they have
  speed.value = habit("lesson-speed", "normal");
  parts.table.append(el("summary", {}, "The tree as a table"), parts.rows);
  parts.panes.append(panes.a.place, panes.b.place);
  parts.room.append(
    parts.text,
    el(
      "section",
      { class: "lesson-side", "aria-label": "Position and numbers" },
      parts.board,
      parts.line,
      parts.caption,
      el("div", { class: "card" }, parts.factsTitle, parts.facts),
    ),
    parts.lab,
  );
  parts.lab.append(
    el(
      "div",
      { class: "card lesson-steps" },
      el(
        "div",
        { class: "lesson-controls", role: "group", "aria-label": "Steps" },
        buttons.first,
        buttons.back,
        buttons.play,
        buttons.next,
        buttons.last,
        parts.count,
        buttons.cut,
      ),
      parts.slider,
      el(
        "div",
        { class: "lesson-controls" },
        el("span", { class: "lesson-pace" }, el("label", { for: "lesson-speed" }, "Speed"), speed),
        el("span", { class: "lesson-pace" }, el("label", { for: "lesson-stride" }, "Steps"), strides),
        buttons.fit,
        buttons.project,
        buttons.link,
      ),
      parts.sentence,
    ),
    parts.panes,
    el("div", { class: "card near" }, parts.table),
    el(
      "details",
      { class: "card near", id: "lesson-setup" },
      el("summary", {}, "Set it up yourself: board, position, searches"),
      parts.settings,
    ),
  );
  parts.list.append(...listOf());
  place.append(parts.list, parts.room);
  document.addEventListener("keydown", onKey);
  for (const name of ["hashchange", "popstate"]) addEventListener(name, () => setTimeout(openLinked));
  table.on("view", () => {
    setPlaying(false);
    if (table.view === "lessons") openLinked();
  });
  server.addEventListener("welcome", () => {
    if (now.lesson && !models().length) setUpWith({}, now.step);
  });
}
