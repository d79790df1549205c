/** The dialog in which players change: another opponent in the middle of a game, sides swapped, or a game from here. */
import { announce, el, newButton } from "./dom.js";
import { makeDialog } from "./dialogs.js";
import { agentPicker, checkAgent, playerOf } from "./picker.js";
import { defaultOpponent } from "./newgame.js";
import { PERSON, table } from "./table.js";
import { GameTree } from "./tree.js";
import { playerName } from "./words.js";

const TITLES = { "go on": "Who plays", "from here": "Play from here against…" };
const HINTS = {
  "go on": "The game goes on from the position on the board, also in the middle of a thought.",
  "from here": "A new game begins at the position on the board. The game you looked at stays as it is.",
};

let mode = "go on";
const person = [{ value: "person", text: "Person" }];
const pickers = { black: agentPicker("Black", person), white: agentPicker("White", person) };
const hint = el("p", { class: "hint" });

function swap() {
  const [black, white] = [pickers.black.picked().value, pickers.white.picked().value];
  pickers.black.pick(white);
  pickers.white.pick(black);
  announce("Sides swapped.");
}

/** The player that was chosen; a person who sits there keeps the name. */
function chosen(side) {
  const picked = pickers[side].picked();
  const sitting = [table.players[side], ...Object.values(table.players)].find(({ kind }) => kind === "person");
  return playerOf(picked, !sitting || sitting.away ? PERSON : sitting);
}

async function done() {
  const players = { black: chosen("black"), white: chosen("white") };
  await Promise.all(Object.values(players).map(checkAgent));
  if (mode === "go on") table.setPlayers(players);
  else openFromHere(players);
  announce(`Black: ${playerName(players.black)}. White: ${playerName(players.white)}.`);
}

function openFromHere(players) {
  const tree = GameTree.fromGame(table.tree.request());
  tree.root.opening = tree.current.ply;
  table.open({ tree, players, view: "play" });
}

const dialogs = Object.fromEntries(
  Object.entries(TITLES).map(([name, title]) => {
    const body = el("div", { class: "dialog-body" });
    const dialog = makeDialog({
      title,
      done: name === "go on" ? "Change" : "Play",
      body: [body],
      onOpen: () => {
        body.replaceChildren(
          el("div", { class: "fields" }, pickers.black.field, pickers.white.field),
          el("div", { class: "actions" }, newButton({ onclick: swap }, "Swap sides")),
          hint,
        );
        fillIn(name);
      },
      onDone: done,
    });
    return [name, dialog];
  }),
);

/** Shows who sits there; whoever plays on from an analysis has the move, and an agent opposite. */
function fillIn(name) {
  mode = name;
  hint.textContent = HINTS[name];
  const seat = ({ kind, text }) => (kind === "agent" ? text : "person");
  const { rules } = table.tree;
  const values = { black: seat(table.players.black), white: seat(table.players.white) };
  if (mode === "from here" && values.black === "person" && values.white === "person") {
    const opponent = defaultOpponent(rules.variant)?.name ?? "person";
    values[table.position.turn === "black" ? "white" : "black"] = opponent;
  }
  for (const side of ["black", "white"]) {
    pickers[side].rate(rules);
    pickers[side].pick(values[side]);
  }
}

/** Opens the dialog. @param {"go on" | "from here"} how */
export const changePlayers = (how) => dialogs[how].open();
