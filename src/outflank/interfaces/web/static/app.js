/**
 * Outflank in the browser: this file puts the parts together and starts them.
 *
 * `table.js` holds the game and tells of changes; every other file shows one part of it or acts on it. The server
 * thinks, reads and writes notations; the game itself lives here, in this tab.
 */
import { setUpAnalysis } from "./analysis.js";
import { setUpActions } from "./actions.js";
import { closedByBack } from "./backs.js";
import { BoardView } from "./board.js";
import { keepTime, settle } from "./clock.js";
import { setUpDialogs } from "./dialogs.js";
import { byId, el, icon, toast } from "./dom.js";
import { setUpEditor } from "./editor.js";
import { setUpExchange } from "./exchange.js";
import { setUpGraph } from "./graph.js";
import { setUpKeys } from "./keys.js";
import { setUpLater } from "./later.js";
import { setUpLibrary, wholeGame } from "./library.js";
import { keepPlaying } from "./match.js";
import { setUpMoves } from "./moves.js";
import { defaultOpponent, setUpNewGame } from "./newgame.js";
import { setUpRecord } from "./record.js";
import { setUpReview } from "./review.js";
import { setUpBar } from "./evaluation.js";
import { setUpSeats } from "./seats.js";
import { setUpStepping } from "./stepping.js";
import { server, watchServer } from "./server.js";
import { address, fromAddress, habit, keepGame, restored, revisited } from "./storage.js";
import { save, saveSoon, setHabit, travel, unpack } from "./storage.js";
import { PERSON, table } from "./table.js";
import { GameTree } from "./tree.js";
import { setUpTreeSearch } from "./treesearch.js";
import { setUpZoom } from "./zoom.js";

const THEMES = { auto: "as the system", light: "light", dark: "dark" };

const board = new BoardView(byId("board"), press, "Board");

function press(square) {
  if (board.playable && table.position.legal.has(square)) table.play(square);
}

function showBoard({ played, from } = {}) {
  const { node, position, tree, view, mover } = table;
  const turned = played ? (from.position.legal.get(node.move) ?? []) : [];
  const playable = !table.over && (view === "analyse" || mover.kind === "person");
  board.show(position, { size: tree.rules.size, last: node.move === tree.pass ? null : node.move, playable, turned });
}

function showView() {
  document.documentElement.dataset.view = table.view;
  scrollTo(0, 0);
  for (const button of document.querySelectorAll("nav [data-view]")) {
    if (button.dataset.view === table.view) {
      button.setAttribute("aria-current", "page");
      button.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else button.removeAttribute("aria-current");
  }
}

function setUpTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const choose = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
    board.showNotes(new Map());
    table.tell("tab");
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = tabs[(i + step + tabs.length) % tabs.length];
      choose(next);
      next.focus();
    });
  });
}

function setUpTheme() {
  const button = byId("theme");
  const show = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.replaceChildren(icon("theme"), el("span", {}, "Colours"));
    button.title = `Colours: ${THEMES[theme]} (D)`;
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    const names = Object.keys(THEMES);
    const theme = names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length];
    setHabit("theme", theme);
    show(theme);
    toast(`Colours: ${THEMES[theme]}.`);
  });
  show(habit("theme", "auto"));
}

/** Opens a stored or linked game, or says what is wrong with the link. */
function openKnown(game) {
  if (game && (!game.tree || game.tree === table.tree)) {
    table.goTo(game.at);
    table.setView(game.view);
  } else if (game) {
    if (game.at) game.tree.goTo(game.at);
    table.open(game);
  }
  const trouble = game
    ? game.refused
    : "The address names no game; it should contain for example #rules=standard-8x8&moves=f5d6.";
  if (trouble) toast(trouble, true);
}

/** Follows Back and Forward, and addresses that are typed or pasted. */
async function follow() {
  if (closedByBack()) return save();
  const place = history.state;
  const here = revisited() ?? (place?.game ? await shelved(place.game) : null);
  if (history.state === place || !place) travel(() => openKnown(here ?? fromAddress()));
}

/** A game of the library that the tab has forgotten, with the position and view of the address. */
async function shelved(id) {
  const game = unpack(await wholeGame(id).catch(() => null));
  const linked = fromAddress();
  if (!game || !linked) return null;
  return { ...game, view: linked.view, at: linked.tree && game.tree.growLine(game.tree.root, linked.tree.moves()) };
}

/** A first visitor meets an agent of about even strength at once; everybody else finds the game as it was left. */
function openFirstGame() {
  const known = restored();
  if (known) return openKnown(known);
  const linked = fromAddress();
  if (location.hash.length > 1 && !linked) openKnown(null);
  const tree = new GameTree({ variant: "standard", size: 8 });
  table.open({ tree, view: linked?.view });
  server.addEventListener(
    "welcome",
    () => {
      const level = defaultOpponent();
      if (!level || table.tree !== tree || tree.root.children.length || !["play", "lessons"].includes(table.view))
        return;
      table.players = { black: PERSON, white: { kind: "agent", text: level.name, name: level.name } };
      table.tell("game");
      table.tell("seats");
    },
    { once: true },
  );
}

keepTime();
keepPlaying();
for (const event of ["seats", "view", "cursor"]) table.on(event, showBoard);
for (const event of ["seats", "view", "game"]) table.on(event, save);
table.on("cursor", ({ played }) => (played ? save({ played }) : saveSoon()));
table.on("notes", saveSoon);
table.on("view", showView);
setUpTheme();
setUpSeats();
setUpMoves();
setUpGraph();
setUpBar();
setUpStepping(board);
setUpActions(board);
setUpTabs();
setUpAnalysis(board);
setUpReview();
setUpRecord();
setUpTreeSearch(board);
setUpDialogs();
setUpNewGame();
setUpExchange();
setUpEditor();
setUpKeys(() => board.focus());
setUpZoom(board);
setUpLater(board);
setUpLibrary();
byId("skip").addEventListener("click", () => board.focus());
watchServer();
for (const button of document.querySelectorAll("nav [data-view]"))
  button.addEventListener("click", () => table.setView(button.dataset.view));
addEventListener("popstate", follow);
addEventListener("hashchange", () => {
  if (location.hash !== address()) follow();
});
addEventListener("pagehide", () => {
  settle();
  save();
});
openFirstGame();
// From here on there is a game that can be left.
table.on("leave", () => {
  settle();
  keepGame();
});
