/**
 * What is known about the value of positions, and the bar above the board that shows it at a glance.
 *
 * The bar belongs to whoever looks at a game: it is there in "Analyse", and in "Play" only when agents play each other.
 */
import { byId, oncePerFrame, setText } from "./dom.js";
import { table } from "./table.js";
import { signed } from "./words.js";

const HALF = 12; // discs ahead at which three quarters of the way to the end of the bar are filled

/** The value of a position in discs from black's view, undefined where nobody has looked. */
export const valueOf = (node) => node.review?.value ?? node.value;

/** Whether both sides are agents. */
export const isBotMatch = () => Object.values(table.players).every(({ kind }) => kind === "agent");

/** What is known of the position on screen: analysis, the result, or what the last agent thought before its move. */
function known() {
  const { node, position, tree } = table;
  if (position.over) {
    const margin = position.black - position.white;
    return { value: tree.rules.variant === "reversed" ? -margin : margin, unit: "discs" };
  }
  const value = valueOf(node);
  if (value !== undefined) return { value, unit: "discs" };
  return isBotMatch() ? (node.thought ?? node.parent?.thought ?? null) : null;
}

/** The share of the bar that is black's; half where the unit is the evaluation's own. */
function shareOf({ value, unit }) {
  if (unit === "wins") return value;
  if (unit === "result") return (value + 1) / 2;
  return unit === "discs" ? 0.5 + Math.tanh(value / HALF) / 2 : 0.5;
}

function words(found) {
  if (!found) return "not judged";
  const { value, unit } = found;
  if (unit === "wins") return `${Math.round(100 * value)} %`;
  return unit === "discs" || unit === "points" ? signed(value) : { 1: "win", 0: "draw", "-1": "loss" }[value];
}

function show() {
  const bar = byId("evaluation");
  const found = known();
  const text = words(found);
  bar.classList.toggle("unknown", !found);
  bar.style.setProperty("--black", `${(100 * (found ? shareOf(found) : 0.5)).toFixed(1)}%`);
  setText(bar.lastElementChild, found ? text : "");
  bar.setAttribute("aria-valuenow", String(Math.round(100 * (found ? shareOf(found) : 0.5))));
  bar.setAttribute("aria-valuetext", found ? `${text} for black${found.unit === "discs" ? ", in discs" : ""}` : text);
}

/** Listens to the table. */
export function setUpBar() {
  const soon = oncePerFrame(show);
  for (const event of ["game", "cursor", "notes", "view", "seats"]) table.on(event, soon);
  table.on("seats", () => {
    document.documentElement.dataset.bots = isBotMatch() ? "both" : "";
  });
}
