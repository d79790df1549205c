/**
 * Bringing games in and taking them away: paste with recognition, copies in every notation, a picture.
 */
import { byId, el, newButton, plural, toast } from "./dom.js";
import { field, makeDialog, radios } from "./dialogs.js";
import { keep } from "./library.js";
import { server } from "./server.js";
import { fromAddress, link } from "./storage.js";
import { rulesText } from "./rules.js";
import { PERSON, table } from "./table.js";
import { GameTree } from "./tree.js";
import { playerName } from "./words.js";

const FORMATS = {
  ggf: "a game in GGF",
  sgf: "a game in SGF",
  link: "a link of this page",
  obf: "a position in OBF",
  board: "a position",
  "board and moves": "a position and moves from it",
  transcript: "a transcript",
};

/** A player of a pasted game; many texts name none. */
const namedPerson = (name) => (name ? { ...PERSON, name, away: true } : PERSON);

function pasteDialog() {
  const text = el("textarea", { spellcheck: "false", rows: 6, placeholder: "f5d6c3d3c4…" });
  const variant = radios("Who wins", "paste-variant", [
    ["standard", "Most discs"],
    ["reversed", "Fewest discs"],
  ]);
  const size = el(
    "select",
    {},
    el("option", { value: "" }, "As the text looks"),
    ...[4, 6, 8, 10, 12, 14, 16].map((n) => el("option", { value: n }, `${n} × ${n}`)),
  );
  /** Opens a link of this page here, with players and review, which the server does not know. */
  const readLink = () => {
    const hash = text.value.trim().slice(text.value.trim().indexOf("#"));
    if (/[#&]lesson=/.test(hash)) return void (location.hash = hash);
    const game = fromAddress(hash);
    if (!game) throw new Error("This link names no game; expected for example #rules=standard-8x8&moves=f5d6.");
    table.open({ ...game, view: "analyse" });
    keep();
    toast(game.refused || `Read as ${FORMATS.link}, ${plural(game.tree.line().length - 1, "move")}.`, Boolean(game.refused));
    text.value = "";
  };
  const read = async () => {
    if (/#\S*(rules|lesson)=/.test(text.value)) return readLink();
    const told = { variant: variant.value, size: Number(size.value) || null };
    const reply = await server.ask("read", { text: text.value, ...told });
    const players = { black: namedPerson(reply.black), white: namedPerson(reply.white) };
    table.open({ tree: GameTree.fromGame(reply.game), players, view: "analyse" });
    keep();
    toast(`Read as ${FORMATS[reply.format]}, ${reply.game.rules}, ${plural(reply.game.moves.length, "move")}.`);
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
        "A transcript (f5d6c3…), a board of X, O and - with the side to move, GGF, OBF or a link of this page: ",
        "it is recognised.",
      ),
      el("div", { class: "fields" }, field("Board of a transcript", size), variant.group),
    ],
    onOpen: () => {
      variant.value = table.tree.rules.variant;
      setTimeout(() => text.focus());
    },
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

async function copy(input) {
  try {
    await navigator.clipboard.writeText(input.value);
  } catch {
    input.select(); // the clipboard is for secure pages only: the old way still works elsewhere
    document.execCommand("copy");
  }
}

/** Has the browser save a text or a blob as a file. */
export function download(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

function copyRow(name, label, tell, tag = "input") {
  const input = el(tag, { type: tag === "input" && "text", readonly: true, class: "code", name });
  const onclick = () => copy(input).then(() => tell(`${label} copied.`));
  const button = newButton({ "aria-label": `Copy ${label}`, onclick }, "Copy");
  return { input, row: el("div", { class: "copy-row" }, field(label, input), button) };
}

/** The game in words, with the board and a link, to be sent to somebody. */
function messageText(written) {
  const { players, tree, position } = table;
  const names = `${playerName(players.black)} (black) ${position.black} – ${position.white} ${playerName(players.white)} (white)`;
  return [`${names}, ${rulesText(tree.rules)}`, written.transcript, written.drawn, link()].filter(Boolean).join("\n");
}

/** What can be saved: name, kind, label, and how it is made. */
const FILES = [
  ["outflank.png", "image/png", "Save as PNG", ({ png }) => png(table.node, table.tree.rules.size)],
  ["outflank.gif", "image/gif", "Save the game as a GIF", ({ gif }) => gif(table.tree.line(), table.tree.rules.size)],
];

function shareDialog() {
  const state = el("p", { class: "hint", role: "status" });
  const tell = (text) => {
    state.textContent = text;
  };
  const rows = Object.fromEntries(COPIES.map(([name, label]) => [name, copyRow(name, label, tell)]));
  rows.text = copyRow("text", "Text to share", tell, "textarea");
  let picture = "";
  const saved = (name, type, content) => {
    download(name, type, content);
    tell(`${name} saved.`);
  };
  const save = newButton(
    { onclick: () => saved("outflank.svg", "image/svg+xml", picture) },
    "Save the board as a picture (SVG)",
  );
  const files = FILES.map(([name, type, label, make]) =>
    newButton({ onclick: async () => saved(name, type, await make(await import("./pictures.js"))) }, label),
  );
  const send = newButton(
    { hidden: !navigator.share, onclick: () => navigator.share({ text: rows.text.input.value }).catch(() => {}) },
    "Share…",
  );
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
      rows.text.input.value = messageText(written);
      picture = written.svg;
      save.disabled = false;
      tell("Moves up to the position on the board; link and GIF have the whole game.");
    } catch (error) {
      tell(error.message);
    }
  };
  return makeDialog({
    title: "Copy and save",
    body: [
      el("div", { class: "copies" }, ...Object.values(rows).map(({ row }) => row)),
      el("div", { class: "actions" }, ...files, save, send),
      state,
    ],
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
