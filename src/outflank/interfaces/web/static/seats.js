/**
 * What stands around the board: two seats with names, counts and clocks, the state of the game in words, the buttons
 * that act on it, and what the thinking agent thinks.
 */
import { announce, byId, capital, el, setText, short } from "./dom.js";
import { clockText, secondsLeft } from "./clock.js";
import { isThinking, redoTarget, resigningSide, step, undoTarget } from "./match.js";
import { server } from "./server.js";
import { table } from "./table.js";
import {
  depthText,
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
    who: el("div", { class: "who" }),
    doing: el("span"),
    clock: el("span", { class: "clock" }),
    count: el("div", { class: "count" }),
  };
  const seat = byId(`seat-${side}`);
  seat.setAttribute("role", "group");
  seat.append(
    el("span", { class: `stone ${side}` }),
    el("div", {}, parts.who, el("div", { class: "doing" }, parts.clock, parts.doing)),
    parts.count,
  );
  seats[side] = { seat, ...parts };
}

function showSeats() {
  for (const side of SIDES) {
    const { seat, who, doing, count } = seats[side];
    const player = table.players[side];
    const toMove = table.position.turn === side && !table.tree.over;
    seat.classList.toggle("to-move", toMove);
    seat.setAttribute("aria-label", `${capital(side)}, ${playerName(player)}`);
    setText(who, playerName(player));
    who.title = player.text ?? playerName(player);
    setText(doing, toMove ? `${side} ${act(player)}` : side);
    setText(count, String(table.position[side]));
    count.setAttribute("aria-label", `${table.position[side]} discs`);
    count.setAttribute("role", "img");
  }
  showClocks();
}

/** What the player to move does. */
function act({ kind }) {
  if (kind === "agent" && isThinking()) return table.preparing ? "preparing…" : "thinking…";
  return kind === "agent" && server.lost ? "waits" : "to move";
}

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
  setText(byId("ply"), node.ply ? `Move ${node.ply} of ${length}` : length ? `Start, ${length} moves follow` : "Start");
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
    "go-first": node.parent,
    "go-back": node.parent,
    "go-next": node.children.length,
    "go-last": node.children.length,
  };
  for (const [id, possible] of Object.entries(may)) byId(id).disabled = !possible;
  byId("pass").classList.toggle("wanted", passes);
  setText(byId("pause").lastElementChild, table.paused ? "Go on" : "Pause");
  byId("pause").firstElementChild.firstElementChild.setAttribute("href", table.paused ? "#i-next" : "#i-pause");
}

function showThinking({ side, reply }) {
  setText(byId("thinking-title"), table.preparing ? capital(PREPARING) : "Thinking");
  if (!side) showThinker();
  if (!reply) return show();
  const { name } = table.players[side];
  if (reply.kind === "preparing") return byId("thinking").replaceChildren(...preparing(name, reply));
  const facts = [
    ["Depth", depthText(reply) || null],
    ["Positions", reply.nodes ? short(reply.nodes) : null],
    ["Playouts", reply.playouts ? short(reply.playouts) : null],
    ["Seconds", reply.seconds?.toFixed(1)],
    [`Value for ${side}`, reply.forced ? "only move" : withUnit(reply)],
  ].filter(([, value]) => value);
  byId("thinking").replaceChildren(
    el(
      "p",
      {},
      `${name} (${side}) ${reply.kind === "decision" ? "chose" : "considers"} ${lineText(reply.pv.slice(0, 1))}`,
    ),
    el(
      "dl",
      { class: "facts" },
      ...facts.map(([label, value]) => el("div", {}, el("dt", {}, label), el("dd", {}, String(value)))),
    ),
    el(
      "p",
      { class: "pv hint" },
      [
        reply.cut ? `Ended early: ${reply.cut}` : "",
        reply.pv.length > 1 ? `Expected line: ${lineText(reply.pv)}` : "",
        reply.note,
      ]
        .filter(Boolean)
        .join(". "),
    ),
  );
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
    : "Two persons play. Choose an agent for a side in “New game” to see it think here.";
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
  table.on("game", showThinker);
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
