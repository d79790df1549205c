/** The board editor: choose what to put, press squares, say who is to move. */
import { byId, el, newButton, plural } from "./dom.js";
import { BoardView } from "./board.js";
import { field, makeDialog, radios } from "./dialogs.js";
import { positionOf, usualLine } from "./rules.js";
import { table } from "./table.js";
import { GameTree } from "./tree.js";

/** The position that is being edited. */
const edited = { size: 8, cells: "" };

/** What the position means for a game, in words. */
function describe(rules, cells, turn) {
  const { black, white, legal, over, mustPass } = positionOf(rules, cells, turn);
  const moves = over ? "neither side can move" : mustPass ? `${turn} must pass` : plural(legal.size, "legal move");
  return `Black ${black}, white ${white}; ${moves}.`;
}

/** Builds the dialog and the button that opens it. */
export function setUpEditor() {
  const put = radios("Put", "put", [
    ["X", "Black"],
    ["O", "White"],
    ["-", "Nothing"],
  ]);
  const turn = radios(
    "To move",
    "turn",
    [
      ["black", "Black"],
      ["white", "White"],
    ],
    () => show(),
  );
  const variant = radios("Who wins", "edit-variant", [
    ["standard", "Most discs"],
    ["reversed", "Fewest discs"],
  ]);
  const size = el(
    "select",
    { onchange: () => reset(Number(size.value), "usual") },
    ...[4, 6, 8, 10, 12, 14, 16].map((n) => el("option", { value: n }, `${n} × ${n}`)),
  );
  const state = el("p", { class: "hint", role: "status" });
  const place = el("div", { class: "board edit-board" });
  const board = new BoardView(place, (square) => press(square), "Board to edit");

  const rules = () => ({ variant: variant.value, size: edited.size });
  function show() {
    const { cells } = edited;
    board.show(positionOf(rules(), cells, turn.value), { size: edited.size, playable: false });
    for (const button of place.querySelectorAll(".square")) button.setAttribute("aria-disabled", "false");
    state.textContent = describe(rules(), cells, turn.value);
  }
  function press(square) {
    const cells = [...edited.cells];
    cells[square] = cells[square] === put.value ? "-" : put.value;
    edited.cells = cells.join("");
    show();
  }
  function reset(n, how) {
    Object.assign(edited, { size: n, cells: how === "usual" ? usualLine(n).split(" ")[0] : "-".repeat(n * n) });
    show();
  }
  function fromTable() {
    Object.assign(edited, { size: table.tree.rules.size, cells: table.position.cells });
    turn.value = table.position.turn;
    variant.value = table.tree.rules.variant;
    size.value = edited.size;
    show();
  }

  const dialog = makeDialog({
    title: "Edit the board",
    done: "Use this position",
    onOpen: fromTable,
    onDone: () => table.open({ tree: GameTree.fromPosition(rules(), edited.cells, turn.value), view: "analyse" }),
    body: [
      el(
        "div",
        { class: "edit-layout" },
        el("div", {}, place, state),
        el(
          "div",
          { class: "edit-side" },
          put.group,
          turn.group,
          variant.group,
          field("Board", size),
          el(
            "div",
            { class: "actions" },
            newButton({ onclick: () => reset(edited.size, "empty") }, "Clear"),
            newButton({ onclick: () => reset(edited.size, "usual") }, "Usual start"),
          ),
        ),
      ),
    ],
  });
  byId("open-edit").addEventListener("click", dialog.open);
}
