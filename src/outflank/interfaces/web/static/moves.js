/**
 * The moves of the game with their variations, as text that can be pressed.
 *
 * The main line runs through; a variation stands indented after the move that it could have replaced, and so on inside
 * it. Marks of a review follow the move: ?! inaccuracy, ? mistake, ?? blunder.
 */
import { byId, el, newButton, oncePerFrame } from "./dom.js";
import { squareName } from "./rules.js";
import { table } from "./table.js";

export const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

function moveButton(node) {
  const name = squareName(node.move, table.tree.rules.size);
  const mark = node.parent.review?.played === node.move ? node.parent.review.mark : "";
  const current = node === table.node;
  return newButton(
    {
      "aria-current": current && "step",
      "aria-label": `${node.ply}, ${node.parent.position.turn} ${name}${mark ? `, ${mark}` : ""}`,
      onclick: () => table.goTo(node),
    },
    name,
    mark ? el("span", { class: `mark ${mark}` }, MARKS[mark]) : null,
  );
}

/** Writes a line from a node on into a place, variations included. */
function writeLine(first, place) {
  let needsNumber = true;
  for (let node = first; node; node = node.children[0]) {
    const number = needsNumber || node.ply % 2 ? el("span", { class: "turn-number" }, `${node.ply}.`) : null;
    place.append(el("span", { class: "move" }, number, moveButton(node)), " ");
    const variations = node.parent.children[0] === node ? node.parent.children.slice(1) : [];
    for (const variation of variations) {
      const box = el("div", { class: "variation" });
      writeLine(variation, box);
      place.append(box);
    }
    needsNumber = variations.length > 0;
  }
}

function show() {
  const place = byId("moves");
  const hadFocus = place.contains(document.activeElement) && document.activeElement !== place;
  const first = table.tree.root.children[0];
  place.replaceChildren();
  if (first) writeLine(first, place);
  else place.append(el("p", { class: "hint" }, "No moves yet."));
  const current = place.querySelector("[aria-current]");
  if (current) keepInSight(place, current);
  if (hadFocus) current?.focus();
  showActions();
}

/** Scrolls the list, and never the page, so that the move can be seen. */
function keepInSight(place, button) {
  const top = button.offsetTop;
  if (top < place.scrollTop) place.scrollTop = top;
  else if (top + button.offsetHeight > place.scrollTop + place.clientHeight) {
    place.scrollTop = top + button.offsetHeight - place.clientHeight;
  }
}

function showActions() {
  const { node } = table;
  const inVariation = (at) => at.parent && (at.parent.children[0] !== at || inVariation(at.parent));
  byId("promote").disabled = !inVariation(node);
  byId("remove").disabled = !node.parent;
}

function changed(work) {
  work(table.node);
  table.tell("cursor");
  table.tell("notes");
}

/** Builds the buttons and listens to the table. */
export function setUpMoves() {
  byId("move-actions").append(
    newButton(
      { id: "promote", class: "quiet", onclick: () => changed((node) => table.tree.promote(node)) },
      "Make main line",
    ),
    newButton({ id: "remove", class: "quiet", onclick: () => changed((node) => table.tree.remove(node)) }, "Remove"),
  );
  const soon = oncePerFrame(show);
  for (const event of ["game", "cursor"]) table.on(event, soon);
  table.on("notes", ({ quiet }) => {
    if (!quiet) soon();
  });
}
