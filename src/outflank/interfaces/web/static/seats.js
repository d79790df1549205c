/**
 * What stands around the board: two seats with names, counts and clocks, the state of the game in words, the buttons
 * that act on it, and what the thinking agent thinks.
 */
import { announce, byId, capital, el, plural, setText, short } from "./dom.js";
import { clockText, secondsLeft } from "./clock.js";
import { isThinking, redoTarget, resigningSide, step, undoTarget } from "./match.js";
import { showLine } from "./lines.js";
import { server } from "./server.js";
import { table } from "./table.js";
import {
  depthText,
  hasPassed,
  lineText,
  moveSpoken,
  PREPARING,
  placeSpoken,
  playerName,
  rulesLine,
  status,
  withUnit,
} from "./words.js";

const SIDES = ["black", "white"];
const LOW_TIME = 20;
/** @type {Record<string, Record<string, HTMLElement>>} */
const seats = {};

function buildSeat(side) {
  const parts = {
    who: el("span", { class: "who" }),
    doing: el("span"),
    clock: el("span", { class: "clock" }),
    count: el("span", { class: "count" }),
  };
  const seat = byId(`seat-${side}`);
  seat.append(
    el("span", { class: `stone ${side}` }),
    el("span", { class: "person" }, parts.who, " ", el("span", { class: "doing" }, parts.clock, parts.doing)),
    " ",
    parts.count,
    el("span", { class: "unseen" }, " discs. Change who plays."),
  );
  seats[side] = { seat, ...parts };
}

function showSeats() {
  for (const side of SIDES) {
    const { seat, who, doing, count } = seats[side];
    const player = table.players[side];
    const toMove = table.position.turn === side && !table.tree.over;
    seat.classList.toggle("to-move", toMove);
    setText(who, playerName(player));
    seat.title = `${player.text ?? playerName(player)}: press to change who plays`;
    setText(doing, toMove ? `${side} ${act(player)}` : hasPassed(side) ? `${side} passed` : side);
    doing.classList.toggle("passed", hasPassed(side));
    setText(count, String(table.position[side]));
  }
  showClocks();
}

/** What the player to move does. */
function act({ kind }) {
  if (kind === "agent" && isThinking()) return table.preparing ? `preparing…${prepared}` : "thinking…";
  return kind === "agent" && server.lost ? "waits" : "to move";
}

/** How far the agent to move is prepared, in words. */
let prepared = "";

function showClocks() {
  for (const side of SIDES) {
    const left = secondsLeft(side);
    setText(seats[side].clock, left === null ? "" : clockText(left));
    seats[side].clock.classList.toggle("low", left !== null && left < LOW_TIME);
  }
}

function showStatus() {
  const { title, more } = status();
  document.title = `${title} – Outflank`;
  setText(byId("rules"), rulesLine());
  setText(byId("status"), title);
  setText(byId("status-more"), more);
  const { tree, node, position } = table;
  const length = tree.line().length - 1;
  setText(byId("ply"), node.ply ? `Move ${node.ply} of ${length}` : length ? `Start, ${plural(length, "move")} ${length === 1 ? "follows" : "follow"}` : "Start");
  showButtons(tree, node, position);
}

function showButtons(tree, node, position) {
  const playing = table.view === "play";
  const agents = SIDES.some((side) => table.players[side].kind === "agent");
  const passes = position.mustPass && !table.over && (!playing || table.mover.kind === "person");
  const may = {
    pass: passes,
    undo: node.end || undoTarget(),
    redo: redoTarget(),
    resign: !tree.over && !node.children.length && resigningSide(),
    pause: !tree.over && (agents || table.clock),
    step: !tree.over && table.mover.kind === "agent",
    hint: playing && table.mover.kind === "person" && position.legal.size > 1 && !node.children.length && server.isOpen,
    "play-from": !position.over,
    "go-first": node.parent,
    "go-back": node.parent,
    "go-next": node.children.length,
    "go-last": node.children.length,
  };
  for (const [id, possible] of Object.entries(may)) byId(id).disabled = !possible;
  document.querySelector(".status-card").classList.toggle("over", playing && tree.isFinished);
  byId("pass").classList.toggle("wanted", passes);
  setText(byId("pause").lastElementChild, table.paused ? "Go on" : "Pause");
  byId("pause").firstElementChild.firstElementChild.setAttribute("href", table.paused ? "#i-next" : "#i-pause");
}

