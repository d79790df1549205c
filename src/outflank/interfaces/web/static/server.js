/**
 * The one connection of this page to its server, and what the server said when it was greeted: levels, agents, limits.
 */
import { announce, byId, setText, toast } from "./dom.js";
import { Connection, socketAddress } from "./socket.js";

export const server = new Connection(socketAddress(document.baseURI));

/** Why a request ended without an answer that nobody here stopped. */
export const STOPPED = "the server has stopped it.";

/** What the server offers. @type {{version: string, levels: any[], agents: any[], limits: any} | null} */
export let welcome = null;

let ticking = 0;
let wasLost = false;

async function greet() {
  try {
    welcome = await server.ask("hello");
  } catch {
    return; // lost again; the next one greets anew
  }
  clearInterval(ticking);
  byId("lost").hidden = true;
  showRefused(false);
  showState("open", `Connected, version ${welcome.version}`);
  server.dispatchEvent(new Event("welcome"));
  if (wasLost) toast("Connected again. The game goes on.");
  wasLost = false;
}

/** Says what is lost and what is not, for as long as it lasts. */
function lost() {
  showState("closed", "No connection");
  if (!wasLost) {
    byId("lost").hidden = false;
    announce(byId("lost-text").textContent);
  }
  wasLost = true;
  lookForRefusal();
  clearInterval(ticking);
  ticking = setInterval(countDown, 500);
  countDown();
}

/** A server for a network that was started anew has another token; only whoever started it can tell the new address. */
async function lookForRefusal() {
  const response = await fetch("healthz").catch(() => null);
  if (response?.status !== 403 || !byId("refused").hidden) return;
  showRefused(true);
  byId("lost").hidden = false;
  announce(byId("refused").textContent);
}

function showRefused(refused) {
  byId("refused").hidden = !refused;
  byId("lost-text").hidden = refused;
}

function countDown() {
  const seconds = Math.max(0, Math.ceil((server.retryAt - Date.now()) / 1000));
  setText(byId("next-try"), seconds ? `Next try in ${seconds} s.` : "Trying…");
}

function showState(state, text) {
  const label = byId("connection");
  label.className = `connection ${state}`;
  label.title = text;
  setText(label, text);
}

/** Watches the connection and shows its state: a dot in the corner of the page, a notice while it is lost. */
export function watchServer() {
  const retry = () => server.retry();
  server.addEventListener("open", greet);
  server.addEventListener("closed", lost);
  server.addEventListener("trouble", (event) => toast(event.detail, true));
  byId("retry").addEventListener("click", retry);
  byId("hide-lost").addEventListener("click", () => {
    byId("lost").hidden = true;
  });
  addEventListener("online", retry);
  document.addEventListener("visibilitychange", () => document.hidden || retry());
}
