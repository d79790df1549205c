/**
 * Views that are loaded when they are first opened, so that a first visit stays light. Each is a file whose `setUp`
 * builds the view; one that cannot be loaded, because the server is away, is asked for again when it is back.
 */
import { byId } from "./dom.js";
import { server } from "./server.js";
import { table } from "./table.js";

/** Views that are not loaded yet. @type {Record<string, string>} */
const files = { games: "./games.js", train: "./train.js", lessons: "./lessons.js" };
const loading = new Set();
let tries = 0;

async function open() {
  const { view } = table;
  if (!(view in files) || loading.has(view)) return;
  loading.add(view);
  try {
    const { setUp } = await import(`${files[view]}${tries ? `?${tries}` : ""}`); // a browser may remember a failure
    delete files[view];
    byId(view).replaceChildren();
    setUp(byId(view));
  } catch (error) {
    tries += 1;
    if (!(error instanceof TypeError)) throw error;
    byId(view).textContent = "There is no connection to the server. This comes by itself when it is back.";
  } finally {
    loading.delete(view);
  }
}

/** Parts of other views, each loaded when it is first wanted: its file, and what its `setUp` takes. */
const parts = {
  names: { file: "./openings.js", isWanted: () => table.node.ply > 0 && table.tree.rules.size === 8 },
  explorer: { file: "./explorer.js", isWanted: () => table.view === "analyse" && !byId("panel-openings").hidden },
};

async function openParts(board) {
  for (const [name, { file, isWanted }] of Object.entries(parts)) {
    if (loading.has(name) || !server.isOpen || !isWanted()) continue;
    loading.add(name);
    try {
      const { setUp } = await import(`${file}${tries ? `?${tries}` : ""}`);
      await setUp(board);
      delete parts[name];
    } catch (error) {
      tries += 1;
      if (server.isOpen && !(error instanceof TypeError)) throw error; // else it is asked for again later
    } finally {
      loading.delete(name);
    }
  }
}

/** Listens to the table and the connection. @param {import("./board.js").BoardView} board */
export function setUpLater(board) {
  for (const event of ["cursor", "tab", "view"]) table.on(event, () => openParts(board));
  server.addEventListener("welcome", () => openParts(board));
  table.on("view", open);
  table.on("game", open);
  server.addEventListener("welcome", open);
}
