/**
 * Bringing games in and taking them away: paste with recognition, copies in every notation, a picture.
 */
import { announce, byId, el, newButton, toast } from "./dom.js";
import { field, makeDialog } from "./dialogs.js";
import { server } from "./server.js";
import { link } from "./storage.js";
import { PERSON, table } from "./table.js";
import { GameTree } from "./tree.js";
import { playerName } from "./words.js";

const FORMATS = { ggf: "a game in GGF", obf: "a position in OBF", board: "a position", transcript: "a transcript" };

/** A player of a pasted game; many texts name none. */
const namedPerson = (name) => (name ? { kind: "person", name } : PERSON);

function pasteDialog() {
  const text = el("textarea", { spellcheck: "false", rows: 6, placeholder: "f5d6c3d3c4…" });
  const read = async () => {
    const reply = await server.ask("read", { text: text.value });
    const players = { black: namedPerson(reply.black), white: namedPerson(reply.white) };
    table.open({ tree: GameTree.fromGame(reply.game), players, view: "analyse" });
    toast(`Read as ${FORMATS[reply.format] ?? reply.format}, ${reply.game.rules}, ${reply.game.moves.length} moves.`);
    text.value = "";
  };
  return makeDialog({
    title: "Paste a game or a position",
    done: "Read",
    body: [
      field("Text", text),
      el(
        "p",
        { class: "hint" },
        "A transcript (f5d6c3…), a board of X, O and - with the side to move, GGF or OBF: it is recognised.",
      ),
    ],
    onOpen: () => setTimeout(() => text.focus()),
    onDone: read,
  });
}

const COPIES = [
  ["transcript", "Transcript"],
  ["board", "Position"],
  ["link", "Link to this position"],
  ["ggf", "GGF"],
  ["obf", "OBF"],
];

async function copy(input, label) {
  try {
    await navigator.clipboard.writeText(input.value);
  } catch {
    input.select(); // the clipboard is for secure pages only: the old way still works elsewhere
    document.execCommand("copy");
  }
  toast(`${label} copied.`);
}

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
  announce(`${name} saved.`);
}

function copyRow(name, label) {
  const input = el("input", { type: "text", readonly: true, class: "code", name });
  const button = newButton({ "aria-label": `Copy ${label}`, onclick: () => copy(input, label) }, "Copy");
  return { input, row: el("div", { class: "copy-row" }, field(label, input), button) };
}

function shareDialog() {
  const rows = Object.fromEntries(COPIES.map(([name, label]) => [name, copyRow(name, label)]));
  let picture = "";
  const save = newButton(
    { onclick: () => download("outflank.svg", "image/svg+xml", picture) },
    "Save the board as a picture (SVG)",
  );
  const state = el("p", { class: "hint", role: "status" });
  const fill = async () => {
    for (const { input } of Object.values(rows)) input.value = "";
    rows.link.input.value = link();
    save.disabled = true;
    const { black, white } = table.players;
    try {
      const written = await server.ask("write", {
        game: table.tree.request(),
        black: playerName(black),
        white: playerName(white),
      });
      for (const [name, { input }] of Object.entries(rows)) input.value = written[name] ?? input.value;
      picture = written.svg;
      save.disabled = false;
      state.textContent = "Moves up to the position on the board.";
    } catch (error) {
      state.textContent = error.message;
    }
  };
  return makeDialog({
    title: "Copy and save",
    body: [el("div", { class: "copies" }, ...Object.values(rows).map(({ row }) => row)), save, state],
    onOpen: fill,
  });
}

/** Builds both dialogs and the buttons that open them. */
export function setUpExchange() {
  const paste = pasteDialog();
  const share = shareDialog();
  byId("open-paste").addEventListener("click", paste.open);
  byId("open-share").addEventListener("click", share.open);
}