/** The parts of what an agent thinks; they stay, so that its line can be pressed while it changes. */
const thought = {
  who: el("p"),
  facts: el("dl", { class: "facts" }),
  line: el("p", { class: "pv hint" }),
  moves: el("span", { class: "line-moves" }),
  more: el("span"),
};
thought.line.append(thought.moves, thought.more);

function showThinking({ side, reply }) {
  setText(byId("thinking-title"), table.preparing ? capital(PREPARING) : "Thinking");
  if (!side) showThinker();
  if (!reply) return show();
  const { name } = table.players[side];
  if (reply.kind === "preparing") {
    const { done, total } = reply;
    prepared = total > 1 ? ` ${Math.round((100 * done) / total)} %` : "";
    showSeats();
    return byId("thinking").replaceChildren(...preparing(name, reply));
  }
  const facts = [
    ["Depth", depthText(reply) || null],
    ["Positions", reply.nodes ? short(reply.nodes) : null],
    ["Playouts", reply.playouts ? short(reply.playouts) : null],
    ["Seconds", reply.seconds?.toFixed(1)],
    [`Value for ${side}`, reply.forced ? "only move" : withUnit(reply)],
  ].filter(([, value]) => value);
  const verb = reply.kind === "decision" ? "chose" : "considers";
  setText(thought.who, `${name} (${side}) ${verb} ${lineText(reply.pv.slice(0, 1))}`);
  thought.facts.replaceChildren(
    ...facts.map(([label, value]) => el("div", {}, el("dt", {}, label), el("dd", {}, String(value)))),
  );
  showLine(thought.moves, table.node, reply.pv.length > 1 ? reply.pv : []);
  setText(thought.more, [reply.cut ? `Ended early: ${reply.cut}` : "", reply.note].filter(Boolean).join(". "));
  const parts = [thought.who, thought.facts, thought.line];
  if (byId("thinking").firstChild !== thought.who) byId("thinking").replaceChildren(...parts);
}

function preparing(name, { what, done, total }) {
  return [
    el("p", {}, `${name}: ${what}`),
    el("progress", { ...(total > 1 && { value: done, max: total }), "aria-label": PREPARING }),
    el("p", { class: "hint" }, "Its code is compiled for this machine and kept. No clock runs meanwhile."),
  ];
}

function showThinker() {
  const thinks = SIDES.filter((side) => table.players[side].kind === "agent");
  const text = thinks.length
    ? "When an agent thinks, its depth, its positions, its judgement and the line it expects are shown here."
    : "Two persons play. Press a name above the board and choose an agent to see it think here.";
  byId("thinking").replaceChildren(el("p", { class: "hint" }, text));
}

function show() {
  showSeats();
  showStatus();
}

/** Takes a resignation back, else the moves since the last choice of a person. */
function undo() {
  if (table.node.end?.reason !== "resigned") return table.goTo(undoTarget());
  delete table.node.end;
  table.tell("cursor");
}

/** Builds the seats and listens to the table. */
export function setUpSeats() {
  SIDES.forEach(buildSeat);
  for (const event of ["game", "players"]) table.on(event, showThinker);
  for (const event of ["game", "seats", "view"]) table.on(event, show);
  table.on("notes", ({ quiet }) => {
    if (!quiet) showStatus();
  });
  table.on("cursor", ({ played, from }) => {
    show();
    announce(played ? moveSpoken(from) : placeSpoken());
  });
  table.on("tick", showClocks);
  table.on("preparing", () => {
    show();
    if (table.preparing) announce(`${table.mover.name}: ${PREPARING}.`);
  });
  table.on("thinking", showThinking);
  for (const event of ["open", "closed"]) server.addEventListener(event, show);
  byId("pass").addEventListener("click", () => table.play(table.tree.pass));
  byId("undo").addEventListener("click", undo);
  byId("redo").addEventListener("click", () => table.goTo(redoTarget()));
  byId("pause").addEventListener("click", () => table.setPaused(!table.paused));
  byId("step").addEventListener("click", () => {
    table.setPaused(true);
    step();
  });
  byId("go-first").addEventListener("click", () => table.goTo(table.tree.root));
  byId("go-back").addEventListener("click", () => table.goTo(table.node.parent));
  byId("go-next").addEventListener("click", () => table.goTo(table.tree.forward()));
  byId("go-last").addEventListener("click", () => table.goTo(table.tree.line().at(-1)));
}
