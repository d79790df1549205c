/**
 * Games: browse the stored games and the reports that were offered when the server was started.
 *
 * A store has three faces: ratings, the cross table of who took how many points from whom, and the games themselves,
 * any of which can be put on the board.
 */
import { announce, byId, el, newButton, plural, toast } from "./dom.js";
import { server } from "./server.js";
import { table } from "./table.js";
import { GameTree } from "./tree.js";

const PAGE = 25;
/** What is shown: the store, the agent whose games are listed, and the first of them. */
const shown = { store: "", agent: "", offset: 0 };
/** Whether what is offered has been loaded, from the server as it is now. */
let loaded = false;
/** Counts what is asked for: an answer that comes after something else was asked for is not shown. */
let asked = 0;
/** Agents of the store by their full text: the same without options that are as usual. @type {Map<string, string>} */
let names = new Map();

async function get(path) {
  const response = await fetch(path);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? `The server refused this: ${response.status}.`);
  return answer;
}

const storePath = (rest) => `api/store/${encodeURIComponent(shown.store)}/${rest}`;

/** Runs an action that may fail and shows why. */
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    const text = error instanceof TypeError ? "The server cannot be reached." : error.message;
    byId("games-state")?.replaceChildren(text);
    toast(text, true);
  }
}

/** Shows what is offered, and of it what was shown before. */
async function load() {
  loaded = true;
  if (!byId("games").childElementCount) byId("games").replaceChildren(loading("Reading what is stored…"));
  try {
    const { stores, reports } = await get("api/stores");
    byId("games").replaceChildren(...(stores.length || reports.length ? offered(stores, reports) : [nothing()]));
    if (stores.some(({ name }) => name === shown.store)) await showStore();
    else if (stores.length) await openStore(stores[0].name);
  } catch (error) {
    loaded = false;
    if (!(error instanceof TypeError)) throw error;
    const text = "There is no connection to the server. The games come by themselves when it is back.";
    byId("games").replaceChildren(loading(text));
  }
}

const loading = (text) => card("Stored games", "games-loading", el("p", { class: "hint", role: "status" }, text));

function nothing() {
  return card(
    "Stored games",
    "games-none",
    el("p", {}, "No stored games to browse. Start the page with stores of games or with reports:"),
    el("p", { class: "code" }, "outflank play --store games.sqlite --report reports/papers"),
    el(
      "p",
      { class: "hint" },
      "Stores are written by outflank match, tournament, study and reproduce; reports by their option --report.",
    ),
  );
}

function card(title, id, ...children) {
  return el("section", { class: "card", "aria-labelledby": id }, el("h2", { id }, title), ...children);
}

function offered(stores, reports) {
  const choice = el(
    "select",
    { id: "games-store", onchange: () => attempt(() => openStore(choice.value)) },
    ...stores.map(({ name }) => el("option", { value: name, selected: name === shown.store }, name)),
  );
  const links = reports.map(({ name, url }) =>
    el("li", {}, el("a", { href: url, target: "_blank", rel: "noopener" }, name)),
  );
  return [
    card(
      "Stored games",
      "games-title",
      stores.length ? el("div", { class: "field" }, el("label", { for: "games-store" }, "Store"), choice) : null,
      el("p", { class: "hint", id: "games-state", role: "status" }),
      reports.length ? el("div", {}, el("h3", {}, "Reports"), el("ul", { class: "reports" }, ...links)) : null,
    ),
    ...(stores.length
      ? [el("div", { id: "games-summary", class: "games-summary" }), el("div", { id: "games-list" })]
      : []),
  ];
}

async function openStore(name) {
  Object.assign(shown, { store: name, agent: "", offset: 0 });
  await showStore();
}

async function showStore() {
  const number = ++asked;
  byId("games-state").textContent = "Reading the store…";
  const summary = await get(storePath("summary"));
  if (number !== asked) return;
  const agents = summary.agents.map((agent, i) => identity(agent, summary.behaviours[i]));
  if (!agents.includes(shown.agent)) shown.agent = "";
  names = new Map(agents.map((agent, i) => [agent, summary.names[i]]));
  byId("games-state").textContent = `${plural(summary.games, "game")} of ${plural(agents.length, "agent")}.`;
  const order = summary.ratings
    .map(({ agent, behaviour }) => agents.indexOf(identity(agent, behaviour)))
    .filter((index) => index >= 0);
  byId("games-summary").replaceChildren(ratings(summary), crossTable(summary, order));
  await listGames(agents);
}

/** What tells agents of a store apart; people are shown its text or its short name. */
const identity = (text, behaviour) => (behaviour ? `${text} #${behaviour}` : text);
const short = (text, behaviour) => names.get(identity(text, behaviour)) ?? text;
const rowHead = (text, behaviour) =>
  el("th", { scope: "row", class: "agent", title: text }, short(text, behaviour));
/** The head of a table: columns of words, then columns of numbers. */
function head(words, numbers) {
  const column = (name, kind) => (name ? el("th", { scope: "col", class: kind }, name) : el("td"));
  return el(
    "thead",
    {},
    el("tr", {}, ...words.map((name) => column(name, "")), ...numbers.map((name) => column(name, "number"))),
  );
}

const cell = (text) => el("td", { class: "number" }, String(text));

const whole = (elo) => String(Math.round(elo)).replace("-", "−");

