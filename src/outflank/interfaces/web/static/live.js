/**
 * The live page: a match or tournament that is being played, or the games of a store, followed every few seconds.
 *
 * The server sends everything anew when something has changed and nothing when it has not; the page draws all of it and
 * puts the focus back to where it was. Games open on the board of the first page, by links.
 */
import { announce, byId, el, newButton, plural, setText } from "./dom.js";

const LOOK_EVERY = 2000; // milliseconds
const ROWS_AT_ONCE = 12; // of the standings, in the projector view
const TURN_EVERY = 10000; // milliseconds until the next of them are shown
const NOTHING = "Nothing is played here. Start a match with --live, or the page with --store FILE.";

/** What the server said last. @type {Record<string, any> | null} */
let event = null;
let chosen = new URLSearchParams(location.search).get("event");
/** Whose games are listed: the identities of row and column. @type {[string, string] | null} */
let opened = null;
let games = [];
let firstRow = 0;
/** Whether it is known what can be shown, and whether the server is being asked. */
let known = false;
let asking = false;

const root = document.documentElement;
const isProjected = () => "projector" in root.dataset;

async function get(path) {
  const response = await fetch(path);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? `The server refused this: ${response.status}.`);
  return answer;
}

/** Asks how the event stands. */
async function look() {
  if (asking) return;
  asking = true;
  try {
    if (!known) await choose();
    if (!chosen) return;
    const seen = event ? `?${new URLSearchParams({ seen: event.state })}` : "";
    const answer = await get(`api/live/${encodeURIComponent(chosen)}${seen}`);
    say("");
    if (!answer.title) return;
    if (answer.over && event && !event.over) announce(`Finished. ${answer.players[0]?.name ?? ""} is first.`);
    event = answer;
    if (opened) await list(...opened);
    draw();
  } catch (error) {
    say(error instanceof TypeError ? "The server cannot be reached. The page goes on when it is back." : error.message);
  } finally {
    asking = false;
  }
}

/** Finds out what can be shown, and shows the first of it where the address names nothing. */
async function choose() {
  const { events } = await get("api/live");
  const select = byId("events");
  select.replaceChildren(...events.map(({ name, title }) => el("option", { value: name }, title)));
  byId("events-field").hidden = events.length < 2;
  known = events.length > 0;
  chosen ??= events[0]?.name ?? null;
  if (chosen) select.value = chosen;
  else setText(byId("progress-text"), NOTHING);
}

function say(trouble) {
  byId("trouble").hidden = !trouble;
  setText(byId("trouble"), trouble);
}

async function list(row, column) {
  opened = [row, column];
  const query = new URLSearchParams({ agent: row, opponent: column });
  ({ games } = await get(`api/live/${encodeURIComponent(chosen)}/games?${query}`));
}

// --- numbers --------------------------------------------------------------------------------------------------------

/** 3.5 → "3½". */
const half = (points) => (Number.isInteger(points) ? String(points) : `${Math.floor(points) || ""}½`);
const whole = (number) => String(Math.round(number)).replace("-", "−");
const signed = (number) => `${number > 0 ? "+" : ""}${whole(number)}`;
const percent = (share) => `${(100 * share).toFixed(share > 0.995 || share < 0.005 ? 1 : 0)} %`;

function range([low, high], show) {
  if (low === null) return high === null ? "" : `at most ${show(high)}`;
  return high === null ? `at least ${show(low)}` : `${show(low)} to ${show(high)}`;
}

// --- parts ----------------------------------------------------------------------------------------------------------

const card = (title, kind, ...children) =>
  el("section", { class: `card ${kind}`, "aria-label": title }, el("h2", {}, title), ...children);
const scrolling = (label, content) =>
  el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, content);
const heads = (names) =>
  el(
    "thead",
    {},
    el(
      "tr",
      {},
      ...names.map(([text, kind]) => (text ? el("th", { scope: "col", class: kind }, text) : el("td"))),
    ),
  );
const cell = (text, kind = "number") => el("td", { class: kind }, text);

