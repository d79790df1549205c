/**
 * A room: two people play each other over a network, others watch.
 *
 * The server keeps the game, the clocks and the seats, and sends the whole room whenever it changes; this page shows it
 * and says what its person wishes. A seat belongs to a key that is kept in this browser, so that a reload or a lost
 * connection gives it back.
 */
import { BoardView } from "./board.js";
import { announce, byId, capital, el, newButton, plural, setText, toast } from "./dom.js";
import { other, squareName } from "./rules.js";
import { GameTree } from "./tree.js";

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;
const LOW_TIME = 20;
const ENDED = 4404; // how the server closes the line when there is no room any more
const SIZES = [4, 6, 8, 10, 12, 14, 16];
const CLOCKS = [
  ["0+0", "No clock"],
  ["60+0", "1 minute each"],
  ["180+2", "3 minutes, 2 s a move"],
  ["300+0", "5 minutes each"],
  ["600+5", "10 minutes, 5 s a move"],
  ["1500+10", "25 minutes, 10 s a move"],
];
const SIDES = ["black", "white"];
const REASONS = { time: "ran out of time", resigned: "resigned", left: "left the game" };

const place = location.pathname.replace(/\/+$/, "");
const HERE = `outflank.room.${place}`;
const board = new BoardView(byId("board"), press, "Board");

/** What the server said last, and when. @type {Record<string, any> | null} */
let room = null;
let heardAt = 0;
/** @type {GameTree} */
let tree = new GameTree({ variant: "standard", size: 8 });
let socket = null;
let wait = FIRST_WAIT;
let ended = false;
/** The move that was pressed and is not confirmed yet. */
let pending = false;

// --- the line -------------------------------------------------------------------------------------------------------

function connect() {
  const url = new URL(`${place}/ws`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.search = url.hash = "";
  socket = new WebSocket(url);
  socket.onopen = () => wish("hello", { key: kept("key") });
  socket.onmessage = ({ data }) => hear(JSON.parse(data));
  socket.onclose = ({ code }) => {
    if (ended || code === ENDED) return end();
    setText(byId("who-is-here"), "The connection is lost. Your seat is kept; the page connects again by itself.");
    setTimeout(connect, wait);
    wait = Math.min(2 * wait, LONGEST_WAIT);
  };
}

function wish(what, fields = {}) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ do: what, ...fields }));
  else toast("There is no connection to the server.", true);
}

function hear(said) {
  wait = FIRST_WAIT;
  if (said.kind === "room") return show(said);
  if (said.kind === "seat") return keep("key", said.key);
  if (said.kind === "ended") return end();
  if (said.kind === "error") {
    pending = false;
    toast(said.message, true);
    showBoard();
  }
}

function end() {
  ended = true;
  document.body.classList.add("ended");
  setText(byId("who-is-here"), "The room has ended.");
  setText(byId("status"), "The room has ended");
  setText(byId("status-more"), "Whoever opened it has closed it. The moves stay here until you leave the page.");
  for (const id of ["sit-card", "invite-card", "owner-card"]) byId(id).hidden = true;
  byId("actions").replaceChildren();
  if (room) board.show(tree.position, { size: tree.rules.size, last: lastMove(), playable: false });
}

function kept(name) {
  try {
    return localStorage.getItem(`${HERE}.${name}`);
  } catch {
    return null; // storage may be forbidden; then a reload loses the seat
  }
}

function keep(name, text) {
  try {
    localStorage.setItem(`${HERE}.${name}`, text);
  } catch {
    // forbidden
  }
}

// --- what is shown --------------------------------------------------------------------------------------------------

const lastMove = () => (tree.current.move === null || tree.current.move === tree.pass ? null : tree.current.move);

/** Shows the room as it is now; a move that has just come is shown as one. */
function show(said) {
  const before = room;
  const moves = said.game.moves.length;
  const known = before?.game.moves.length ?? 0;
  const isNext = before && moves > known && before.game.rules === said.game.rules;
  const from = isNext ? tree : null;
  room = said;
  heardAt = performance.now();
  pending = false;
  tree = GameTree.fromGame(said.game);
  showSeats();
  showWords();
  showCards();
  showBoard(from ? turnedSince(from, said.game.moves.slice(known)) : []);
  tell(before, isNext ? said.game.moves.slice(known) : []);
}

/** The discs that the first of these moves turned. */
const turnedSince = (from, [move]) => from.position.legal.get(move) ?? [];

