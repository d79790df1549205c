/**
 * Dialogs: the browser's own `<dialog>`, which keeps the keyboard inside and closes with Escape. Here are the frame
 * that all share and the small ones: help, resign, turn the board.
 */
import { backCloses } from "./backs.js";
import { announce, byId, el, newButton } from "./dom.js";
import { resign, resigningSide } from "./match.js";
import { SHORTCUTS } from "./keys.js";
import { habit, setHabit } from "./storage.js";
import { table } from "./table.js";

/**
 * A dialog with a title; `onDone` is called when its form is sent and keeps it open by returning false.
 * @param {{title: string, body: Node[], done?: string, onDone?: () => any, onOpen?: () => void}} parts
 * @returns {{open: () => void, close: () => void}}
 */
export function makeDialog({ title, body, done, onDone = () => {}, onOpen = () => {} }) {
  const id = `dialog-${title.toLowerCase().replace(/\W+/g, "-")}`;
  const close = () => dialog.close();
  const trouble = el("p", { class: "trouble", role: "alert" });
  const foot = el(
    "div",
    { class: "dialog-foot" },
    newButton({ onclick: close }, done ? "Cancel" : "Close"),
    done ? el("button", { type: "submit", class: "primary" }, done) : null,
  );
  const send = async (event) => {
    event.preventDefault();
    trouble.textContent = "";
    try {
      if ((await onDone()) !== false) close();
    } catch (error) {
      trouble.textContent = error.message;
    }
  };
  const form = el(
    "form",
    { method: "dialog", onsubmit: send },
    el("div", { class: "dialog-head" }, el("h2", { id }, title)),
    ...body,
    trouble,
    foot,
  );
  const dialog = el("dialog", { "aria-labelledby": id }, form);
  byId("dialogs").append(dialog);
  const open = () => {
    trouble.textContent = "";
    onOpen();
    dialog.showModal();
    backCloses(dialog);
  };
  return { open, close };
}

/** A group of radio buttons. @param {[string, string][]} choices value and text */
export function radios(legend, name, choices, onChange = () => {}) {
  const inputs = choices.map(([value]) => el("input", { type: "radio", name, value, onchange: onChange }));
  inputs[0].checked = true;
  const group = el(
    "fieldset",
    {},
    el("legend", {}, legend),
    el("div", { class: "choices" }, ...choices.map(([, text], i) => el("label", { class: "choice" }, inputs[i], text))),
  );
  return {
    group,
    get value() {
      return inputs.find((input) => input.checked).value;
    },
    set value(wanted) {
      for (const input of inputs) input.checked = input.value === wanted;
    },
  };
}

/** A labelled field. */
export function field(label, input) {
  const id = `field-${label.toLowerCase().replace(/\W+/g, "-")}-${document.querySelectorAll("dialog").length}`;
  input.id = id;
  return el("div", { class: "field" }, el("label", { for: id }, label), input);
}

const TURNS = [
  [6, "A quarter to the right"],
  [5, "A quarter to the left"],
  [3, "Half a turn"],
  [1, "Mirror left and right"],
  [2, "Mirror top and bottom"],
  [4, "Mirror along a1–h8"],
  [7, "Mirror along h1–a8"],
];

function turnDialog() {
  const turn = (number, text) => () => {
    table.open({ ...table, tree: table.tree.transformed(number) });
    announce(`${text}: done.`);
    dialog.close();
  };
  const dialog = makeDialog({
    title: "Turn the board",
    body: [
      el(
        "p",
        { class: "hint" },
        "The game and its variations are turned with the board. The eight pictures are the same game.",
      ),
      el(
        "div",
        { class: "actions" },
        ...TURNS.map(([number, text]) => newButton({ onclick: turn(number, text) }, text)),
      ),
    ],
  });
  return dialog;
}

function resignDialog() {
  const text = el("p");
  return makeDialog({
    title: "Resign",
    body: [text],
    done: "Resign",
    onOpen: () => {
      text.textContent = `The game ends as a loss for ${resigningSide()}. “Undo” takes that back too.`;
    },
    onDone: () => resign(resigningSide()),
  });
}

function helpDialog() {
  const toggle = el("input", { type: "checkbox", onchange: () => setHabit("keys", toggle.checked) });
  toggle.checked = habit("keys", true);
  const rows = SHORTCUTS.map(([keys, text]) =>
    el("div", {}, el("dt", {}, ...keys.split(" ").map((key) => el("kbd", {}, key))), el("dd", {}, text)),
  );
  return makeDialog({
    title: "Help",
    body: [
      el(
        "p",
        {},
        "Put a disc so that opposing discs lie in a row between it and another disc of yours: they are turned. ",
        "Whoever cannot move passes. When neither side can, most discs win, or fewest in the reversed game.",
      ),
      el(
        "p",
        {},
        "Values are from the view of the side that is named beside them. ",
        "An exact value is what best play by both sides leads to; ",
        "all others are estimates, the analyst's in discs, those of other agents in units of their own.",
      ),
      el("label", { class: "choice" }, toggle, "Use single keys as shortcuts"),
      el("dl", { class: "keys" }, ...rows),
    ],
  });
}

/** Builds the small dialogs and the buttons that open them. */
export function setUpDialogs() {
  const dialogs = { help: helpDialog(), resign: resignDialog(), "open-turn": turnDialog() };
  for (const [id, { open }] of Object.entries(dialogs)) byId(id).addEventListener("click", open);
}