function duel() {
  const { match, players } = event;
  if (!match || players.length !== 2) return null;
  const place = (text) => players.find((player) => player.text === text) ?? players[0];
  const [a, b] = [place(match.a), players.find((player) => player !== place(match.a))];
  const points = match.wins + match.draws / 2;
  const facts = [
    [`Elo of ${a.name} over ${b.name}`, match.elo === null ? range(match.elo_interval, signed) : signed(match.elo)],
    ["95 % interval", match.elo === null ? "" : range(match.elo_interval, signed)],
    [`Likelihood that ${a.name} is stronger`, percent(match.likelihood_of_superiority)],
    ["Won, drawn, lost", `${match.wins}, ${match.draws}, ${match.losses}`],
    ["Sequential test", match.sprt ? sequential(match.sprt) : ""],
  ].filter(([, text]) => text);
  return card(
    "The match",
    "duel-card",
    el(
      "p",
      { class: "duel" },
      el("span", { class: "who" }, a.name),
      el("span", { class: "score" }, `${half(points)} : ${half(match.games - points)}`),
      el("span", { class: "who" }, b.name),
    ),
    el("dl", { class: "facts" }, ...facts.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text)))),
  );
}

const sequential = ({ llr, lower, upper }) => `LLR ${llr.toFixed(2)} in ${lower.toFixed(2)} to ${upper.toFixed(2)}`;

function standings() {
  const { players, rounds, more_players: more } = event;
  const from = isProjected() ? firstRow : 0;
  const shown = isProjected() ? players.slice(from, from + ROWS_AT_ONCE) : players;
  root.style.setProperty("--rows", Math.max(8, Math.min(players.length, ROWS_AT_ONCE)) + (event.match ? 4 : 0));
  const columns = [
    ["", ""],
    ["Name", ""],
    ["Points", "number"],
    ["Games", "number only-near"],
    ...(rounds ? [["Opponents' points", "number only-near"]] : []),
    ["Discs", "number far only-near"],
    ["Elo", "number"],
    ["95 % interval", "number far"],
  ];
  const row = (player, i) =>
    el(
      "tr",
      { class: from + i === 0 ? "first" : "" },
      cell(`${from + i + 1}`, "number"),
      el("th", { scope: "row", class: "name", title: player.text }, player.name),
      cell(half(player.points), "number points"),
      cell(String(player.games), "number only-near"),
      ...(rounds ? [cell(half(player.opposition), "number only-near")] : []),
      cell(signed(player.score), "number far only-near"),
      cell(player.elo === null ? "–" : signed(player.elo)),
      cell(range(player.elo_interval, signed), "number interval far"),
    );
  const rest = isProjected()
    ? players.length > ROWS_AT_ONCE && `${from + 1} to ${from + shown.length} of ${players.length}`
    : more && `${plural(more, "more player")} not shown.`;
  return card(
    "Standings",
    "",
    scrolling("Standings", el("table", {}, heads(columns), el("tbody", {}, ...shown.map(row)))),
    rest ? el("p", { class: "hint" }, rest) : null,
    remarks(),
  );
}

/** What to bear in mind about the numbers. */
function remarks() {
  const { warnings } = event;
  if (!warnings.length) return null;
  const items = warnings.map((text) => el("li", {}, text));
  const summary = el("summary", { "data-key": "remarks" }, `${plural(warnings.length, "remark")} on the ratings`);
  return el("details", { class: "hint only-near" }, summary, el("ul", {}, ...items));
}

function crossTable() {
  const { players, cross } = event;
  if (players.length < 2) return null;
  const row = (player, i) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", class: "name" }, `${i + 1} ${player.name}`),
      ...players.map((other, j) => meeting(player, other, cross[i][j], i === j)),
    );
  return card(
    "Cross table",
    "cross-card",
    el(
      "p",
      { class: "hint" },
      "Points of the row against the column. ▲ and ▼: above and below one half with 95 % confidence. ",
      "Press a cell for its games.",
    ),
    scrolling(
      "Cross table",
      el(
        "table",
        { class: "cross" },
        heads([["Name", ""], ...players.map((_, i) => [String(i + 1), "number"])]),
        el("tbody", {}, ...players.map(row)),
      ),
    ),
    gamesOfTwo(),
  );
}

