/**
 * The name of the opening, while one plays: of the last position that has one, in any mirror image and by whatever
 * moves it was reached. The names come from the server once; after that nothing is asked.
 */
import { byId, setText } from "./dom.js";
import { image, parseMoves } from "./rules.js";
import { server } from "./server.js";
import { table } from "./table.js";
import { GameTree } from "./tree.js";

const SIZE = 8;
const RULES = { variant: "standard", size: SIZE };
/** For each symmetry, where every square of the image comes from. */
const SOURCES = Array.from({ length: 8 }, (_, number) => {
  const sources = Array(SIZE * SIZE);
  for (let square = 0; square < SIZE * SIZE; square++) sources[image(square, SIZE, number)] = square;
  return sources;
});

/** Names by `key`. @type {Map<string, string>} */
const names = new Map();
let longest = 0;

/** The same text for a position and its mirror images. */
function key({ cells, turn }) {
  let least = "";
  for (const sources of SOURCES) {
    let turned = "";
    for (const square of sources) turned += cells[square];
    if (!least || turned < least) least = turned;
  }
  return least + turn;
}

/** The name of a position of a game, or of the last before it that has one. @param {import("./tree.js").Node} node */
export function openingName(node) {
  for (let at = node; at; at = at.parent) {
    at.openingKey ??= at.ply > longest ? "" : key(at.position);
    const name = names.get(at.openingKey);
    if (name) return name;
  }
  return "";
}

function show() {
  const name = table.tree.rules.size === SIZE ? openingName(table.node) : "";
  setText(byId("opening"), name && ` · ${name}`);
}

/** Fetches the names and shows them from now on. */
export async function setUp() {
  const { names: lines } = await server.ask("openings");
  longest = Math.max(...lines.map(([moves]) => moves.length / 2));
  for (const [moves, name] of lines) {
    const tree = new GameTree(RULES);
    for (const move of parseMoves(moves, SIZE)) tree.play(move);
    names.set(key(tree.position), name);
  }
  for (const event of ["cursor", "game"]) table.on(event, show);
  show();
}
