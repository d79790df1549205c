/**
 * The board on screen: a grid of buttons.
 *
 * Every square is a real button with a name such as "d3, empty, legal, turns 1 disc", so mouse, keyboard, touch and
 * screen readers all use the same thing. One square at a time is in the tab order; arrow keys move between squares.
 * The discs are drawn by the style sheet; this file only says what stands where and what has just been turned.
 */
import { el, newButton, plural } from "./dom.js";
import { squareName } from "./rules.js";

const COLOURS = { X: "black", O: "white", "-": "empty" };
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const TURN_STEP = 35; // milliseconds between neighbouring discs of a run

/** @typedef {{lines: string[], meaning: string, exact?: boolean, best?: boolean}} Note what is written on a square */

export class BoardView {
  /**
   * @param {HTMLElement} place
   * @param {(square: number) => void} onPress a square was clicked, or chosen with Enter
   * @param {string} label name of the grid for screen readers
   */
  constructor(place, onPress, label) {
    this.place = place;
    this.onPress = onPress;
    this.label = label;
    this.size = 0;
    this.focused = 0;
    /** @type {Map<number, Note>} */
    this.notes = new Map();
  }

  /** @returns {HTMLElement} */
  button(square) {
    return this.squares[square];
  }

  /** Builds the grid anew when the size changes. */
  build(size) {
    this.size = size;
    this.focused = (size / 2 - 1) * (size + 1);
    this.squares = Array.from({ length: size * size }, (_, square) => this.buildSquare(square));
    const rows = Array.from({ length: size }, (_, row) =>
      el(
        "div",
        { role: "row", class: "row" },
        ...this.squares
          .slice(row * size, (row + 1) * size)
          .map((button) => el("div", { role: "gridcell", class: "cell" }, button)),
      ),
    );
    const grid = el(
      "div",
      { role: "grid", class: "grid", "aria-label": this.label, onkeydown: (e) => this.onKey(e) },
      ...rows,
    );
    this.place.replaceChildren(
      el("div", { class: "sheet" }, coordinates("columns", size), coordinates("rows", size), grid),
    );
    this.place.style.setProperty("--n", size);
  }

  buildSquare(square) {
    const preview = () => this.preview(square);
    const unpreview = () => this.preview(null);
    return newButton(
      {
        class: "square",
        tabindex: square === this.focused ? 0 : -1,
        "data-square": squareName(square, this.size),
        onclick: () => this.onPress(square),
        onpointerenter: preview,
        onpointerleave: unpreview,
        onfocus: () => {
          this.point(square);
          preview();
        },
        onblur: unpreview,
      },
      el("span", { class: "disc" }),
      el("span", { class: "note" }),
    );
  }

  /**
   * Shows a position.
   * @param {import("./rules.js").Position} position
   * @param {{size: number, last?: number | null, playable?: boolean, turned?: number[]}} how
   *   `playable`: whether squares may be pressed; `turned`: discs that turn before one's eyes
   */
  show(position, { size, last = null, playable = true, turned = [] }) {
    if (size !== this.size) this.build(size);
    this.position = position;
    this.last = last;
    this.playable = playable;
    this.notes = new Map();
    this.squares.forEach((button, square) => this.draw(button, square));
    this.animate(last, turned);
    this.preview(this.squares.findIndex((button) => button.matches(":hover, :focus-visible")));
  }

  draw(button, square) {
    const colour = COLOURS[this.position.cells[square]];
    const legal = this.playable && this.position.legal.has(square);
    const marks = [legal && `legal for-${this.position.turn}`, square === this.last && "last"].filter(Boolean);
    button.className = ["square", colour, ...marks].join(" ");
    button.setAttribute("aria-disabled", String(!legal));
    button.lastChild.textContent = "";
    this.name(button, square);
  }

  name(button, square) {
    const flips = this.playable ? this.position.legal.get(square) : undefined;
    const parts = [squareName(square, this.size), COLOURS[this.position.cells[square]]];
    if (flips) parts.push("legal", `turns ${plural(flips.length, "disc")}`);
    if (square === this.last) parts.push("last move");
    const note = this.notes.get(square);
    if (note) parts.push(`${note.meaning} ${note.lines.join(" ")}`, ...(note.exact ? ["exact"] : []));
    const name = parts.join(", ");
    if (button.getAttribute("aria-label") !== name) button.setAttribute("aria-label", name);
  }

  /** Lets the new disc appear and the turned ones turn, the nearest first. */
  animate(placed, turned) {
    if (!turned.length) return;
    this.button(placed).classList.add("placed");
    for (const square of turned) {
      const rows = Math.abs(Math.floor(square / this.size) - Math.floor(placed / this.size));
      const distance = Math.max(rows, Math.abs((square % this.size) - (placed % this.size)));
      this.button(square).style.setProperty("--delay", `${distance * TURN_STEP}ms`);
      this.button(square).classList.add("turned");
    }
  }

  /** Writes values on squares. @param {Map<number, Note>} notes */
  showNotes(notes) {
    const old = this.notes;
    this.notes = notes;
    for (const square of new Set([...old.keys(), ...notes.keys()])) {
      if (square < this.squares.length) this.drawNote(this.button(square), square, notes.get(square));
    }
  }

  drawNote(button, square, note) {
    const text = note?.lines.join("\n") ?? "";
    if (button.lastChild.textContent !== text) button.lastChild.textContent = text;
    button.classList.toggle("noted", Boolean(note));
    button.classList.toggle("exact", Boolean(note?.exact));
    button.classList.toggle("best", Boolean(note?.best));
    this.name(button, square);
  }

  /** Shows what a legal move on this square would turn; nothing for any other. */
  preview(square) {
    for (const button of this.previewed ?? []) button.classList.remove("ghost", "will-turn");
    this.previewed = [];
    const flips = this.playable && this.position?.legal.get(square);
    if (!flips) return;
    this.button(square).classList.add("ghost");
    for (const flip of flips) this.button(flip).classList.add("will-turn");
    this.previewed = [square, ...flips].map((each) => this.button(each));
  }

  /** Makes a square the one in the tab order. */
  point(square) {
    this.button(this.focused).tabIndex = -1;
    this.focused = square;
    this.button(square).tabIndex = 0;
  }

  /** Puts the keyboard on the board. */
  focus(square = this.focused) {
    this.button(square).focus();
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = this.keyTarget(event.key);
    if (target === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.focus(target);
  }

  /** The square a key leads to, null for keys that lead nowhere. */
  keyTarget(key) {
    const { size, focused } = this;
    const row = Math.floor(focused / size);
    if (key === "Home") return row * size;
    if (key === "End") return row * size + size - 1;
    if (key === "l" || key === "L") return this.nextLegal();
    if (!(key in ARROWS)) return null;
    const [down, right] = ARROWS[key];
    const within = (number) => Math.min(Math.max(number, 0), size - 1);
    return within(row + down) * size + within((focused % size) + right);
  }

  nextLegal() {
    const legal = [...this.position.legal.keys()];
    return legal.find((square) => square > this.focused) ?? legal[0] ?? null;
  }
}

/** Letters above the board or numbers beside it; every square's name says them to screen readers. */
function coordinates(kind, size) {
  const text = (i) => (kind === "columns" ? squareName(i, size)[0] : String(i + 1));
  return el(
    "div",
    { class: `coordinates ${kind}`, "aria-hidden": "true" },
    ...Array.from({ length: size }, (_, i) => el("span", {}, text(i))),
  );
}