/** Sign, class and words of a score that differs from one half for sure. */
function sureness({ low, high }) {
  if (low > 0.5) return ["▲ ", "above", ", above one half"];
  return high !== null && high < 0.5 ? ["▼ ", "below", ", below one half"] : ["", "", ""];
}

function meeting(player, other, met, itself) {
  if (itself || !met) return el("td", { class: "itself" }, itself ? "×" : "–");
  const [sign, kind, words] = sureness(met);
  const isOpen = opened?.[0] === player.id && opened[1] === other.id;
  const likely = `likelihood that ${player.name} is stronger ${percent(met.los)}`;
  const score = `${sign}${half(met.points)} / ${met.games}`;
  return el(
    "td",
    {},
    newButton(
      {
        class: kind,
        "data-key": `${player.id} ${other.id}`,
        "aria-expanded": String(isOpen),
        "aria-label": `${player.name} against ${other.name}: ${score}${words}; ${likely}. Games`,
        title: `${met.wins} won, ${met.draws} drawn, ${met.losses} lost; ${likely}`,
        onclick: () => press(player.id, other.id, isOpen),
      },
      score,
    ),
  );
}

async function press(row, column, isOpen) {
  if (isOpen) opened = null;
  else await list(row, column).catch((error) => say(error.message));
  draw();
  if (opened) byId("games-of-two")?.focus();
}

function gamesOfTwo() {
  if (!opened) return null;
  const [one, other] = opened.map((id) => event.players.find((player) => player.id === id)?.name ?? id);
  return el(
    "div",
    { class: "column" },
    el("h3", { id: "games-of-two", tabindex: "-1", "data-key": "games-of-two" }, `${one} against ${other}`),
    el("ol", { class: "lines" }, ...games.map(gameLine)),
  );
}

const board = (link) => `./${link}`;

/** One game: who beat whom, how, and the link that opens it. */
function gameLine({ key, black, white, points, discs, ending, reason, link }) {
  const verb = points === 0.5 ? "drew with" : points > 0.5 ? "beat" : "lost to";
  const fault = ending !== "normal";
  return el(
    "li",
    {},
    el("a", { href: board(link), "data-key": key }, `${black} ${verb} ${white}, ${discs[0]} to ${discs[1]}`),
    fault ? el("span", { class: "more" }, el("span", { class: "fault" }, ending), ` ${reason}`) : null,
  );
}

function whyLost() {
  const { faults, worst } = event;
  if (!faults.length && !worst.length) return null;
  const fault = ({ name, kind, games: number, reason, link }) =>
    el(
      "li",
      {},
      el(
        "a",
        { href: board(link), "data-key": `${name} ${kind}` },
        `${name} lost ${plural(number, "game")} by `,
        el("span", { class: "fault" }, kind),
      ),
      el("span", { class: "more" }, reason),
    );
  const move = (each, i) => {
    const [what, more] = isProjected() ? shortly(each) : atLength(each);
    return el(
      "li",
      {},
      el("a", { href: board(each.link), "data-key": `worst ${i}` }, what),
      el("span", { class: "more" }, more),
    );
  };
  const shown = isProjected() ? worstOfEach(worst) : worst;
  return card(
    "Why they lost",
    "",
    faults.length ? el("ul", { class: "lines" }, ...faults.slice(0, isProjected() ? 4 : 40).map(fault)) : null,
    shown.length ? el("ul", { class: "lines" }, ...shown.map(move)) : null,
  );
}

const atLength = ({ name, against, move, played, better, loss, exact }) => [
  `${name} against ${against}: move ${move}, ${played}`,
  `${better} was better by ${plural(loss, "disc")}, ${exact ? "exactly" : "as the engine estimates"}`,
];
const shortly = ({ name, against, move, played, better, loss }) => [
  `${name}: ${played} instead of ${better}`,
  `${plural(loss, "disc")}, move ${move} against ${against}`,
];

