/** What one does beside moving: ask for a hint, play again, review the game that is over, change who plays. */
import { announce, byId, toast } from "./dom.js";
import { squareName } from "./rules.js";
import { server } from "./server.js";
import { table } from "./table.js";
import { GameTree } from "./tree.js";
import { markForRecord } from "./record.js";
import { preparingText, squareText, withUnit } from "./words.js";

const HINT_SECONDS = 1.5;

/** The position for which a hint is sought. @type {any} */
let asked = null;

/** Has the analyst look at the position for a moment and shows the best move on the board. */
function hint(board) {
  const { node, tree } = table;
  if (asked === node) return;
  asked = node;
  if (tree.root.record) tree.root.record.help = "a hint was taken";
  announce("Looking for a hint.");
  server.stream("analyse", { game: tree.request(node), seconds: HINT_SECONDS }, (reply) => {
    if (asked !== node || table.node !== node) return;
    if (reply.kind === "preparing") return toast(preparingText(reply));
    if (!reply.last) return;
    asked = null;
    if (!reply.moves?.length) return toast(`There is no hint: ${reply.message ?? "nobody answered."}`, true);
    const [best] = reply.moves;
    const note = { lines: [squareText(best.value_text)], meaning: "hint, value", exact: best.exact, best: true };
    board.showNotes(new Map([[best.move, note]]));
    toast(`Hint: ${squareName(best.move, tree.rules.size)}, ${withUnit(best)} for ${node.position.turn}.`);
  });
}

/** The same game from its beginning, or from the end of the opening that was given. */
function rematch(swapped) {
  const { tree, clock, players } = table;
  const again = new GameTree(tree.rules, tree.start);
  const opening = tree.root.opening ?? 0;
  for (const { move } of tree.line().slice(1, opening + 1)) again.play(move);
  again.root.opening = opening;
  const seats = swapped ? { black: players.white, white: players.black } : players;
  if (tree.root.record) markForRecord(again, seats);
  table.open({ tree: again, players: seats, clock, view: "play" });
  announce(`New game. You may begin.`);
}

/** Looks at the game that is over in "Analyse", with its review. */
function review() {
  table.setView("analyse");
  byId("tab-review").click();
  if (byId("review-start").dataset.state !== "running") byId("review-start").click();
}

/** Opens the dialog in which players are changed; it is loaded when it is first needed. */
export async function openPlayers(how) {
  try {
    const { changePlayers } = await import("./players.js");
    changePlayers(how);
  } catch {
    toast("This needs the server, which cannot be reached.", true);
  }
}

/** Listens to the buttons. @param {import("./board.js").BoardView} board */
export function setUpActions(board) {
  byId("hint").addEventListener("click", () => hint(board));
  byId("rematch").addEventListener("click", () => rematch(false));
  byId("rematch-swapped").addEventListener("click", () => rematch(true));
  byId("review-game").addEventListener("click", review);
  byId("play-from").addEventListener("click", () => openPlayers("from here"));
  for (const side of ["black", "white"])
    byId(`seat-${side}`).addEventListener("click", () =>
      openPlayers(table.view === "analyse" ? "from here" : "go on"),
    );
  table.on("players", () => {
    const { record } = table.tree.root;
    if (record) record.help = "the players were changed";
  });
}
