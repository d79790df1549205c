/**
 * Views that are loaded when they are first opened, so that a first visit stays light. Each is a file whose `setUp`
 * builds the view; one that cannot be loaded, because the server is away, is asked for again when it is back.
 */
import { byId } from "./dom.js";
import { server } from "./server.js";
import { table } from "./table.js";

/** Views that are not loaded yet. @type {Record<string, string>} */
const files = { games: "./games.js", train: "./train.js" };
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

/** Listens to the table and the connection. */
export function setUpLater() {
  table.on("view", open);
  table.on("game", open);
  server.addEventListener("welcome", open);
}
