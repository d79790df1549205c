/**
 * The review of a whole game: every move compared with the best one, from the end to the start.
 *
 * The server sends one verdict per ply. It is kept on the position from which the move was played, so the list of
 * moves, the graph and this panel all show it, and a reload keeps it.
 */
import { byId, capital, el, newButton, plural } from "./dom.js";
import { showLine } from "./lines.js";
import { MARKS } from "./moves.js";
import { squareName } from "./rules.js";
import { server } from "./server.js";
import { table } from "./table.js";
import { depthText, preparingText, signed } from "./words.js";

const PACES = [
  [0.1, "Quick, a glance at each move"],
  [0.5, "Careful, half a second a move"],
  [2, "Thorough, two seconds a move"],
];
const DOUBTFUL = 3; // discs that are told although no move is marked: early in a game values are rough
const SHOWN = 6; // moves of a better line in the list; the board has all of them
const INVITATION =
  "Every move of this line is compared with the best one. Values are exact near the end, estimates before.";
/**
 * The review that is under way: the line, and how many of its positions are not judged yet, which are its first ones.
 * @type {{nodes: import("./tree.js").Node[], left: number, pace: number, stop: () => void} | null}
 */
let run = null;

function start() {
  if (run) return finish("Review stopped.");
  const nodes = table.tree.line();
  if (nodes.length === 1) return setState("There are no moves to review yet.");
  run = { nodes, left: nodes.length, pace: Number(byId("review-pace").value), stop: () => {} };
  byId("review-start").textContent = "Stop";
  byId("review-start").dataset.state = "running";
  byId("review-progress").max = nodes.length;
  ask();
}

/** Asks for the verdicts that are missing: all of them, or the rest after a break. */
function ask() {
  const { nodes, left, pace } = run;
  const game = table.tree.request(nodes[Math.min(left, nodes.length - 1)]);
  showProgress();
  run.stop = server.stream("review", { game, seconds_per_move: pace }, (reply) => heard(reply, left));
}

function showProgress() {
  const { nodes, left } = run;
  byId("review-progress").value = nodes.length - left;
  setState(`Reviewing ${plural(nodes.length - 1, "move")}, the last one first…`);
}

function heard(reply, before) {
  if (reply.kind === "lost") return setState("The review goes on when the connection is back.", true);
  if (reply.kind === "error") return finish(reply.message, true);
  if (reply.kind === "preparing") setState(preparingText(reply));
  if (reply.ply < run.left) {
    const { value, best, best_pv: pv, played, loss, mark, exact, depth, confidence } = reply;
    run.nodes[reply.ply].review = { value, best, pv, played, loss, mark, exact, depth, confidence };
    run.left = reply.ply;
    showProgress();
    table.tell("notes");
  }
  if (!reply.last) return;
  if (!run.left) {
    const { nodes } = run;
    finish(`Review finished: ${summaryText(nodes)}`);
    table.tell("reviewed", { nodes });
  } else if (run.left < before) ask(); // one request has its time, and this game needs more
  else finish("The review ended before it was finished.", true);
}

function finish(text, trouble = false) {
  run.stop();
  run = null;
  byId("review-start").dataset.state = "";
  byId("review-start").textContent = "Review this game";
  byId("review-progress").value = 0;
  setState(text, trouble);
  table.tell("notes");
}

function setState(text, trouble = false) {
  byId("review-state").textContent = text;
  byId("review-state").classList.toggle("trouble", trouble);
}

/** The line that was reviewed last, wherever the cursor is; where nothing was, the line on screen. */
function reviewedLine() {
  const nodes = [table.tree.root];
  const next = (node) => node.children.find(({ move }) => move === node.review?.played) ?? table.tree.forward(node);
  for (let node = next(nodes[0]); node; node = next(node)) nodes.push(node);
  return nodes;
}

/** The reviewed plies of a line: position, the move played from it, the verdict. */
function verdicts(nodes) {
  return nodes
    .slice(1)
    .filter(({ parent, move }) => parent.review?.played === move)
    .map((node) => ({ node, ...node.parent.review }));
}

function summaryText(nodes) {
  const all = verdicts(nodes);
  const found = all.filter(({ mark }) => mark).length;
  if (found) return `${plural(found, "move")} could have been better.`;
  const worst = all.reduce((one, other) => ((other.loss ?? 0) > (one?.loss ?? 0) ? other : one), null);
  if (!(worst?.loss >= DOUBTFUL)) return "no mistakes found.";
  const move = `${worst.node.ply}. ${squareName(worst.node.move, table.tree.rules.size)}`;
  return `nothing is certain enough to be marked. ${move} may have cost ${plural(Math.round(worst.loss), "disc")}.`;
}

