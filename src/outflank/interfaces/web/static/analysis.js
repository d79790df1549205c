/**
 * The value of every legal move, on its square and in a table, deeper and deeper while one looks.
 *
 * Up to two analysts look at the same position. Each has a slot: its request to the server and its latest answer.
 * When another position comes on the screen both requests are stopped and new ones begin. Answers may come many times
 * a second; the page draws at most once per frame. Values are from the view of the side to move, and the page says so.
 */
import { byId, capital, el, newButton, oncePerFrame, setText, short } from "./dom.js";
import { agentPicker } from "./picker.js";
import { showLine } from "./lines.js";
import { squareName } from "./rules.js";
import { server, STOPPED } from "./server.js";
import { habit, setHabit } from "./storage.js";
import { table } from "./table.js";
import { depthText, preparingText, squareText, withoutUnit, withUnit } from "./words.js";

const SETTLE = 60; // milliseconds to rest on a position before it is analysed, so that dragging the graph stays light
const DEFAULT = "";
const NOBODY = "nobody";
const NOTHING = { answer: null, preparing: "", prepared: null, trouble: "", stop: () => {} };
const UNITS = {
  discs: "Discs ahead at the end",
  wins: "Share of wins",
  points: "Points of its evaluation",
  result: "Result",
};

/**
 * @type {{agent: string, name: string, answer: any, preparing: string, prepared: number | null, trouble: string,
 *   stop: () => void}[]}
 */
const slots = [slot(DEFAULT, "Analyst"), slot(NOBODY, "Nobody")];
/** Rows of the table by their moves. @type {Map<number, HTMLElement>} */
let rows = new Map();
let timer = 0;
/** @type {import("./board.js").BoardView} */
let board;

function slot(agent, name) {
  return { agent, name, ...NOTHING };
}

const isOn = () => byId("analyse-on").checked;
const isShown = () => table.view === "analyse" && !byId("panel-values").hidden;

function restart() {
  clearTimeout(timer);
  for (const each of slots) {
    each.stop();
    Object.assign(each, NOTHING);
  }
  soon();
  if (isOn() && isShown() && table.position.legal.size && server.isOpen) timer = setTimeout(begin, SETTLE);
}

function begin() {
  const { node, tree } = table;
  for (const each of slots.filter(({ agent }) => agent !== NOBODY)) {
    const request = { game: tree.request(node), ...(each.agent === DEFAULT ? {} : { agent: each.agent }) };
    each.stop = server.stream("analyse", request, (reply) => heard(each, node, reply));
  }
}

function heard(each, node, reply) {
  if (reply.kind === "error") each.trouble = reply.message;
  if (reply.kind === "stopped") each.trouble = `There is no analysis: ${STOPPED}`;
  each.preparing = preparingText(reply);
  each.prepared = reply.kind === "preparing" && reply.total > 1 ? reply.done / reply.total : null;
  if (reply.kind === "analysis" && reply.moves?.length) {
    each.answer = reply;
    if (reply.moves[0].unit === "discs") remember(node, reply);
  }
  if (reply.last) each.stop = () => {};
  if (reply.kind === "analysis" && reply.last && !each.answer)
    each.trouble = `${each.name} gives single moves no value.`;
  soon();
}

/** Keeps the value of the position for the graph, which is in discs from black's view. */
function remember(node, reply) {
  const best = reply.moves[0].value;
  const before = node.value;
  node.value = node.position.turn === "black" ? best : -best;
  if (node.value !== before) table.tell("notes", { quiet: true });
}

/** What is written on the squares: the first analyst's values, the second's below them. */
function notes() {
  const [first, second] = slots.map(({ answer }) => answer?.moves ?? []);
  const best = first[0]?.value;
  const below = new Map(second.map(({ move, value_text: text }) => [move, squareText(text)]));
  const note = ({ move, value, value_text: text, exact }) => ({
    lines: [squareText(text), ...(below.has(move) ? [below.get(move)] : [])],
    meaning: below.has(move) ? "values of both analysts" : "value",
    exact,
    best: value === best,
  });
  return new Map(first.filter(({ move }) => move !== table.tree.pass).map((each) => [each.move, note(each)]));
}

function show() {
  if (!isShown()) return;
  board.showNotes(isOn() ? notes() : new Map());
  setText(byId("analysis-state"), stateText());
  const bar = byId("analysis-progress");
  const { preparing, prepared, answer } = slots[0];
  bar.classList.toggle("idle", !preparing || Boolean(answer));
  if (prepared === null) bar.removeAttribute("value");
  else bar.value = prepared;
  byId("analysis-state").classList.toggle(
    "trouble",
    slots.some(({ trouble }) => trouble),
  );
  showTable();
}

