/**
 * Bringing games in and taking them away: paste with recognition, copies in every notation, a picture.
 */
import { byId, el, newButton, plural, toast } from "./dom.js";
import { field, makeDialog, radios } from "./dialogs.js";
import { server } from "./server.js";
import { link } from "./storage.js";
import { PERSON, table } from "./table.js";
import { GameTree } from "./tree.js";
import { playerName } from "./words.js";

const FORMATS = {
  ggf: "a game in GGF",
  obf: "a position in OBF",
  board: "a position",
  "board and moves": "a position and moves from it",
  transcript: "a transcript",
};

/** A player of a pasted game; many texts name none. */
const namedPerson = (name) => (name ? { kind: "person", name } : PERSON);

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
  const read = async () => {
    const told = { variant: variant.value, size: Number(size.value) || null };
    const reply = await server.ask("read", { text: text.value, ...told });
    const players = { black: namedPerson(reply.black), white: namedPerson(reply.white) };
    table.open({ tree: GameTree.fromGame(reply.game), players, view: "analyse" });
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
        "A transcript (f5d6c3…), a board of X, O and - with the side to move, GGF or OBF: it is recognised.",
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

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

function copyRow(name, label, tell) {
  const input = el("input", { type: "text", readonly: true, class: "code", name });
  const onclick = () => copy(input).then(() => tell(`${label} copied.`));
  const button = newButton({ "aria-label": `Copy ${label}`, onclick }, "Copy");
  return { input, row: el("div", { class: "copy-row" }, field(label, input), button) };
}

function shareDialog() {
  const state = el("p", { class: "hint", role: "status" });
  const tell = (text) => {
    state.textContent = text;
  };
  const rows = Object.fromEntries(COPIES.map(([name, label]) => [name, copyRow(name, label, tell)]));
  let picture = "";
  const onclick = () => {
    download("outflank.svg", "image/svg+xml", picture);
    tell("outflank.svg saved.");
  };
  const save = newButton({ onclick }, "Save the board as a picture (SVG)");
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
      tell("Moves up to the position on the board.");
    } catch (error) {
      tell(error.message);
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