/** "−20 to 108"; where all games were won or lost only one end is known. */
function interval({ low, high }) {
  if (low === null) return high === null ? "unknown" : `at most ${whole(high)}`;
  return high === null ? `at least ${whole(low)}` : `${whole(low)} to ${whole(high)}`;
}

/** What to bear in mind about ratings. */
function remarks(warnings) {
  return warnings.length
    ? el(
        "details",
        { class: "hint" },
        el("summary", {}, `${plural(warnings.length, "remark")} on the ratings`),
        el("ul", { class: "reports" }, ...warnings.map((text) => el("li", {}, text))),
      )
    : null;
}

function ratings({ ratings: lines, warnings }) {
  const row = ({ agent, behaviour, elo, elo_interval: [low, high], games, points }, i) =>
    el(
      "tr",
      {},
      el("td", {}, String(i + 1)),
      rowHead(agent, behaviour),
      cell(elo === null ? "–" : whole(elo)),
      cell(interval({ low, high })),
      cell(games),
      cell(`${((100 * points) / games).toFixed(1)} %`),
    );
  return card(
    "Ratings",
    "games-ratings",
    scrolling(
      "Ratings",
      el(
        "table",
        {},
        head(["", "Agent"], ["Elo", "95 % interval", "Games", "Points"]),
        el("tbody", {}, ...lines.map(row)),
      ),
    ),
    remarks(warnings),
  );
}

function crossTable({ agents, behaviours, cross_table: { points, games } }, order) {
  const share = (a, b) => (a === b || !games[a][b] ? "–" : `${points[a][b]} / ${games[a][b]}`);
  const row = (a, i) =>
    el(
      "tr",
      {},
      el("td", {}, String(i + 1)),
      rowHead(agents[a], behaviours[a]),
      ...order.map((b) => cell(share(a, b))),
    );
  return card(
    "Cross table",
    "games-cross",
    el(
      "p",
      { class: "hint" },
      "Points that the agent of the row took from the agent of the column, and the games they played.",
    ),
    scrolling(
      "Cross table",
      el(
        "table",
        {},
        head(
          ["", "Agent"],
          order.map((_, i) => String(i + 1)),
        ),
        el("tbody", {}, ...order.map(row)),
      ),
    ),
  );
}

const scrolling = (label, content) =>
  el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, content);

async function listGames(agents) {
  const filter = new URLSearchParams({ offset: shown.offset, limit: PAGE, ...(shown.agent && { agent: shown.agent }) });
  const number = ++asked;
  const { total, games } = await get(storePath(`games?${filter}`));
  if (number !== asked) return;
  const choose = el(
    "select",
    {
      id: "games-agent",
      onchange: () => {
        Object.assign(shown, { agent: choose.value, offset: 0 });
        again();
      },
    },
    el("option", { value: "" }, "All agents"),
    ...agents.map((agent) => el("option", { value: agent }, names.get(agent))),
  );
  choose.value = shown.agent;
  const again = () => attempt(() => listGames(agents));
  const turn = (step) => () => {
    shown.offset += step;
    again();
  };
  const last = Math.min(shown.offset + PAGE, total);
  byId("games-list").replaceChildren(
    card(
      "Games",
      "games-list-title",
      el("div", { class: "field" }, el("label", { for: "games-agent" }, "Games of"), choose),
      scrolling(
        "Games",
        el("table", {}, head(["", "Black", "White"], ["Discs", "Rules"]), el("tbody", {}, ...games.map(gameRow))),
      ),
      el(
        "div",
        { class: "actions pages" },
        newButton({ disabled: shown.offset === 0, onclick: turn(-PAGE) }, "Previous"),
        el("span", { class: "hint" }, total ? `${shown.offset + 1} to ${last} of ${total}` : "no games"),
        newButton({ disabled: last >= total, onclick: turn(PAGE) }, "Next"),
      ),
    ),
  );
}

const shortNames = (game) => [
  short(game.black, game.black_behaviour),
  short(game.white, game.white_behaviour),
];

function gameRow(game) {
  const { discs, points, rules, key } = game;
  const [black, white] = shortNames(game);
  const name = (text, shown, won) => el("td", { class: "agent", title: text }, won ? el("strong", {}, shown) : shown);
  const open = newButton(
    {
      class: "quiet",
      "aria-label": `Open the game ${black} against ${white}, ${discs[0]} to ${discs[1]}`,
      onclick: () => attempt(() => openGame(key)),
    },
    "Open",
  );
  return el(
    "tr",
    {},
    el("td", {}, open),
    name(game.black, black, points > 0.5),
    name(game.white, white, points < 0.5),
    cell(`${discs[0]}–${discs[1]}`),
    cell(rules),
  );
}

async function openGame(key) {
  const row = await get(storePath(`game/${encodeURIComponent(key)}`));
  const { game, reason } = row;
  const [black, white] = shortNames(row);
  const tree = GameTree.fromGame(game);
  tree.current = tree.root;
  const seat = (name) => ({ kind: "person", name });
  table.open({ tree, players: { black: seat(black), white: seat(white) }, view: "analyse" });
  byId("board").querySelector("[tabindex='0']").focus();
  announce(`${black} against ${white}, ${plural(game.moves.length, "move")}: ${reason}`);
}

/** Loads what is offered when the view is first opened, and again after the server was away. */
export function setUpGames() {
  const look = () => {
    if (table.view === "games" && !loaded) attempt(load);
  };
  table.on("view", look);
  server.addEventListener("closed", () => {
    loaded = false;
  });
  server.addEventListener("welcome", look);
}