function stateText() {
  const trouble = slots.map((each) => each.trouble).find(Boolean);
  if (trouble) return trouble;
  if (!isOn()) return "Analysis is off.";
  if (table.position.over) return "The game is over: there is nothing left to judge.";
  if (table.position.mustPass) return `${capital(table.position.turn)} must pass: there is nothing to choose.`;
  if (!server.isOpen) return "Analysis goes on when the connection is back.";
  const { answer } = slots[0];
  const view = `from the view of ${table.position.turn}, to move.`;
  if (!answer) return slots[0].preparing || `${capital(view)} Looking…`;
  const work = [
    answer.moves.every(({ exact }) => exact) ? "exact" : answer.depth ? `depth ${depthText(answer)}` : "",
    answer.nodes ? `${short(answer.nodes)} positions` : "",
    `${answer.seconds.toFixed(1)} s`,
    answer.cut ? `ended early: ${answer.cut}` : answer.last ? "finished" : "",
  ];
  return `${UNITS[answer.moves[0].unit] ?? "Values"}, ${view} ${capital(work.filter(Boolean).join(", "))}.`;
}

/** Rows are kept and moved, not made anew, so that a focused button stays what it was. */
function showTable() {
  const body = byId("opinions-body");
  const order = (slots[0].answer ?? slots[1].answer)?.moves ?? []; // the best first
  const seconds = new Map((slots[1].answer?.moves ?? []).map((move) => [move.move, move]));
  byId("opinions").classList.toggle("two", slots[1].agent !== NOBODY);
  for (const cell of document.querySelectorAll(".second")) cell.hidden = slots[1].agent === NOBODY;
  setText(byId("first-head"), slots[0].name);
  setText(byId("second-head"), slots[1].name);
  const wanted = order.map(({ move }) => move);
  for (const [move, row] of rows)
    if (!wanted.includes(move)) {
      row.remove();
      rows.delete(move);
    }
  order.forEach((move, place) => placeRow(body, place, move, seconds.get(move.move)));
}

function placeRow(body, place, move, second) {
  const row = rows.get(move.move) ?? newRow(move.move);
  rows.set(move.move, row);
  if (body.children[place] !== row) {
    const focused = row.contains(document.activeElement);
    body.insertBefore(row, body.children[place] ?? null);
    if (focused) row.querySelector("button").focus();
  }
  const [, first, other, expected] = row.children;
  setText(first, slots[0].answer ? withoutUnit(move.value_text) : "");
  first.classList.toggle("exact", Boolean(move.exact));
  setText(other, second ? withUnit(second) : "");
  other.hidden = slots[1].agent === NOBODY;
  showLine(expected, table.node, move.pv ?? [], 1);
}

function newRow(move) {
  const name = squareName(move, table.tree.rules.size);
  const point = (square) => () => board.preview(square);
  return el(
    "tr",
    { onpointerenter: point(move), onpointerleave: point(null) },
    el("td", {}, newButton({ class: "quiet", "aria-label": `Play ${name}`, onclick: () => table.play(move) }, name)),
    el("td", {}),
    el("td", { class: "second" }),
    el("td", { class: "line line-moves" }),
  );
}

const soon = oncePerFrame(show);

function choose(index, { value, name }, nobodyName) {
  Object.assign(slots[index], {
    agent: value,
    name: value === DEFAULT ? "Analyst" : value === NOBODY ? nobodyName : name,
  });
  restart();
}

function build() {
  const first = agentPicker("Analyst", [{ value: DEFAULT, text: "Best available" }], (picked) =>
    choose(0, picked, ""),
  );
  const second = agentPicker("Second opinion", [{ value: NOBODY, text: "Nobody" }], (picked) =>
    choose(1, picked, "Nobody"),
  );
  const toggle = el("input", {
    type: "checkbox",
    id: "analyse-on",
    onchange: () => {
      setHabit("analysis", toggle.checked);
      restart();
    },
  });
  toggle.checked = habit("analysis", true);
  byId("panel-values").append(
    el("label", { class: "choice" }, toggle, "Judge every legal move"),
    el("div", { class: "fields" }, first.field, second.field),
    el("p", { id: "analysis-state", class: "hint" }),
    el("progress", { id: "analysis-progress", class: "idle", max: 1, "aria-label": "Preparing (first time only)" }),
    el(
      "div",
      { class: "opinions", id: "opinions", tabindex: "0", role: "group", "aria-label": "Judgement of the moves" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "Move"),
            el("th", { scope: "col", id: "first-head" }),
            el("th", { scope: "col", id: "second-head", class: "second" }),
            el("th", { scope: "col" }, "Then expected"),
          ),
        ),
        el("tbody", { id: "opinions-body" }),
      ),
    ),
    el(
      "p",
      { class: "hint" },
      "On the board: a box with an edge is an exact value, one without an estimate; a ring is the best move.",
    ),
  );
}

/** Builds the panel and listens to the table. @param {import("./board.js").BoardView} view */
export function setUpAnalysis(view) {
  board = view;
  build();
  for (const event of ["game", "cursor", "view", "tab"]) table.on(event, restart);
  server.addEventListener("open", restart);
  server.addEventListener("closed", soon);
}

/** Switches the analysis on or off. */
export function toggleAnalysis() {
  byId("analyse-on").click();
}
