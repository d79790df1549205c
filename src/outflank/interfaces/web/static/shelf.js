/** Your games: the library as a list that can be searched, gone on with, written to files and read from them. */
import { announce, byId, el, newButton, plural, toast } from "./dom.js";
import { download } from "./exchange.js";
import { entries, keep, put, remove, wholeGame } from "./library.js";
import { server } from "./server.js";
import { unpack } from "./storage.js";
import { table } from "./table.js";

const PAGE = 15;
const KINDS = [
  ["", "All games"],
  ["open", "Not finished"],
  ["over", "Finished"],
  ["reviewed", "Reviewed"],
];
const FILE_KIND = "outflank library";

/** What is looked for, and the first game that is shown. */
const wanted = { words: "", kind: "", offset: 0 };
/** The game that was taken out last, with its whole. */
let removed = null;

function isWanted(entry) {
  const { words, kind } = wanted;
  const isKind = { "": true, open: !entry.over, over: entry.over, reviewed: entry.reviewed }[kind];
  return isKind && words.toLowerCase().split(/\s+/).every((word) => entry.words.includes(word));
}

const found = async () => (await entries()).filter(isWanted);

async function show() {
  if (!byId("shelf-body")) return;
  try {
    const games = await found();
    wanted.offset = Math.min(wanted.offset, Math.max(0, Math.floor((games.length - 1) / PAGE) * PAGE));
    const { offset } = wanted;
    const some = games.slice(offset, offset + PAGE);
    byId("shelf-body").replaceChildren(...some.map(row));
    byId("shelf-table").hidden = !games.length;
    byId("shelf-range").textContent = games.length
      ? `${offset + 1} to ${offset + some.length} of ${plural(games.length, "game")}`
      : wanted.words || wanted.kind
        ? "No such games."
        : "No games yet. Every game you play or bring in is kept here by itself.";
    for (const id of ["shelf-previous", "shelf-next"]) byId(id).hidden = games.length <= PAGE;
    byId("shelf-previous").disabled = offset === 0;
    byId("shelf-next").disabled = offset + PAGE >= games.length;
    for (const id of ["shelf-export", "shelf-backup"]) byId(id).disabled = !games.length;
  } catch {
    byId("shelf-range").textContent = "This browser keeps nothing for this page, so there is no library here.";
  }
}

const DAY = { year: "numeric", month: "short", day: "numeric" };

function row(entry) {
  const { id, begun, black, white, result, rules, plies, over, reviewed } = entry;
  const cell = (text, kind = "") => el("td", { class: kind }, text);
  const name = `${black} against ${white}, ${plural(plies, "move")}`;
  return el(
    "tr",
    {},
    el(
      "td",
      {},
      newButton(
        { class: "quiet", "aria-label": `${over ? "Open" : "Go on with"} ${name}`, onclick: () => open(entry) },
        over ? "Open" : "Go on",
      ),
    ),
    cell(black, "agent"),
    cell(white, "agent"),
    cell(result || `move ${plies}`, "number"),
    cell(`${rules}${reviewed ? ", reviewed" : ""}`),
    cell(new Date(begun).toLocaleDateString("en", DAY), "number"),
    el(
      "td",
      {},
      newButton({ class: "quiet", "aria-label": `Remove ${name}`, onclick: () => takeOut(id) }, "Remove"),
    ),
  );
}

async function open({ id, over, begun }) {
  const game = unpack(await wholeGame(id));
  if (!game) return toast("This game was written by another version and cannot be read.", true);
  table.open({ ...game, view: over ? "analyse" : "play", paused: false });
  keep(begun);
  byId("board").querySelector("[tabindex='0']").focus();
}

async function takeOut(id) {
  const entry = (await entries()).find((each) => each.id === id);
  removed = { entry, text: await wholeGame(id) };
  await remove(id);
  byId("shelf-back").hidden = false;
  announce("Removed. “Put back” brings it back.");
  await show();
  byId("shelf-back").focus();
}

async function putBack() {
  await put([removed]);
  removed = null;
  byId("shelf-back").hidden = true;
  await show();
}

