/**
 * Games: those of the library of this browser, then the stored games and reports that the server offers.
 *
 * A store has three faces: ratings, the cross table of who took how many points from whom, and the games themselves,
 * any of which can be put on the board.
 */
import { announce, byId, el, newButton, plural, toast } from "./dom.js";
import { server } from "./server.js";
import { shelf, showShelf } from "./shelf.js";
import { table } from "./table.js";
import { GameTree } from "./tree.js";

const PAGE = 25;
const LOOK_EVERY = 3000; // milliseconds between two looks at a store that may be written to
const RESULTS = [
  ["", "Any result"],
  ["won", "Won"],
  ["drawn", "Drawn"],
  ["lost", "Lost"],
];
const ORDERS = [
  ["newest", "Newest first"],
  ["oldest", "Oldest first"],
  ["margin", "Largest margin first"],
  ["shortest", "Fewest moves first"],
];
const NO_FILTER = { agent: "", opponent: "", result: "", order: "newest", offset: 0 };
/** What is shown: the store and its state, whose games are listed, in which order, and the first of them. */
const shown = { store: "", state: "", ...NO_FILTER };
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

const place = () => byId("stores");

/** Shows what is offered, and of it what was shown before. */
async function load() {
  loaded = true;
  if (!place().childElementCount) place().replaceChildren(loading("Reading what is stored…"));
  try {
    const { stores, reports } = await get("api/stores");
    place().replaceChildren(...(stores.length || reports.length ? offered(stores, reports) : [nothing()]));
    if (stores.some(({ name }) => name === shown.store)) await showStore();
    else if (stores.length) await openStore(stores[0].name);
  } catch (error) {
    loaded = false; // `look` tries again
    const gone = "There is no connection to the server. The games come by themselves when it is back.";
    place().replaceChildren(loading(error instanceof TypeError ? gone : error.message));
  }
}

const loading = (text) => card("Stored games", "games-loading", el("p", { class: "hint", role: "status" }, text));

function nothing() {
  return card(
    "Stored games",
    "games-none",
    el("p", {}, "No stored games to browse. Start the page with stores of games or with reports:"),
    el("p", { class: "code" }, "outflank play --store outflank.db --report reports/papers"),
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
      stores.length ? el("p", {}, el("a", { id: "games-live", href: "live" }, "Watch live, also on a projector")) : null,
      reports.length ? el("div", {}, el("h3", {}, "Reports"), el("ul", { class: "reports" }, ...links)) : null,
    ),
    ...(stores.length
      ? [el("div", { id: "games-summary", class: "games-summary" }), el("div", { id: "games-list" })]
      : []),
  ];
}

async function openStore(name) {
  Object.assign(shown, { store: name, ...NO_FILTER });
  await showStore();
}

async function showStore() {
  const number = ++asked;
  byId("games-state").textContent = "Reading the store…";
  const agents = await showSummary(number);
  if (!agents) return;
  for (const who of ["agent", "opponent"]) if (!agents.includes(shown[who])) shown[who] = "";
  byId("games-list").replaceChildren(list(agents));
  await fillList();
}

/** Shows how the store stands; the agents in it, null when something else was asked for meanwhile. */
async function showSummary(number = asked) {
  const summary = await get(storePath("summary"));
  if (number !== asked) return null;
  shown.state = summary.state;
  const agents = summary.agents.map((agent, i) => identity(agent, summary.behaviours[i]));
  names = new Map(agents.map((agent, i) => [agent, summary.names[i]]));
  byId("games-live").href = `live?${new URLSearchParams({ event: shown.store })}`;
  byId("games-state").textContent = `${plural(summary.games, "game")} of ${plural(agents.length, "agent")}.`;
  const order = summary.ratings
    .map(({ agent, behaviour }) => agents.indexOf(identity(agent, behaviour)))
    .filter((index) => index >= 0);
  byId("games-summary").replaceChildren(ratings(summary), crossTable(summary, order));
  return agents;
}

