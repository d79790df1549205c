/** The wheel and the finger on the board: turning the one or swiping with the other steps through the game. */
import { table } from "./table.js";

const TURN = 40; // pixels of the wheel for a step; a touch pad sends many small ones
const REST = 60; // milliseconds between two steps
const SWIPE = 45; // pixels

function step(forward) {
  table.goTo(forward ? table.tree.forward() : table.node.parent);
}

function watchWheel(place) {
  let turned = 0;
  let last = 0;
  place.addEventListener(
    "wheel",
    (event) => {
      const { node, tree } = table;
      const isScroll = event.ctrlKey || event.shiftKey || place.classList.contains("zoomed");
      if (isScroll || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
      const next = event.deltaY > 0 ? tree.forward() : node.parent;
      if (!node.parent && !node.children.length) return; // nothing to step through: the page scrolls
      event.preventDefault();
      turned = Math.sign(turned) === Math.sign(event.deltaY) ? turned + event.deltaY : event.deltaY;
      if (!next || Math.abs(turned) < TURN || event.timeStamp - last < REST) return;
      [turned, last] = [0, event.timeStamp];
      table.goTo(next);
    },
    { passive: false },
  );
}

/** A swipe to the left leads on, as one turns a page. */
function watchSwipes(place) {
  let from = null;
  place.addEventListener("touchstart", ({ touches }) => {
    from = touches.length === 1 && !place.classList.contains("zoomed") ? touches[0] : null;
  }, { passive: true });
  place.addEventListener("touchend", ({ changedTouches: [to] }) => {
    if (!from) return;
    const [x, y] = [to.clientX - from.clientX, to.clientY - from.clientY];
    from = null;
    if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) step(x < 0);
  });
}

/** Listens to the board. @param {import("./board.js").BoardView} board */
export function setUpStepping(board) {
  watchWheel(board.place);
  watchSwipes(board.place);
}
