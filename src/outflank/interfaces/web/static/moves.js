/**
 * The moves of the game with their variations, as text that can be pressed.
 *
 * The main line runs through, a pair of moves to a line; a variation stands indented after the move that it could have replaced, and so on inside
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

/** Writes a line from a node on into a place, black's moves in one column and white's in the other, with variations. */
function writeLine(first, place) {
  let pair = null;
  for (let node = first; node; node = node.children[0]) {
    const side = node.parent.position.turn;
    if (!pair || side === "black") {
      pair = el("div", { class: "pair" }, el("span", { class: "turn-number" }, `${node.ply}.`));
      place.append(pair);
    }
    pair.append(el("span", { class: `move of-${side}` }, moveButton(node)));
    const variations = node.parent.children[0] === node ? node.parent.children.slice(1) : [];
    for (const variation of variations) {
      const box = el("div", { class: "variation" });
      writeLine(variation, box);
      place.append(box);
    }
    if (variations.length) pair = null;
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

/** Scrolls the list, and never the page, so that the move and the line after it can be seen, and no line is cut. */
function keepInSight(place, button) {
  const pairs = [...place.querySelectorAll(".pair")];
  const pair = button.closest(".pair");
  const next = pairs[pairs.indexOf(pair) + 1] ?? pair;
  const least = next.offsetTop + next.offsetHeight - place.clientHeight;
  if (pair.offsetTop < place.scrollTop) place.scrollTop = pair.offsetTop;
  else if (least > place.scrollTop) place.scrollTop = pairs.find(({ offsetTop }) => offsetTop >= least).offsetTop;
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