/** Looks whether games have come since, such as those of a running match, and shows them where one looks. */
async function followStore() {
  const { stores } = await get("api/stores");
  const store = stores.find(({ name }) => name === shown.store);
  if (!store || !byId("games-list")?.childElementCount) return load();
  if (store.state === shown.state) return;
  const known = names.size;
  const agents = await showSummary();
  if (agents && agents.length !== known) byId("games-list").replaceChildren(list(agents));
  if (agents) await fillList();
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

/** The list of games with what chooses among them; `fillList` fills it. */
function list(agents) {
  const whose = (none) => [["", none], ...agents.map((agent) => [agent, names.get(agent)])];
  return card(
    "Games",
    "games-list-title",
    el(
      "div",
      { class: "fields" },
      choice("agent", "Games of", whose("All agents")),
      choice("opponent", "Against", whose("Anybody")),
      choice("result", "Result", RESULTS),
      choice("order", "Order", ORDERS),
    ),
    scrolling(
      "Games",
      el("table", {}, head(["", "Black", "White"], ["Discs", "Rules", "Day"]), el("tbody", { id: "games-body" })),
    ),
    el(
      "div",
      { class: "actions pages" },
      newButton({ id: "games-previous", onclick: () => turn(-PAGE) }, "Previous"),
      el("span", { class: "hint", id: "games-range" }),
      newButton({ id: "games-next", onclick: () => turn(PAGE) }, "Next"),
    ),
  );
}

function choice(name, label, options) {
  const id = `games-${name}`;
  const select = el(
    "select",
    {
      id,
      onchange: () => {
        Object.assign(shown, { [name]: select.value, offset: 0 });
        attempt(fillList);
      },
    },
    ...options.map(([value, text]) => el("option", { value }, text)),
  );
  select.value = shown[name];
  return el("div", { class: "field" }, el("label", { for: id }, label), select);
}

function turn(step) {
  shown.offset += step;
  attempt(fillList);
}

async function fillList() {
  const number = ++asked;
  const { offset, agent, opponent, result, order } = shown;
  const filter = Object.entries({ agent, opponent, result, order }).filter(([, value]) => value);
  const query = new URLSearchParams([["offset", offset], ["limit", PAGE], ...filter]);
  const { total, games } = await get(storePath(`games?${query}`));
  if (number !== asked) return;
  const last = Math.min(offset + PAGE, total);
  byId("games-body").replaceChildren(...games.map(gameRow));
  byId("games-range").textContent = total ? `${offset + 1} to ${last} of ${total}` : "no such games";
  byId("games-previous").disabled = offset === 0;
  byId("games-next").disabled = last >= total;
}

const shortNames = (game) => [
  short(game.black, game.black_behaviour),
  short(game.white, game.white_behaviour),
];

function gameRow(game) {
  const { discs, points, rules, key, day } = game;
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
    cell(day ?? "–"),
  );
}

async function openGame(key) {
  const row = await get(storePath(`game/${encodeURIComponent(key)}`));
  const { game, reason } = row;
  const [black, white] = shortNames(row);
  const tree = GameTree.fromGame(game);
  tree.current = tree.root;
  const seat = (name) => ({ kind: "person", name, away: true });
  table.open({ tree, players: { black: seat(black), white: seat(white) }, view: "analyse" });
  byId("board").querySelector("[tabindex='0']").focus();
  announce(`${black} against ${white}, ${plural(game.moves.length, "move")}: ${reason}`);
}

/** Loads what is offered when the view is opened, again after the server was away, and follows what is written. */
export function setUp(games) {
  games.append(shelf(), el("div", { id: "stores", class: "games" }));
  showShelf();
  const look = () => {
    if (table.view === "games" && !loaded) attempt(load);
  };
  table.on("view", look);
  server.addEventListener("closed", () => {
    loaded = false;
  });
  server.addEventListener("welcome", look);
  setInterval(() => {
    if (table.view !== "games" || document.hidden || !server.isOpen) return;
    if (!loaded) look();
    else if (shown.store) followStore().catch(() => {}); // the next look tries again
  }, LOOK_EVERY);
  look();
}