/** The largest loss of everybody, the latest first, few enough for a screen. */
function worstOfEach(worst) {
  const seen = new Set();
  return worst.filter(({ agent }) => !seen.has(agent) && seen.add(agent)).slice(0, 4);
}

function latest() {
  const lines = event.latest.slice(0, isProjected() ? 5 : event.latest.length);
  return lines.length ? card("Latest games", "", el("ul", { class: "lines" }, ...lines.map(gameLine))) : null;
}

function showHead() {
  const { title, games: played, planned, over, round, rounds } = event;
  document.title = `${title} – Outflank`;
  setText(byId("title"), title);
  const words = [
    rounds ? `round ${round} of ${rounds}` : "",
    planned ? `${played} of ${plural(planned, "game")}` : plural(played, "game"),
    over ? "finished" : "",
  ].filter(Boolean);
  setText(byId("progress-text"), words.join(", "));
  const bar = byId("progress");
  bar.hidden = !planned;
  Object.assign(bar, { max: planned || 1, value: Math.min(played, planned) });
}

function draw() {
  if (!event) return;
  const key = document.activeElement?.dataset.key;
  const unfolded = Boolean(document.querySelector("details[open]"));
  const scrolled = [...document.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
  showHead();
  const column = (...parts) => el("div", { class: "column" }, ...parts.filter(Boolean));
  byId("parts").replaceChildren(column(duel(), standings(), crossTable()), column(whyLost(), latest()));
  if (unfolded) document.querySelector("details")?.setAttribute("open", "");
  document.querySelectorAll(".scroll").forEach((each, i) => {
    each.scrollLeft = scrolled[i] ?? 0;
  });
  if (isProjected()) fit();
  if (key) document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** Leaves out the last lines of the longest lists until everything is on the screen; a phone can be scrolled. */
function fit() {
  const main = document.querySelector("main");
  while (innerWidth > 700 && main.scrollHeight > innerHeight) {
    const lists = [...document.querySelectorAll(".lines")].sort((a, b) => b.offsetHeight - a.offsetHeight);
    if (!lists[0]?.lastElementChild) return;
    lists[0].lastElementChild.remove();
  }
}

// --- the projector view ---------------------------------------------------------------------------------------------

function project(wanted) {
  if (wanted === isProjected()) return;
  if (wanted) root.dataset.projector = "";
  else delete root.dataset.projector;
  byId("projector").setAttribute("aria-pressed", String(wanted));
  firstRow = 0;
  const asked = wanted ? root.requestFullscreen?.() : document.fullscreenElement && document.exitFullscreen();
  asked?.catch?.(() => {}); // a browser may refuse; the type is large all the same
  draw();
  announce(wanted ? "Projector view. Escape leaves it." : "Projector view left.");
}

let asleep = 0;

/** Shows the way out for a moment. */
function wake() {
  byId("leave").classList.add("awake");
  clearTimeout(asleep);
  asleep = setTimeout(() => byId("leave").classList.remove("awake"), 3000);
}

document.addEventListener("keydown", (press) => {
  if (press.ctrlKey || press.metaKey || press.altKey || press.target.matches("input, select, textarea")) return;
  if (press.key === "f" || press.key === "F") project(!isProjected());
  else if (press.key === "Escape") project(false);
  else return;
  press.preventDefault();
});
document.addEventListener("fullscreenchange", () => document.fullscreenElement || project(false));
document.addEventListener("pointermove", () => isProjected() && wake());
document.addEventListener("pointerdown", () => isProjected() && wake());
byId("projector").addEventListener("click", () => project(true));
byId("leave").addEventListener("click", () => project(false));
byId("events").addEventListener("change", () => {
  chosen = byId("events").value;
  event = opened = null;
  look();
});
setInterval(() => {
  if (!isProjected() || (event?.players.length ?? 0) <= ROWS_AT_ONCE) return;
  firstRow = firstRow + ROWS_AT_ONCE < event.players.length ? firstRow + ROWS_AT_ONCE : 0;
  draw();
}, TURN_EVERY);
setInterval(() => document.hidden || look(), LOOK_EVERY);
look();