function show() {
  if (table.view !== "analyse" || byId("panel-review").hidden) return;
  const all = verdicts(reviewedLine());
  byId("review-summary").replaceChildren(...(all.length ? [summaryTable(all)] : []));
  byId("review-list").replaceChildren(...all.filter(({ mark }) => mark).map(verdictItem));
}

function summaryTable(all) {
  const row = (side) => {
    const own = all.filter(({ node }) => node.parent.position.turn === side);
    const count = (mark) => own.filter((each) => each.mark === mark).length;
    const lost = own.reduce((sum, { loss }) => sum + (loss ?? 0), 0);
    const cells = [
      count("inaccuracy"),
      count("mistake"),
      count("blunder"),
      own.length ? (lost / own.length).toFixed(1) : "–",
    ];
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, capital(side)),
      ...cells.map((cell) => el("td", { class: "number" }, String(cell))),
    );
  };
  const heads = [
    "",
    `Inaccuracies ${MARKS.inaccuracy}`,
    `Mistakes ${MARKS.mistake}`,
    `Blunders ${MARKS.blunder}`,
    "Loss a move",
  ];
  return el(
    "table",
    {},
    el(
      "thead",
      {},
      el("tr", {}, ...heads.map((head) => (head ? el("th", { scope: "col", class: "number" }, head) : el("td")))),
    ),
    el("tbody", {}, row("black"), row("white")),
  );
}

function verdictItem({ node, best, pv, loss, mark, exact, value, depth, confidence }) {
  const { size } = table.tree.rules;
  const side = node.parent.position.turn;
  const name = squareName(node.move, size);
  const better = squareName(best, size);
  const worth = side === "black" ? value : -value;
  const line = pv.length ? pv : [best];
  const how = exact ? "exact" : `depth ${depthText({ depth, confidence })}`;
  return el(
    "li",
    { class: "verdict" },
    newButton(
      { class: "quiet", "aria-label": `Go to move ${node.ply}, ${name}, ${mark}`, onclick: () => showMove(node) },
      `${node.ply}. ${name}`,
      el("span", { class: `mark ${mark}` }, MARKS[mark]),
    ),
    el(
      "span",
      {},
      `${capital(mark)} of ${side}, ${plural(Math.round(loss * 10) / 10, "disc")} lost. Better `,
      betterLine(node.parent, line.slice(0, SHOWN)),
      ` (${signed(worth)} for ${side}, ${how}).`,
    ),
    newButton(
      {
        class: "quiet",
        "aria-label": `Put the better line ${better} on the board`,
        onclick: () => showBetter(node, line),
      },
      "Show",
    ),
  );
}

function betterLine(node, moves) {
  const place = el("span", { class: "line-moves" });
  showLine(place, node, moves);
  return place;
}

/** Goes to a move, and on a phone back up to the board. */
function showMove(node) {
  table.goTo(node);
  byId("board").scrollIntoView({ block: "nearest" });
}

/** Adds the better line as a variation and goes to its first move. */
function showBetter(node, moves) {
  table.tree.growLine(node.parent, moves);
  showMove(node.parent.children.find((child) => child.move === moves[0]));
  table.tell("notes");
}

/** Builds the panel and listens to the table. */
export function setUpReview() {
  const pace = el(
    "select",
    { id: "review-pace", "aria-label": "How long to look at each move" },
    ...PACES.map(([seconds, text]) => el("option", { value: seconds }, text)),
  );
  byId("panel-review").append(
    el(
      "div",
      { class: "actions" },
      newButton({ id: "review-start", class: "primary", onclick: start }, "Review this game"),
      pace,
    ),
    el("progress", { id: "review-progress", value: 0, max: 1, "aria-label": "Progress of the review" }),
    el("p", { id: "review-state", class: "hint", role: "status" }, INVITATION),
    el("div", { id: "review-summary", class: "scroll" }),
    el("ul", { id: "review-list", class: "verdicts" }),
  );
  table.on("game", () => {
    if (run) finish("Review stopped: another game is on the board.");
    else setState(INVITATION);
  });
  for (const event of ["game", "notes", "cursor", "view", "tab"]) table.on(event, show);
  server.addEventListener("open", () => run && ask());
}
