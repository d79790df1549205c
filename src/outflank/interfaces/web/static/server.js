/**
 * The one connection of this page to its server, and what the server said when it was greeted: levels, agents, limits.
 */
import { byId, setText, toast } from "./dom.js";
import { Connection, socketAddress } from "./socket.js";

export const server = new Connection(socketAddress(document.baseURI));

/** What the server offers. @type {{version: string, levels: any[], agents: any[], limits: any} | null} */
export let welcome = null;

let ticking = 0;
let wasLost = false;

async function greet() {
  try {
    welcome = await server.ask("hello");
    server.dispatchEvent(new Event("welcome"));
  } catch {
    return; // lost again; the next one greets anew
  }
  showState("open", `Connected, version ${welcome.version}`);
  if (wasLost) toast("Connected again. The game goes on.");
  wasLost = false;
}

function lost() {
  if (!wasLost) toast("The connection to Outflank is lost. Your game is safe here; agents and analysis wait.", true);
  wasLost = true;
  clearInterval(ticking);
  ticking = setInterval(countDown, 500);
  countDown();
}

function countDown() {
  if (server.isOpen) return clearInterval(ticking);
  const seconds = Math.max(0, Math.ceil((server.retryAt - Date.now()) / 1000));
  showState("closed", seconds ? `No connection, next try in ${seconds} s` : "No connection, trying…");
}

function showState(state, text) {
  const label = byId("connection");
  label.className = `connection ${state}`;
  label.title = text;
  setText(label, text);
  byId("retry").hidden = state !== "closed";
}

/** Watches the connection and shows its state in the corner of the page. */
export function watchServer() {
  server.addEventListener("open", greet);
  server.addEventListener("closed", lost);
  server.addEventListener("trouble", (event) => toast(event.detail, true));
  byId("retry").addEventListener("click", () => server.retry());
}
