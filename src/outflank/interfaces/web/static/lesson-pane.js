/** One search of a lesson: asks for its trace, and shows a step of it as a tree with figures, or as a table. */
import { el, plural, setText } from "./dom.js";
import { gameOf, placeOf } from "./lesson-links.js";
import { modelOf } from "./lesson-models.js";
import { TreeView } from "./lesson-tree.js";
import { other } from "./rules.js";
import { server } from "./server.js";
import { preparingText } from "./words.js";

const MOST_ROWS = 120; // of the table
const MOST_KEPT = 8; // traces

/** Traces by request. @type {Map<string, any>} */
const kept = new Map();

/** One agent: its trace and its tree. */
export class Pane {
  /**
   * @param {"a" | "b"} key
   * @param {{setup: () => import("./lesson-links.js").Setup, look: (pane: Pane, node: any) => void, taken: () => void}} lab
   */
  constructor(key, lab) {
    this.key = key;
    this.lab = lab;
    /** @type {import("./lesson-models.js").MinimaxModel | null} */
    this.model = null;
    this.view = new TreeView(`Tree ${key.toUpperCase()}`, (node) => lab.look(this, node));
    this.title = el("h3", { class: "code" });
    this.figures = el("dl", { class: "facts" });
    this.trouble = el("p", { class: "hint" });
    this.place = el(
      "section",
      { class: "card lesson-pane", "aria-label": `Search ${key.toUpperCase()}` },
      this.title,
      this.figures,
      this.trouble,
      this.view.place,
    );
    /** @type {(() => void) | null} */
    this.stop = null;
  }

  /** Asks the server for the trace of its agent. */
  load() {
    this.stop?.();
    const setup = this.lab.setup();
    const agent = setup[this.key];
    this.model = this.picture = null;
    this.place.hidden = !agent;
    if (!agent) return;
    setText(this.title, `${setup.b ? `${this.key.toUpperCase()}: ` : ""}${agent}`);
    const request = { game: gameOf(setup), agent, seed: setup.seed };
    const known = kept.get(JSON.stringify(request));
    if (known) return this.take(known);
    this.tell("Searching…");
    this.stop = server.stream("trace", request, (reply) => this.hear(request, reply));
  }

  hear(request, reply) {
    if (reply.kind === "preparing") this.tell(preparingText(reply));
    else if (reply.kind === "trace") {
      if (!reply.cut) kept.set(JSON.stringify(request), reply);
      while (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
      this.take(reply);
    } else if (reply.last) this.tell(reply.message ?? "The server has stopped it.", reply.kind === "error");
  }

  take(trace) {
    const { rules, position } = placeOf(this.lab.setup());
    this.stop = null;
    this.model = modelOf(trace, rules, position);
    this.view.reset();
    this.tell(this.shortened(trace));
    this.lab.taken();
  }

  /** What is said of a trace that is not whole. */
  shortened(trace) {
    if (trace.method === "minimax") {
      if (!trace.complete)
        return `The search is large: its first ${trace.told.toLocaleString("en")} positions are drawn, and counting ends at ${trace.nodes.toLocaleString("en")}.`;
      return trace.told < trace.nodes
        ? `The first ${trace.told.toLocaleString("en")} of ${trace.nodes.toLocaleString("en")} positions are drawn.`
        : "";
    }
    return trace.complete
      ? ""
      : `The first ${trace.events.length.toLocaleString("en")} of ${trace.wanted.toLocaleString("en")} games are shown.`;
  }

  tell(text, trouble = false) {
    setText(this.trouble, text);
    this.trouble.hidden = !text;
    this.trouble.classList.toggle("trouble", trouble);
  }

  /** Shows a step. */
  show(step) {
    if (!this.model) return;
    this.picture = this.model.at(Math.min(step, this.model.steps));
    const { searcher } = this.model;
    const isMinimax = this.model.trace.method === "minimax";
    this.view.show(
      this.picture,
      isMinimax ? [`max ${searcher}`, `min ${other(searcher)}`] : [searcher, other(searcher)],
    );
    this.figures.replaceChildren(
      ...this.picture.figures.map(({ name, value, meaning }) =>
        el("div", { title: meaning }, el("dt", {}, name), el("dd", {}, value)),
      ),
    );
  }
}

/** The nodes of a picture as a table, the latest ones, with what each number means on its column; `of` several trees. */
export function tableOf({ key, title, model, picture }, of) {
  const nodes = [...picture.nodes.values()];
  const columns = model.columns();
  const rows = nodes.slice(-MOST_ROWS).map((node) => {
    const facts = Object.fromEntries(node.facts().map(({ name, value }) => [name, value]));
    const state = node === picture.current ? "now" : node.state === "cut" ? "cut" : node.best ? "preferred" : "";
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, model.names(model.line(node)) || "root"),
      el("td", {}, state),
      ...columns.map((name) => el("td", { class: "number" }, facts[name] ?? "–")),
    );
  });
  const all = [...picture.figures, ...nodes.slice(-MOST_ROWS).flatMap((node) => node.facts())];
  const meanings = new Map(all.map(({ name, meaning }) => [name, meaning]));
  const caption = of > 1 ? `Nodes of tree ${key.toUpperCase()}` : "Nodes of the tree";
  return [
    of > 1 ? el("h3", {}, title.textContent) : null,
    el(
      "table",
      {},
      el("caption", { class: "unseen" }, caption),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ...["Line", "State", ...columns].map((name, i) =>
            el("th", { scope: "col", class: i > 1 ? "number" : null, title: meanings.get(name) ?? null }, name),
          ),
        ),
      ),
      el("tbody", {}, ...rows),
    ),
    el(
      "p",
      { class: "hint" },
      nodes.length > MOST_ROWS
        ? `The latest ${MOST_ROWS} of ${nodes.length} nodes.`
        : `${plural(nodes.length, "node")}.`,
    ),
    el("h3", {}, "What the numbers mean"),
    el(
      "dl",
      { class: "lesson-facts" },
      ...[...meanings].map(([name, meaning]) => el("div", {}, el("dt", {}, name), el("dd", {}, meaning))),
    ),
  ].filter(Boolean);
}