const mayMove = () =>
  Boolean(room && !ended && !room.over && room.you === tree.position.turn && room.seats.black && room.seats.white);

function showBoard(turned = []) {
  const last = lastMove();
  const playable = mayMove() && !pending;
  board.show(tree.position, { size: tree.rules.size, last, playable, turned: last === null ? [] : turned });
}

function press(square) {
  if (!board.playable || !tree.position.legal.has(square)) return;
  pending = true;
  wish("play", { move: square, ply: tree.moves().length });
  board.playable = false;
}

function showSeats() {
  for (const side of SIDES) {
    const seat = room.seats[side];
    const toMove = !room.over && tree.position.turn === side && Boolean(room.seats.black && room.seats.white);
    const doing = [
      seat && room.you === side ? "you" : "",
      seat && !seat.here ? "away" : "",
      toMove ? "to move" : "",
      seat?.wants_more ? "wants another game" : "",
      seat?.score ? plural(seat.score, "point") : "",
    ].filter(Boolean);
    const place = byId(`seat-${side}`);
    place.classList.toggle("to-move", toMove);
    place.replaceChildren(
      el("span", { class: `stone ${side}` }),
      el("span", { class: "who" }, seat?.name ?? "Free"),
      el("span", { class: "doing" }, doing.join(", ") || side),
      el("span", { class: "count" }, String(tree.position[side]), el("span", { class: "unseen" }, " discs")),
      el("span", { class: "time", id: `time-${side}` }),
    );
  }
  showClocks();
}

/** Seconds on a clock now. */
function left(side) {
  const spent = room.running && tree.position.turn === side ? (performance.now() - heardAt) / 1000 : 0;
  return Math.max(0, room.left[side] - spent);
}

/** 75.3 → "1:15", 8.25 → "0:08.2". */
function clockText(seconds) {
  const tenths = seconds < 10 ? `.${Math.floor(seconds * 10) % 10}` : "";
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}${tenths}`;
}

function showClocks() {
  if (!room?.clock[0]) return;
  for (const side of SIDES) {
    const time = byId(`time-${side}`);
    setText(time, clockText(left(side)));
    time.classList.toggle("low", room.running && left(side) < LOW_TIME);
  }
}

const rulesLine = ({ size, variant }) =>
  `${capital(variant)} ${size} × ${size}, ${variant === "reversed" ? "fewest" : "most"} discs win`;

/** Title and explanation. */
function words() {
  const { seats, you, end: reason, over } = room;
  const { position } = tree;
  const named = (side) => seats[side]?.name ?? capital(side);
  if (reason) return [`${named(other(reason.loser))} wins`, `${named(reason.loser)} ${REASONS[reason.reason]}.`];
  if (over) {
    const discs = `${position.black} to ${position.white}`;
    return position.winner === "draw"
      ? ["A draw", `Both have ${plural(position.black, "disc")}.`]
      : [`${named(position.winner)} wins`, `Black and white have ${discs} discs.`];
  }
  if (!seats.black || !seats.white) {
    const missing = SIDES.filter((side) => !seats[side]);
    if (missing.length > 1) return ["Two seats are free", "Whoever sits down first chooses a colour."];
    return [you ? "Waiting for somebody" : "A seat is free", `The seat of ${missing} is free.`];
  }
  const passed = tree.current.move === tree.pass ? `${named(other(position.turn))} had no legal move and passed. ` : "";
  const legal = `${plural(position.legal.size, "legal move")}, marked by rings.`;
  if (you === position.turn) return ["Your move", `${passed}${legal}`];
  return [`${named(position.turn)} to move`, `${passed}${you ? "" : "You are watching."}`];
}

function showWords() {
  const [title, more] = words();
  setText(byId("status"), title);
  setText(byId("status-more"), more);
  setText(byId("rules"), rulesLine(tree.rules));
  document.title = `${title} – Outflank`;
  setText(byId("who-is-here"), `Room ${room.name}, ${room.watching || "nobody"} watching`);
  const names = tree.moves().map((move) => squareName(move, tree.rules.size));
  setText(byId("moves"), names.map((name, i) => (i % 2 ? name : `${i / 2 + 1}. ${name}`)).join(" ") || "None yet.");
}

const button = (id, text, act, kind = "") => newButton({ id, class: kind, onclick: act }, text);

function showCards() {
  const { you, seats, over, owner } = room;
  const playing = tree.moves().length > 0 && !over;
  replace(
    "actions",
    you && playing && button("resign", "Resign", resign),
    you && over && !seats[you].wants_more && button("again", "Another game, colours swapped", again, "primary"),
    you && !playing && button("leave", "Leave the seat", () => wish("leave")),
  );
  replace(
    "after",
    tree.moves().length > 0 && button("copy-moves", "Copy the moves", copyMoves),
    over && owner && el("a", { href: review(), id: "review" }, "Review this game"),
  );
  byId("sit-card").hidden = Boolean(you) || !SIDES.some((side) => !seats[side]);
  for (const side of SIDES) byId(`sit-${side}`).disabled = Boolean(seats[side]);
  showInvitation();
  byId("owner-card").hidden = !owner;
  for (const id of ["size", "variant", "clock"]) byId(id).disabled = playing;
  for (const side of SIDES) byId(`free-${side}`).hidden = !seats[side] || you === side;
  byId("size").value = tree.rules.size;
  byId("variant").value = tree.rules.variant;
  byId("clock").value = room.clock.join("+");
}

/** Puts buttons in place, and the focus back on the one that had it. */
function replace(id, ...parts) {
  const focused = document.activeElement?.id;
  byId(id).replaceChildren(...parts.filter(Boolean));
  const again = focused && byId(id).querySelector(`#${CSS.escape(focused)}`);
  if (again) again.focus({ preventScroll: true });
}

