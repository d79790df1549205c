/**
 * A tree on screen: boxes in rows, the root on top, the node of the step in sight.
 *
 * Large trees are shown through a window. What is always there: the path to the node of the step, with all children along
 * it. Beyond that the upper rows, as many as there is room for; a box with a number below it has so many nodes that are
 * folded away, and unfolds when it is pressed; one that is pressed twice folds. Arrow keys walk through the tree, and whatever is pointed at or focused
 * is told to whoever listens.
 */
import { el, svg } from "./dom.js";

const BOX = { width: 62, height: 50 }; // at least so wide
const LETTER = 6.1; // the width of a digit in a box
const GAP = { across: 6, down: 30 };
const LEFT = 46; // for the names of the rows
const MOST_SHOWN = 130; // boxes

/** How small and how large boxes may be drawn to fill their window. */
export const ZOOMS = { usual: [0.9, 1], projected: [1, 1.6] };

/** @typedef {import("./lesson-models.js").Node} Node */
/** @typedef {import("./lesson-models.js").Picture} Picture */

/** Nodes below a node. @param {Node} node */
const below = (node) => node.children.reduce((sum, child) => sum + 1 + below(child), 0);

export class TreeView {
  /**
   * @param {string} label
   * @param {(node: Node | null) => void} onLook a node is pointed at, or none any more
   */
  constructor(label, onLook) {
    this.onLook = onLook;
    this.label = label;
    /** What a person has folded or unfolded, by id. @type {Map<string | number, boolean>} */
    this.folded = new Map();
    /** The node in the tab order. @type {string | number} */
    this.pointed = 0;
    this.zoom = ZOOMS.usual;
    /** Of a box: as wide as the longest numbers so far, so that boxes do not jump from step to step. */
    this.width = BOX.width;
    /** The node that was pressed last. @type {string | number | null} */
    this.chosen = null;
    this.drawing = svg("svg", { role: "tree", "aria-label": label, class: "lesson-svg" });
    this.place = el("div", { class: "lesson-window" }, this.drawing);
    this.drawing.addEventListener("keydown", (event) => this.onKey(event));
    this.drawing.addEventListener("pointerleave", () => this.onLook(null));
  }

  /** Another trace: nothing is folded. */
  reset() {
    this.folded.clear();
    this.pointed = 0;
    this.width = BOX.width;
  }

  /** @param {Picture} picture @param {string[]} rows names of the rows, for both sides */
  show(picture, rows) {
    this.picture = picture;
    this.rows = rows;
    const texts = [...picture.nodes.values()].flatMap(({ lines }) => lines);
    this.width = Math.max(this.width, ...texts.map(({ length }) => Math.ceil(length * LETTER) + 8));
    const { shown, levels } = this.layOut(picture);
    const width = LEFT + Math.max(...shown.map(({ x }) => x)) + this.width + 2;
    const height = levels * (BOX.height + GAP.down) - GAP.down + 18;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const room = this.place.clientWidth - 16;
    const [least, most] = this.zoom;
    this.scale = Math.min(most, Math.max(least, room / width));
    this.drawing.style.width = `${width * this.scale}px`;
    this.drawing.style.height = `${height * this.scale}px`;
    this.boxes = new Map(shown.map((place) => [place.node.id, { ...place, element: this.box(place) }]));
    const names = Array.from({ length: levels }, (_, row) => this.rowName(row));
    const had = this.drawing.contains(document.activeElement);
    this.drawing.replaceChildren(
      svg("g", { class: "edges", "aria-hidden": "true" }, ...names, ...shown.flatMap((place) => this.edges(place))),
      ...[...this.boxes.values()].map(({ element }) => element),
    );
    if (!this.boxes.has(this.pointed)) this.pointed = picture.root.id;
    this.boxes.get(this.pointed).element.setAttribute("tabindex", "0");
    if (had) this.boxes.get(this.pointed).element.focus({ preventScroll: true });
    this.reveal(picture.current);
  }

  rowName(row) {
    const y = row * (BOX.height + GAP.down);
    const [word, side] = this.rows[row % 2].split(" ");
    return svg(
      "text",
      { class: "row-name", x: 0, y: y + 24 },
      svg("tspan", { x: 0 }, word),
      svg("tspan", { x: 0, dy: 15 }, side ?? ""),
    );
  }

  /** Which nodes are unfolded: those on the path, then row by row as long as there is room, then what a person says. */
  unfolded({ root, path }) {
    const open = new Set([...path].filter((node) => node.children.length && this.folded.get(node.id) !== true));
    let room = MOST_SHOWN - [...open].reduce((sum, node) => sum + node.children.length, 1);
    for (let row = [root]; row.length; row = row.flatMap((node) => (open.has(node) ? node.children : []))) {
      for (const node of row) {
        const wish = this.folded.get(node.id);
        if (open.has(node) || !node.children.length || wish === true) continue;
        if (wish === undefined && node.children.length > room) continue;
        open.add(node);
        room -= node.children.length;
      }
    }
    return open;
  }

