/**
 * Lines of moves that can be pressed: any move of an expected or better line puts the game there, as a variation.
 *
 * A line is one stop of the tab key; the arrow keys walk along its moves.
 */
import { byId, newButton } from "./dom.js";
import { squareName } from "./rules.js";
import { table } from "./table.js";

const LONGEST = 16;

/** What a place shows now. @type {WeakMap<HTMLElement, {node: any, text: string}>} */
const known = new WeakMap();

/**
 * Shows moves from a position in a place; the first `skipped` of them are played too but not written.
 * A line that is there already is left alone, so that nobody loses a button under the finger.
 * @param {HTMLElement} place @param {import("./tree.js").Node} node @param {number[]} moves
 */
export function showLine(place, node, moves, skipped = 0) {
  const text = moves.join(" ");
  const before = known.get(place);
  if (before?.node === node && before.text === text) return;
  known.set(place, { node, text });
  const { size } = table.tree.rules;
  const buttons = moves.slice(skipped, skipped + LONGEST).map((move, i) =>
    newButton(
      {
        class: "line-move",
        tabindex: i ? -1 : 0,
        "aria-label": `Show ${squareName(move, size)}, move ${i + 1} of the line`,
        onclick: () => walk(node, moves.slice(0, skipped + i + 1)),
        onkeydown: (event) => {
          const next = buttons[i + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? NaN)];
          if (!next) return;
          event.preventDefault();
          next.focus();
        },
      },
      squareName(move, size),
    ),
  );
  const held = [...place.children].indexOf(document.activeElement);
  place.replaceChildren(...buttons);
  if (held >= 0) buttons[Math.min(held, buttons.length - 1)]?.focus(); // who walks along a line walks on in the new one
}

/** Grows a line and goes to its end, where it can be looked at. */
function walk(node, moves) {
  const last = table.tree.growLine(node, moves);
  if (table.view !== "analyse") table.setView("analyse");
  table.goTo(last);
  byId("board").scrollIntoView({ block: "nearest" });
  table.tell("notes");
}
