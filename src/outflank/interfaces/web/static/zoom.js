/**
 * Larger squares, offered where a finger would miss them: a board of many squares on a small screen. The board is then
 * a window over its squares, which follows the game and can be dragged.
 */
import { byId } from "./dom.js";
import { table } from "./table.js";

const LEAST = 30; // pixels of a square

/** The room of a square without zoom. */
const room = (place) => place.clientWidth / table.tree.rules.size;

/** Shows the square of the last move in the middle of the window. */
function follow(board) {
  const { place } = board;
  if (!place.classList.contains("zoomed")) return;
  const square = board.squares[table.node.move] ?? board.squares[board.focused];
  const [inner, outer] = [square.getBoundingClientRect(), place.getBoundingClientRect()];
  place.scrollBy(
    inner.left + inner.width / 2 - outer.left - outer.width / 2,
    inner.top + inner.height / 2 - outer.top - outer.height / 2,
  );
}

/** Builds the switch. @param {import("./board.js").BoardView} board */
export function setUpZoom(board) {
  const button = byId("zoom");
  const set = (zoomed) => {
    board.place.classList.toggle("zoomed", zoomed);
    button.setAttribute("aria-pressed", String(zoomed));
    follow(board);
  };
  const offer = () => {
    button.hidden = !(room(board.place) < LEAST);
    if (button.hidden) set(false);
  };
  button.addEventListener("click", () => set(!board.place.classList.contains("zoomed")));
  new ResizeObserver(offer).observe(board.place);
  table.on("game", offer);
  table.on("cursor", () => follow(board));
}