  /** Places for all nodes that are shown: leaves side by side, every other node above the middle of its children. */
  layOut(picture) {
    const open = this.unfolded(picture);
    const shown = [];
    let next = 0;
    let levels = 1;
    const put = (node, level) => {
      levels = Math.max(levels, level + 1);
      const place = { node, level, x: next, children: [], hidden: 0 };
      shown.push(place); // a node before what is below it, as it is read out
      if (open.has(node)) place.children = node.children.map((child) => put(child, level + 1));
      const { children } = place;
      if (children.length) place.x = (children[0].x + children.at(-1).x) / 2;
      else {
        next += this.width + GAP.across;
        place.hidden = below(node);
      }
      return place;
    };
    put(picture.root, 0);
    return { shown, levels };
  }

  edges({ x, level, node, children }) {
    const bottom = level * (BOX.height + GAP.down) + BOX.height;
    const middle = LEFT + x + this.width / 2;
    return children.map((child) => {
      const to = LEFT + child.x + this.width / 2;
      const { path } = this.picture;
      const marks = [
        path.has(child.node) && path.has(node) && "on-path",
        child.node.best && "best",
        child.node.state === "cut" && "cut",
      ];
      const d = `M${middle} ${bottom}C${middle} ${bottom + GAP.down / 2} ${to} ${bottom + GAP.down / 2} ${to} ${bottom + GAP.down}`;
      return svg("path", { d, class: marks.filter(Boolean).join(" ") });
    });
  }

  box({ node, x, level, hidden }) {
    const { current, path } = this.picture;
    const y = level * (BOX.height + GAP.down);
    const marks = ["node", node.state, node.maximises ? "max" : "min"];
    if (node === current) marks.push("current");
    if (path.has(node)) marks.push("on-path");
    if (node.best) marks.push("best");
    const lines = [node.name, ...node.lines];
    const step = lines.length > 3 ? 11.5 : 14;
    const first = BOX.height / 2 + 4 - ((lines.length - 1) * step) / 2;
    const texts = lines.map((line, i) =>
      svg(
        "text",
        { x: this.width / 2, y: first + i * step, class: i ? "number" : "name", "aria-hidden": "true" },
        `${line} `,
      ),
    );
    const mark = hidden
      ? [svg("text", { x: this.width / 2, y: BOX.height + 13, class: "hidden", "aria-hidden": "true" }, `+${hidden}`)]
      : [];
    const element = svg(
      "g",
      {
        class: marks.join(" "),
        transform: `translate(${LEFT + x} ${y})`,
        role: "treeitem",
        tabindex: "-1",
        "aria-level": level + 1,
        "aria-selected": String(node === current),
        "aria-expanded": node.children.length ? String(!hidden) : null,
        "aria-label": this.spoken(node, hidden),
      },
      svg("rect", { width: this.width, height: BOX.height, rx: node.maximises ? 3 : 18 }),
      ...texts,
      ...mark,
    );
    element.addEventListener("pointerenter", () => this.onLook(node));
    element.addEventListener("focus", () => {
      this.point(node);
      this.onLook(node);
    });
    element.addEventListener("click", () => {
      const again = this.chosen === node.id;
      this.point(node);
      this.chosen = node.id;
      if (hidden || again) this.toggle(node, hidden);
    });
    return element;
  }

  spoken(node, hidden) {
    const facts = node.facts().map(({ name, value }) => `${name} ${value}`);
    const seen = [node.name, ...node.lines, ...(hidden ? [`+${hidden}`] : [])].join(" ");
    return [seen, ...(node.best ? ["preferred"] : []), ...facts, ...(hidden ? ["folded"] : [])].join(", ");
  }

  point(node) {
    this.boxes.get(this.pointed)?.element.setAttribute("tabindex", "-1");
    this.pointed = node.id;
    this.boxes.get(node.id)?.element.setAttribute("tabindex", "0");
  }

  /** Folds a node or unfolds it. */
  toggle(node, hidden) {
    if (!node.children.length) return;
    this.folded.set(node.id, !hidden);
    this.show(this.picture, this.rows);
    this.boxes.get(node.id)?.element.focus({ preventScroll: true });
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.boxes.get(this.pointed);
    if (!at) return;
    const { node } = at;
    const siblings = node.parent?.children ?? [node];
    const place = siblings.indexOf(node);
    const target = {
      ArrowUp: node.parent,
      ArrowDown: at.hidden ? null : node.children[0],
      ArrowLeft: siblings[place - 1],
      ArrowRight: siblings[place + 1],
      Home: this.picture.root,
      End: this.picture.current,
    }[event.key];
    if (event.key === "Enter" || event.key === " ") this.toggle(node, at.hidden);
    else if (target && this.boxes.has(target.id)) {
      this.boxes.get(target.id).element.focus({ preventScroll: true });
      this.reveal(target);
    } else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moves the window over a node, where it does not show it. */
  reveal(node) {
    const place = this.boxes.get(node.id);
    if (!place) return;
    const { place: pane, scale } = this;
    const [left, top] = [(LEFT + place.x) * scale, place.level * (BOX.height + GAP.down) * scale];
    const [width, height] = [this.width * scale, (BOX.height + GAP.down) * scale];
    if (left < pane.scrollLeft || left + width > pane.scrollLeft + pane.clientWidth)
      pane.scrollLeft = left + width / 2 - pane.clientWidth / 2;
    if (top < pane.scrollTop || top + height > pane.scrollTop + pane.clientHeight)
      pane.scrollTop = top + height / 2 - pane.clientHeight / 2;
  }
}
