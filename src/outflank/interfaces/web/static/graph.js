/**
 * The course of the game as a curve: how many discs black is ahead by with best play, ply by ply.
 *
 * The thick line is the judgement of analysis or review where there is one, the thin dashed line the discs that lie
 * on the board. Where agents have played, what each thought before its moves is a curve of its own, with full dots
 * for black and hollow ones for white, in discs or, where its unit is another, from its loss to its win. Marks of a review have shapes: a circle for an inaccuracy, a diamond for a mistake, a triangle for a
 * blunder. The whole graph is a slider: drag it, or focus it and use the arrow keys, to move through the game.
 */
import { byId, oncePerFrame, svg } from "./dom.js";
import { squareName } from "./rules.js";
import { isBotMatch, valueOf } from "./evaluation.js";
import { table } from "./table.js";
import { playerName, signed } from "./words.js";

const ROOM = { left: 34, right: 12, top: 12, bottom: 12 };
const LEAST_RANGE = 8; // discs
const RANGE_STEP = 4; // discs
const LEAST_PLIES = 10;
const OUTLIER = 20; // times what is usual

/** The disc difference from black's view and by the rules: fewer is better in the reversed game. */
function discsAhead(node) {
  const margin = node.position.black - node.position.white;
  return table.tree.rules.variant === "reversed" ? -margin : margin;
}

function scales(line, width, height) {
  const all = line.flatMap((node) => [discsAhead(node), valueOf(node) ?? 0].map(Math.abs));
  const range = Math.ceil(Math.max(LEAST_RANGE, ...all) / RANGE_STEP) * RANGE_STEP;
  const plies = Math.max(line.length - 1, LEAST_PLIES);
  return {
    range,
    plies,
    x: (ply) => ROOM.left + (ply / plies) * (width - ROOM.left - ROOM.right),
    y: (value) => ROOM.top + ((range - value) / (2 * range)) * (height - ROOM.top - ROOM.bottom),
  };
}

/** A path through the points that are known; gaps stay gaps. */
function path(line, value, { x, y }) {
  let pen = "M";
  return line
    .map((node) => {
      const known = value(node);
      if (known === undefined) {
        pen = "M";
        return "";
      }
      const point = `${pen}${x(node.ply).toFixed(1)} ${y(known).toFixed(1)}`;
      pen = "L";
      return point;
    })
    .join("");
}

