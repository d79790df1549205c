/**
 * A look into a tree search (UCT): how often it tried each move, and how many of the random games after it were won.
 *
 * The search tries promising moves more often, so the number of visits is its opinion, and the win rate its reason.
 */
import { byId, el, newButton, oncePerFrame, setText, short } from "./dom.js";
import { squareName } from "./rules.js";
import { server, STOPPED } from "./server.js";
import { table } from "./table.js";
import { preparingText } from "./words.js";

const PLAYOUTS = [10000, 100000, 1000000];
/** Ends the search that is under way, or that waits for the connection. @type {(() => void) | null} */
let stop = null;
/** @type {any} */
let answer = null;
/** @type {import("./board.js").BoardView} */
let board;

function start() {
  if (stop) return answer ? end() : forget();
  byId("tree-start").textContent = "Stop";
  ask();
}

function ask() {
  answer = null;
  setState("Growing a tree…");
  stop = server.stream("tree", { game: table.tree.request(), playouts: Number(byId("tree-playouts").value) }, heard);
}

function heard(reply) {
  if (reply.kind === "preparing") setState(preparingText(reply));
  if (reply.kind === "tree" && reply.moves?.length) answer = reply;
  if (reply.kind === "lost") {
    answer = null;
    setState("The tree is grown anew when the connection is back.", true);
  } else if (reply.last) end();
  if (reply.kind === "error") setState(reply.message, true);
  if (reply.kind === "stopped" && !answer) setState(`There is no tree: ${STOPPED}`, true);
  soon();
}

function end() {
  stop?.();
  stop = null;
  byId("tree-start").textContent = "Grow a tree here";
}

function setState(text, trouble = false) {
  setText(byId("tree-state"), text);
  byId("tree-state").classList.toggle("trouble", trouble);
}

const percent = (share) => (share === null || share === undefined ? "–" : `${(100 * share).toFixed(1)} %`);

function show() {
  if (table.view !== "analyse" || byId("panel-tree").hidden) return;
  const moves = [...(answer?.moves ?? [])].sort((a, b) => b.visits - a.visits);
  const most = moves[0]?.visits || 1;
  const note = ({ visits, win_rate: rate }) => ({
    lines: [`${Math.round(100 * (rate ?? 0))}%`, short(visits)],
    meaning: "share won and visits",
    best: visits === most,
  });
  const squares = moves.filter(({ move }) => move !== table.tree.pass);
  board.showNotes(new Map(squares.map((each) => [each.move, note(each)])));
  byId("tree-body").replaceChildren(...moves.map((each) => row(each, most)));
  if (answer) setState(treeText());
}

function treeText() {
  const cut = answer.cut ? ` Ended early: ${answer.cut}.` : "";
  return `From the view of ${table.position.turn}, to move. ${short(answer.playouts)} random games.${cut}`;
}

function row({ move, visits, win_rate: rate }, most) {
  const bar = el("span", { class: "bar" });
  bar.style.width = `${(100 * visits) / most}%`;
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, squareName(move, table.tree.rules.size)),
    el("td", { class: "bar-room" }, bar),
    el("td", { class: "number" }, short(visits)),
    el("td", { class: "number" }, percent(rate)),
  );
}

function forget() {
  end();
  answer = null;
  setState("Grow a tree for the position on the board to see which moves it prefers.");
  soon();
}

const soon = oncePerFrame(show);

/** Builds the panel and listens to the table. @param {import("./board.js").BoardView} view */
export function setUpTreeSearch(view) {
  board = view;
  const playouts = el(
    "select",
    { id: "tree-playouts", "aria-label": "Number of random games" },
    ...PLAYOUTS.map((number) => el("option", { value: number }, `${number.toLocaleString("en")} random games`)),
  );
  byId("panel-tree").append(
    el("div", { class: "actions" }, newButton({ id: "tree-start", class: "primary", onclick: start }), playouts),
    el("p", { id: "tree-state", class: "hint", role: "status" }),
    el(
      "div",
      { class: "opinions", tabindex: "0", role: "group", "aria-label": "Visits and win rates" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "Move"),
            el("th", { scope: "col" }, "Share"),
            el("th", { scope: "col", class: "number" }, "Visits"),
            el("th", { scope: "col", class: "number" }, "Won"),
          ),
        ),
        el("tbody", { id: "tree-body" }),
      ),
    ),
    el(
      "p",
      { class: "hint" },
      "On the board: the share of random games won, and below it the visits; a ring is the most visited move.",
    ),
  );
  for (const event of ["game", "cursor", "view", "tab"]) table.on(event, forget);
  server.addEventListener("open", () => stop && ask());
}