const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

function showInvitation() {
  byId("invite-card").hidden = false;
  const link = isLoopback && room.link ? room.link : `${location.origin}${room.path}`;
  if (byId("link").value !== link) {
    byId("link").value = link;
    byId("code").src = `${place}/code.svg?${new URLSearchParams({ at: new URL(link).origin })}`;
  }
  byId("only-here").hidden = !isLoopback || Boolean(room.link);
}

const review = () => {
  const parts = new URLSearchParams({ view: "analyse", rules: room.game.rules.replace(" ", "-"), moves: transcript() });
  for (const side of SIDES) if (room.seats[side]) parts.set(side, room.seats[side].name);
  return `../#${parts}`;
};

const transcript = () =>
  tree
    .moves()
    .map((move) => (move === tree.pass ? "pa" : squareName(move, tree.rules.size)))
    .join("");

/** Tells people who listen what has happened. */
function tell(before, moves) {
  const played = moves.map((move, i) => {
    const side = i % 2 === moves.length % 2 ? tree.position.turn : other(tree.position.turn);
    return `${capital(side)} ${move === tree.pass ? "passes" : `plays ${squareName(move, tree.rules.size)}`}.`;
  });
  const [title] = words();
  const state = (one) => JSON.stringify([one.over, one.seats]);
  if (before && (moves.length || state(before) !== state(room))) announce([...played, `${title}.`].join(" "));
}

// --- what people do -------------------------------------------------------------------------------------------------

function sit(side) {
  const name = byId("your-name").value.trim();
  keep("name", name);
  wish("sit", { side, name });
}

let sure = 0;

/** A second press within some seconds means it. */
function resign() {
  if (performance.now() - sure < 4000) return wish("resign");
  sure = performance.now();
  toast("Press “Resign” once more to give the game up.");
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    toast("The browser does not let this page copy; select the text instead.", true);
    byId("link").select();
  }
}

const again = () => wish("again");
const copyMoves = () => copy(transcript(), "The moves are");

function choose() {
  const [seconds, increment] = byId("clock").value.split("+").map(Number);
  wish("set", { size: Number(byId("size").value), variant: byId("variant").value, seconds, increment });
}

byId("size").append(...SIZES.map((size) => el("option", { value: size }, `${size} × ${size}`)));
byId("clock").append(...CLOCKS.map(([value, text]) => el("option", { value }, text)));
byId("your-name").value = kept("name") ?? "";
byId("sit-form").addEventListener("submit", (event) => event.preventDefault());
for (const side of SIDES) {
  byId(`sit-${side}`).addEventListener("click", () => sit(side));
  byId(`free-${side}`).addEventListener("click", () => wish("free", { side }));
}
for (const id of ["size", "variant", "clock"]) byId(id).addEventListener("change", choose);
byId("copy-link").addEventListener("click", () => copy(byId("link").value, "The link is"));
byId("end-room").addEventListener("click", () => wish("end"));
setInterval(showClocks, 200);
if (location.search) history.replaceState(null, "", location.pathname); // a token would be copied with the address
showBoard();
connect();