/** Writes the games that are found as GGF, which other programs read; the server writes it, one game after the other. */
async function exportGames() {
  const games = await found();
  const lines = [];
  try {
    for (const { id, black, white } of games) {
      const { tree } = unpack(await wholeGame(id));
      const { ggf } = await server.ask("write", { game: tree.request(tree.line().at(-1)), black, white });
      lines.push(ggf.trim());
      byId("shelf-state").textContent = `Writing ${lines.length} of ${plural(games.length, "game")}…`;
    }
    download("outflank-games.ggf", "text/plain", `${lines.join("\n")}\n`);
    byId("shelf-state").textContent = `${plural(games.length, "game")} saved as outflank-games.ggf.`;
  } catch (error) {
    byId("shelf-state").textContent = `Not saved: ${error.message}`;
  }
}

/** Writes the games that are found with all that is known of them, to be read back here or in another browser. */
async function backUp() {
  const games = await Promise.all((await found()).map(async (entry) => ({ entry, text: await wholeGame(entry.id) })));
  download("outflank-library.json", "application/json", JSON.stringify({ kind: FILE_KIND, games }));
  byId("shelf-state").textContent = `${plural(games.length, "game")} saved as outflank-library.json.`;
}

async function bringBack(file) {
  try {
    const { kind, games } = JSON.parse(await file.text());
    if (kind !== FILE_KIND) throw new Error("not a library");
    const whole = games.filter(({ entry, text }) => typeof entry?.id === "string" && unpack(text));
    await put(whole);
    byId("shelf-state").textContent = `${plural(whole.length, "game")} read from ${file.name}.`;
  } catch {
    byId("shelf-state").textContent = `${file.name} is no library of this page; expected a file that “Back up” wrote.`;
  }
  await show();
}

function turn(step) {
  wanted.offset += step;
  show();
}

function seek(change) {
  Object.assign(wanted, change, { offset: 0 });
  show();
}

/** Builds the card. @returns {HTMLElement} */
export function shelf() {
  const search = el("input", { type: "search", id: "shelf-search", oninput: () => seek({ words: search.value.trim() }) });
  const kind = el(
    "select",
    { id: "shelf-kind", onchange: () => seek({ kind: kind.value }) },
    ...KINDS.map(([value, text]) => el("option", { value }, text)),
  );
  const file = el("input", {
    type: "file",
    accept: ".json",
    class: "unseen",
    tabindex: -1,
    "aria-label": "File of a library",
    onchange: () => {
      if (file.files[0]) bringBack(file.files[0]);
      file.value = "";
    },
  });
  const heads = ["", "Black", "White", "Result", "Rules", "Begun", ""];
  const number = new Set(["Result", "Begun"]);
  table.on("kept", () => table.view === "games" && show());
  table.on("view", () => table.view === "games" && show());
  const card = el(
    "section",
    { class: "card", "aria-labelledby": "shelf-title" },
    el("h2", { id: "shelf-title" }, "Your games"),
    el(
      "div",
      { class: "fields" },
      el("div", { class: "field" }, el("label", { for: "shelf-search" }, "Search names, rules, days, moves"), search),
      el("div", { class: "field" }, el("label", { for: "shelf-kind" }, "Which"), kind),
    ),
    el(
      "div",
      { class: "scroll", id: "shelf-table", tabindex: "0", role: "group", "aria-label": "Your games", hidden: true },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ...heads.map((head) =>
              head ? el("th", { scope: "col", class: number.has(head) ? "number" : "" }, head) : el("td"),
            ),
          ),
        ),
        el("tbody", { id: "shelf-body" }),
      ),
    ),
    el(
      "div",
      { class: "actions pages" },
      newButton({ id: "shelf-previous", onclick: () => turn(-PAGE) }, "Newer"),
      el("span", { class: "hint", id: "shelf-range" }),
      newButton({ id: "shelf-next", onclick: () => turn(PAGE) }, "Older"),
      newButton({ id: "shelf-back", hidden: true, onclick: putBack }, "Put back"),
    ),
    el(
      "div",
      { class: "actions" },
      newButton({ id: "shelf-export", onclick: exportGames }, "Export as GGF"),
      newButton({ id: "shelf-backup", onclick: backUp }, "Back up"),
      newButton({ onclick: () => file.click() }, "Restore a backup"),
      file,
    ),
    el("p", { class: "hint", id: "shelf-state", role: "status" }),
    el("p", { class: "hint" }, "They are kept in this browser, on this machine, and nowhere else."),
  );
  return card;
}

export { show as showShelf };