/** The shape of a mark around a point. */
function flag(mark, x, y) {
  const r = 5;
  const shapes = {
    inaccuracy: `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
    mistake: `M${x} ${y - r - 1}l${r + 1} ${r + 1}l${-r - 1} ${r + 1}l${-r - 1} ${-r - 1}z`,
    blunder: `M${x} ${y - r - 2}l${r + 2} ${2 * r + 1}h${-2 * r - 4}z`,
  };
  return svg("path", { class: `flag ${mark}`, d: shapes[mark] });
}

/** What the agent of a side thought before its moves, as points; other units than discs fill the height. */
function thoughts(line, side, range) {
  const told = line.filter(({ thought, position }) => thought && position.turn === side);
  const sizes = told.map(({ thought }) => Math.abs(thought.value)).sort((a, b) => a - b);
  const usual = OUTLIER * (sizes[sizes.length >> 1] || 1); // a win in sight may be worth a million points
  const largest = Math.max(1, ...sizes.filter((size) => size <= usual));
  const within = (value) => Math.max(-range, Math.min(range, value));
  const scaled = ({ value, unit }) => {
    if (unit === "discs") return within(value);
    if (unit === "wins") return (2 * value - 1) * range;
    return within((value / (unit === "result" ? 1 : largest)) * range);
  };
  return told.map((node) => ({ ply: node.ply, value: scaled(node.thought) }));
}

function thoughtCurve(points, side, { x, y }) {
  const d = points.map(({ ply, value }, i) => `${i ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const dot = ({ ply, value }) => svg("circle", { class: `thought ${side}`, cx: x(ply), cy: y(value), r: 2.5 });
  return points.length ? [svg("path", { class: `thought ${side}`, d }), ...points.map(dot)] : [];
}

/** Which curves there are. */
function showKeys(curves) {
  for (const side of ["black", "white"]) {
    const key = byId(`key-${side}`);
    key.hidden = !curves[side].length;
    key.textContent = `${playerName(table.players[side])} (${side})`;
  }
  byId("key-value").hidden = isBotMatch() && table.view === "play";
}

function draw() {
  const place = byId("graph");
  const { clientWidth: width, clientHeight: height } = place;
  if (!width) return;
  const line = table.tree.line();
  const scale = scales(line, width, height);
  const { x, y, range } = scale;
  const at = table.node;
  const flags = line.slice(1).filter((node) => node.parent.review?.mark && node.parent.review.played === node.move);
  const known = valueOf(at) ?? discsAhead(at);
  const curves = { black: thoughts(line, "black", range), white: thoughts(line, "white", range) };
  showKeys(curves);
  const label = (value, text) => svg("text", { x: ROOM.left - 5, y: y(value) + 4, "text-anchor": "end" }, text);
  place.firstChild.replaceChildren(
    label(range, signed(range)),
    label(0, "0"),
    label(-range, signed(-range)),
    svg("path", { class: "zero", d: `M${x(0)} ${y(0)}H${x(scale.plies)}` }),
    svg("path", { class: "discs", d: path(line, discsAhead, scale) }),
    ...thoughtCurve(curves.black, "black", scale),
    ...thoughtCurve(curves.white, "white", scale),
    svg("path", { class: "line", d: path(line, valueOf, scale) }),
    ...flags.map((node) => flag(node.parent.review.mark, x(node.ply), y(valueOf(node) ?? discsAhead(node)))),
    svg("path", { class: "cursor", d: `M${x(at.ply)} ${ROOM.top}V${height - ROOM.bottom}` }),
    svg("circle", { class: "spot", cx: x(at.ply), cy: y(known), r: 5 }),
  );
  place.setAttribute("aria-valuemax", String(line.length - 1));
  place.setAttribute("aria-valuenow", String(at.ply));
  place.setAttribute("aria-valuetext", spoken(at));
}

function spoken(node) {
  const move = node.ply ? `move ${node.ply}, ${squareName(node.move, table.tree.rules.size)}` : "start";
  const value = valueOf(node);
  return value === undefined ? `${move}, not yet judged` : `${move}, ${signed(value)} discs for black`;
}

function pull(event) {
  if (event.type !== "pointerdown" && !event.buttons) return;
  const place = byId("graph");
  const line = table.tree.line();
  const box = place.getBoundingClientRect();
  const plies = Math.max(line.length - 1, LEAST_PLIES);
  const share = (event.clientX - box.left - ROOM.left) / (box.width - ROOM.left - ROOM.right);
  const ply = Math.min(Math.max(Math.round(share * plies), 0), line.length - 1);
  if (event.type === "pointerdown") place.setPointerCapture(event.pointerId);
  table.goTo(line[ply]);
}

function key(event) {
  const line = table.tree.line();
  const { ply } = table.node;
  const targets = {
    ArrowLeft: ply - 1,
    ArrowDown: ply - 1,
    ArrowRight: ply + 1,
    ArrowUp: ply + 1,
    PageDown: ply - 10,
    PageUp: ply + 10,
    Home: 0,
    End: line.length - 1,
  };
  if (!(event.key in targets)) return;
  event.preventDefault();
  event.stopPropagation();
  table.goTo(line[Math.min(Math.max(targets[event.key], 0), line.length - 1)]);
}

/** Makes the graph a slider and listens to the table. */
export function setUpGraph() {
  const place = byId("graph");
  place.append(svg("svg", { "aria-hidden": "true" }));
  for (const [name, value] of Object.entries({
    role: "slider",
    tabindex: "0",
    "aria-valuemin": "0",
    "aria-labelledby": "graph-title",
  })) {
    place.setAttribute(name, value);
  }
  place.addEventListener("pointerdown", pull);
  place.addEventListener("pointermove", pull);
  place.addEventListener("keydown", key);
  const soon = oncePerFrame(draw);
  new ResizeObserver(soon).observe(place);
  for (const event of ["game", "cursor", "notes", "view", "seats"]) table.on(event, soon);
}
