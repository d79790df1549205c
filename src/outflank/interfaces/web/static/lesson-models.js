/**
 * What the lessons draw of a search: a trace of the server replayed up to a step, as a tree of nodes with words.
 *
 * Each model knows how many steps it has and builds the whole picture of any step anew, so that one can go back as easily
 * as forward. A picture has nodes by id, the node that the step is about, the path to it, a sentence of what happens, the
 * position for the board, and figures of the search so far. Every number of a node comes with its explanation.
 *
 * @typedef {{name: string, value: string, meaning: string}} Fact a number and what it means
 * @typedef {object} Node
 * @property {string | number} id
 * @property {Node | null} parent
 * @property {Node[]} children
 * @property {number | null} move null at the root
 * @property {boolean} maximises whether the side that searches is to move
 * @property {string} name the move, or "root"
 * @property {string[]} lines what stands in its box below the move
 * @property {string} state "open", "done", "cut" or "new"
 * @property {boolean} [best] whether its parent prefers it
 * @property {() => Fact[]} facts
 * @typedef {object} Picture
 * @property {Map<string | number, Node>} nodes
 * @property {Node} root
 * @property {Node} current
 * @property {Set<Node>} path
 * @property {string} sentence
 * @property {{node: Node, line: number[]}} board the position of a node, and moves played from it
 * @property {Fact[]} figures
 */
import { capital, plural } from "./dom.js";
import { other, play, squareName } from "./rules.js";

const WIN = 1e6; // worth of a won game
const INFINITY = { alpha: "−∞", beta: "+∞" };

/** A whole number with its sign and a real minus. */
export function signed(value) {
  if (value === null || value === undefined) return "?";
  return value > 0 ? `+${value}` : String(value).replace("-", "−");
}

const share = (number) => number.toFixed(2);

/** What all models share: the position at the root, and the positions below it. */
class Model {
  constructor(trace, rules, position) {
    this.trace = trace;
    this.rules = rules;
    this.position = position;
    this.events = trace.events;
    /** @type {Map<string, import("./rules.js").Position>} */
    this.known = new Map();
  }

  name(move) {
    return move === null ? "root" : squareName(move, this.rules.size);
  }

  names(moves) {
    return moves.map((move) => this.name(move)).join(" ");
  }

  /** Moves from the root to a node. @param {Node} node @returns {number[]} */
  line(node) {
    const moves = [];
    for (let at = node; at.parent; at = at.parent) moves.unshift(at.move);
    return moves;
  }

  /** The position after a line of moves from the root. */
  after(moves) {
    const key = moves.join(" ");
    if (!moves.length) return this.position;
    if (!this.known.has(key)) {
      const before = this.after(moves.slice(0, -1));
      this.known.set(key, play(this.rules, before, moves.at(-1)) ?? before);
    }
    return this.known.get(key);
  }

  /** Who moved into a node, and who is to move in it. */
  mover(node) {
    return this.after(this.line(node)).turn;
  }

  get searcher() {
    return this.position.turn;
  }

  newNode(nodes, id, parent, move) {
    const maximises = parent ? !parent.maximises : true;
    const node = { id, parent, children: [], move, maximises, name: this.name(move), lines: [], state: "open" };
    parent?.children.push(node);
    nodes.set(id, node);
    return node;
  }
}

/** A node and all above it. @param {Node} node @returns {Set<Node>} */
function pathTo(node) {
  const path = new Set();
  for (let at = node; at; at = at.parent) path.add(at);
  return path;
}

/** What the server counts in an evaluation. */
const TERMS = {
  position: "worth of own squares minus worth of opposing squares",
  mobility: "own legal moves minus opposing legal moves",
  discs: "own discs minus opposing discs",
  stability: "own minus opposing discs that are tied to a corner or lie on a full edge",
  aggregation: "how far own discs lie from their centre (ten times the mean squared distance)",
};

/** Minimax, with or without alpha-beta: a step is a node entered, a value found or taken, a branch cut. */
export class MinimaxModel extends Model {
  get steps() {
    return this.events.length;
  }
  get prunes() {
    return !/search=plain/.test(this.trace.agent);
  }

  /** A value in words: finished games are worth more than any evaluation. */
  text(value) {
    return value !== null && Math.abs(value) >= WIN ? (value > 0 ? "win" : "loss") : signed(value);
  }

  /** @returns {Picture} */
  at(step) {
    const nodes = new Map();
    const seen = { entered: 0, leaves: 0, cuts: 0, skipped: 0 };
    let current = null;
    let sentence = "The search has not begun.";
    const events = this.events.slice(0, Math.max(1, step));
    events.forEach((event, number) => {
      const isLast = number === events.length - 1;
      const [kind, ...rest] = event;
      const told = this[kind](nodes, seen, isLast, ...rest);
      current = told.node;
      if (isLast) sentence = told.sentence;
    });
    const root = nodes.get(0);
    for (const node of nodes.values()) this.dress(node);
    return {
      nodes,
      root,
      current,
      path: pathTo(current),
      sentence,
      board: { node: current, line: [] },
      figures: this.figures(seen, root, step),
    };
  }

  entered(nodes, seen, isLast, id, parentId, move, maximises, depth, alpha, beta) {
    const node = this.newNode(nodes, id, nodes.get(parentId) ?? null, move);
    Object.assign(node, { maximises, depth, alpha, beta, from: { alpha, beta }, best: false, value: null });
    seen.entered += 1;
    return { node, sentence: isLast ? this.enteredText(node) : "" };
  }

  enteredText(node) {
    const { parent, depth } = node;
    const side = this.mover(node);
    const rule = node.maximises ? "wants the largest value" : "wants the smallest value";
    const place = parent ? `${capital(other(side))} could play ${node.name}.` : "The search begins.";
    const left = depth
      ? ` ${plural(depth, "ply").replace("plys", "plies")} left; ${side} is to move and ${rule}.`
      : " No ply is left.";
    const window = this.prunes && parent ? ` Only values between ${this.windowText(node)} matter here.` : "";
    return place + left + window;
  }

  windowText({ alpha, beta }) {
    return `alpha ${alpha === null ? INFINITY.alpha : signed(alpha)} and beta ${beta === null ? INFINITY.beta : signed(beta)}`;
  }

  valued(nodes, seen, isLast, id, value, over, terms) {
    const node = nodes.get(id);
    Object.assign(node, { value, over, terms, state: "done", bound: "exact" });
    seen.leaves += 1;
    const why =
      over && !Object.keys(terms).length
        ? `The game is over here, worth ${this.text(value)}`
        : `The evaluation says ${this.text(value)}`;
    return { node, sentence: `${why} for ${this.searcher}.` };
  }

  taken(nodes, seen, isLast, id, childId, value, bound, better, best, alpha, beta) {
    const node = nodes.get(id);
    const child = nodes.get(childId);
    if (better) for (const each of node.children) each.preferred = each === child;
    Object.assign(child, { value, bound, state: "done" });
    const old = { alpha: node.alpha, beta: node.beta, value: node.value };
    Object.assign(node, { value: best, alpha, beta });
    return { node, sentence: isLast ? this.takenText(node, child, better, old) : "" };
  }

  takenText(node, child, better, old) {
    const side = this.mover(node);
    const known = child.bound === "exact" ? "" : ` (${child.bound} that)`;
    const came = `${child.name} is worth ${this.text(child.value)}${known}.`;
    if (!better) return `${came} That is not better for ${side} than ${this.text(node.value)}; nothing changes.`;
    const first =
      old.value === null
        ? `It is the best that ${side} has so far.`
        : `That is better for ${side} than ${this.text(old.value)}.`;
    const moved =
      node.alpha !== old.alpha && this.prunes
        ? ` Alpha rises to ${this.text(node.alpha)}: ${this.searcher} is sure of that much.`
        : node.beta !== old.beta && this.prunes
          ? ` Beta falls to ${this.text(node.beta)}: ${other(this.searcher)} can hold it down to that.`
          : "";
    return `${came} ${first}${moved}`;
  }

  cut(nodes, seen, isLast, id, value, limit, skipped) {
    const node = nodes.get(id);
    const reason = this.cutText(node, value, limit);
    seen.cuts += 1;
    seen.skipped += skipped.length;
    for (const move of skipped) {
      const ghost = this.newNode(nodes, `${id} ${move}`, node, move);
      Object.assign(ghost, { state: "cut", reason, depth: node.depth - 1 });
    }
    return { node, sentence: `${reason} Not looked at: ${this.names(skipped)}.` };
  }

  cutText(node, value, limit) {
    const side = this.mover(node);
    const them = other(side);
    const sign = node.maximises ? "≥ beta" : "≤ alpha";
    return `Cut off: ${this.text(value)} ${sign} ${this.text(limit)}. Here ${side} gets at ${node.maximises ? "least" : "most"} ${this.text(value)}, but ${them} already has a move elsewhere worth ${this.text(limit)} and will not let it come to this.`;
  }

  /** What stands in the box of a node, and its facts. */
  dress(node) {
    const sign = { "at most": "≤ ", "at least": "≥ " }[node.bound] ?? "";
    if (node.state === "cut") node.lines = ["cut"];
    else {
      node.lines = [node.value === null ? "…" : `${sign}${this.text(node.value)}`];
      const infinite = node.alpha === null && node.beta === null;
      if (this.prunes && node.depth && !infinite)
        node.lines.push(
          `${node.alpha === null ? INFINITY.alpha : this.text(node.alpha)} ${node.beta === null ? INFINITY.beta : this.text(node.beta)}`,
        );
    }
    node.best = Boolean(node.preferred);
    node.facts = () => this.facts(node);
  }

  /** @returns {Fact[]} */
  facts(node) {
    if (node.state === "cut") return [{ name: "Not looked at", value: "cut", meaning: node.reason }];
    const side = this.mover(node);
    const facts = [
      { name: "Value", value: node.lines[0], meaning: this.valueMeaning(node, side) },
      {
        name: "Depth left",
        value: String(node.depth),
        meaning: "plies that the search may still look ahead from here",
      },
      {
        name: "To move",
        value: node.maximises ? `${side}: max` : `${side}: min`,
        meaning: node.maximises
          ? "the side that searches: it takes the largest value"
          : "the opponent: it takes the smallest value",
      },
    ];
    if (this.prunes && node.depth)
      facts.push(
        {
          name: "Alpha",
          value: node.alpha === null ? INFINITY.alpha : this.text(node.alpha),
          meaning: `what ${this.searcher} is sure of already, here or elsewhere; less is of no interest`,
        },
        {
          name: "Beta",
          value: node.beta === null ? INFINITY.beta : this.text(node.beta),
          meaning: `what ${other(this.searcher)} can hold it down to; more will never be allowed`,
        },
      );
    for (const [term, [counted, weight]] of Object.entries(node.terms ?? {}))
      facts.push({
        name: capital(term),
        value: `${signed(counted)} × ${weight} = ${signed(counted * weight)}`,
        meaning: TERMS[term],
      });
    return facts;
  }

  valueMeaning(node, side) {
    if (node.value === null)
      return node.depth
        ? "not known yet: none of its moves is finished"
        : "not known yet: it is evaluated in the next step";
    const from = `from the view of ${this.searcher}`;
    if (node.over) return `the game is over; ${from}`;
    if (!node.children.length) return `what the evaluation says, ${from}`;
    const [preferred] = node.children.filter((child) => child.preferred);
    const known = node.bound && node.bound !== "exact" ? ` ${capital(node.bound)} this, because a branch was cut.` : "";
    return `the ${node.maximises ? "largest" : "smallest"} value of its moves so far${preferred ? `, that of ${preferred.name}` : ""}, which ${side} would play; ${from}.${known}`;
  }

  figures(seen, root, step) {
    const { nodes, told, complete } = this.trace;
    const all = complete ? nodes.toLocaleString("en") : `more than ${nodes.toLocaleString("en")}`;
    const facts = [
      {
        name: "Positions so far",
        value: seen.entered.toLocaleString("en"),
        meaning: "nodes entered up to this step, the root included",
      },
      {
        name: "Positions in all",
        value: all,
        meaning:
          told < nodes
            ? `the whole search; the first ${told.toLocaleString("en")} are drawn`
            : "nodes of the whole search",
      },
      {
        name: "Cuts",
        value: `${seen.cuts}`,
        meaning: `nodes that were left early; ${plural(seen.skipped, "move")} never looked at`,
      },
    ];
    if (step >= this.steps)
      facts.push({
        name: "Plays",
        value: complete ? `${this.name(this.trace.move)}, ${this.text(this.trace.value)}` : "not known",
        meaning: complete ? "the move that the search chooses, and its value" : "the trace ends before the search does",
      });
    else
      facts.push({
        name: "Best so far",
        value: this.bestText(root),
        meaning: "of the moves at the root that are finished",
      });
    return facts;
  }

  bestText(root) {
    const best = root.children.find((child) => child.preferred);
    return best ? `${best.name}, ${this.text(root.value)}` : "none";
  }

  columns() {
    return ["Value", "Depth left", "Alpha", "Beta"];
  }
}

const PHASES = ["select", "expand", "playout", "credit"];

/** UCT: every simulation has four steps: select, expand, play out, credit. */
export class UctModel extends Model {
  get steps() {
    return this.events.length * PHASES.length;
  }
  get stride() {
    return PHASES.length;
  }
  get constant() {
    return Number(/\bc=([\d.e+-]+)/.exec(this.trace.agent)?.[1] ?? Math.SQRT2);
  }

  /** @returns {Picture} */
  at(step) {
    const nodes = new Map();
    const root = this.newNode(nodes, 0, null, null);
    Object.assign(root, { visits: 0, points: 0 });
    const done = Math.floor(Math.max(0, step - 1) / PHASES.length);
    for (let number = 0; number < done; number++) this.simulate(nodes, this.events[number], PHASES.length);
    const phase = step ? (step - 1) % PHASES.length : -1;
    const event = this.events[done];
    const scores = new Map();
    let current = root;
    let sentence = "The tree is a single node. Each simulation adds one.";
    let line = [];
    if (phase >= 0 && event) {
      current = this.simulate(nodes, event, phase + 1, scores);
      sentence = `${done + 1}. ${this.sentence(event, phase, nodes)}`;
      if (phase >= 2) line = event[4];
    }
    for (const node of nodes.values()) this.dress(node, scores, nodes);
    const path = pathTo(current);
    return {
      nodes,
      root,
      current,
      path,
      sentence,
      board: { node: current, line },
      figures: this.figures(root, step ? done + 1 : 0),
    };
  }

  /** Does a simulation up to a phase. @returns {Node} the node that it has come to */
  simulate(nodes, [path, choices, untried, move, , , , rewards], phases, scores) {
    const last = untried.length && phases < 2 ? path.length - 2 : path.length - 1;
    if (untried.length && phases >= 2 && !nodes.has(path.at(-1))) {
      const made = this.newNode(nodes, path.at(-1), nodes.get(path.at(-2)), move);
      Object.assign(made, { visits: 0, points: 0, state: "new" });
    }
    if (scores) for (const step of choices) for (const [id, , mean, bonus] of step) scores.set(id, { mean, bonus });
    if (phases === PHASES.length)
      path.forEach((id, depth) => {
        const node = nodes.get(id);
        node.visits += 1;
        node.points += rewards[depth];
        node.state = "open";
      });
    return nodes.get(path[last]);
  }

  sentence([path, choices, untried, move, line, black, white, rewards], phase, nodes) {
    const result =
      black === white ? "a draw" : `${black > white === (this.rules.variant === "standard") ? "black" : "white"} wins`;
    const leaf = nodes.get(path.at(-1));
    if (phase === 0) {
      const went = choices.map((step, depth) => this.name(nodes.get(path[depth + 1]).move)).join(", ");
      const from = choices.length
        ? `Select: by the largest mean + exploration to ${went}.`
        : "Select: the walk ends at once.";
      return untried.length
        ? `${from} There ${plural(untried.length, "move")} ${untried.length > 1 ? "have" : "has"} never been tried: ${this.names(untried)}.`
        : `${from} Nothing new can be tried there.`;
    }
    if (phase === 1)
      return untried.length
        ? `Expand: ${this.name(move)} is drawn by lot and becomes a node.`
        : "Expand: no new node, the game is over there or cannot branch.";
    if (phase === 2) return `Play out: ${plural(line.length, "move")} to the end, ${black}–${white}, ${result}.`;
    const gained =
      rewards.length > 1 ? ` ${this.name(leaf.move)} gets ${rewards.at(-1)}, the points of who moved there;` : "";
    return `Credit: ${result}.${gained} ${plural(path.length, "node")} of the path have one visit more.`;
  }

  dress(node, scores, nodes) {
    const { visits, points } = node;
    node.lines = visits ? [...(node.parent ? [share(points / visits)] : []), `${visits}×`] : ["new"];
    const siblings = node.parent?.children ?? [];
    const most = siblings.reduce((best, each) => (each.visits > best.visits ? each : best), siblings[0]);
    node.best = node === most && visits > 0;
    const score = scores.get(node.id);
    if (score) node.lines.push(share(score.mean + score.bonus));
    node.facts = () => this.facts(node, score, nodes);
  }

  /** @returns {Fact[]} */
  facts(node, score) {
    const { visits, points, parent } = node;
    const side = other(this.mover(node));
    const facts = [{ name: "Visits", value: String(visits), meaning: "simulations that came through this node" }];
    if (!parent) return facts;
    if (visits)
      facts.push({
        name: "Mean",
        value: `${points} / ${visits} = ${share(points / visits)}`,
        meaning: `points per visit of ${side}, who moves here: 1 for a win, ½ for a draw`,
      });
    const c = Math.round(this.constant * 100) / 100;
    const now =
      score ??
      (visits ? { mean: points / visits, bonus: this.constant * Math.sqrt(Math.log(parent.visits) / visits) } : null);
    if (now)
      facts.push(
        {
          name: "Exploration",
          value: share(now.bonus),
          meaning: `${c} × √(ln N / n), N visits of the parent, n of this node: large for what was seldom tried`,
        },
        {
          name: "Mean + exploration",
          value: share(now.mean + now.bonus),
          meaning: `upper confidence bound${score ? ", as this simulation saw it" : ", as the next simulation would see it"}: the largest is visited`,
        },
      );
    return facts;
  }

  figures(root, simulations) {
    const { wanted, complete, move } = this.trace;
    const finished = simulations >= this.events.length;
    const most = root.children.reduce((best, child) => (!best || child.visits > best.visits ? child : best), null);
    return [
      {
        name: "Simulations",
        value: `${simulations} of ${wanted}`,
        meaning: complete
          ? "each is one walk, one new node, one game"
          : `the first ${this.events.length} can be looked at`,
      },
      { name: "Nodes", value: String(1 + this.made(simulations)), meaning: "of the tree" },
      finished && complete
        ? { name: "Plays", value: this.name(move), meaning: "the move that the search chooses" }
        : {
            name: "Favourite",
            value: most ? `${most.name}, ${most.visits}×` : "none",
            meaning: "the move visited most so far",
          },
    ];
  }

  made(simulations) {
    return this.events.slice(0, simulations).filter(([, , untried]) => untried.length).length;
  }

  columns() {
    return ["Visits", "Mean", "Exploration", "Mean + exploration"];
  }
}

/** Flat Monte Carlo: a step is a playout; the root moves take turns. */
export class FlatModel extends Model {
  get steps() {
    return this.events.length;
  }
  get stride() {
    return Math.max(1, this.position.legal.size);
  }

  /** @returns {Picture} */
  at(step) {
    const nodes = new Map();
    const root = this.newNode(nodes, 0, null, null);
    root.visits = 0;
    for (const move of this.position.legal.keys())
      Object.assign(this.newNode(nodes, move + 1, root, move), { visits: 0, points: 0, margin: 0 });
    const sign = (this.searcher === "black" ? 1 : -1) * (this.rules.variant === "standard" ? 1 : -1);
    let current = root;
    for (const [move, , black, white, reward] of this.events.slice(0, step)) {
      current = nodes.get(move + 1);
      current.visits += 1;
      current.points += reward;
      current.margin += sign * (black - white);
      root.visits += 1;
    }
    const event = this.events[step - 1];
    const means = root.children.map((child) => (child.visits ? child.points / child.visits : -1));
    root.children.forEach((child, i) => {
      child.lines = child.visits ? [share(means[i]), `${child.visits}×`] : ["new"];
      child.best = child.visits > 0 && means[i] === Math.max(...means);
      child.facts = () => this.facts(child);
    });
    root.lines = [`${root.visits}×`];
    root.facts = () => [
      { name: "Playouts", value: String(root.visits), meaning: "games played out so far, all moves together" },
    ];
    return {
      nodes,
      root,
      current,
      path: pathTo(current),
      sentence: event ? this.sentence(event) : "Every legal move is played out equally often.",
      board: { node: current, line: event?.[1] ?? [] },
      figures: this.figures(root, step),
    };
  }

  sentence([move, line, black, white, reward]) {
    const word = { 1: "a win", 0: "a loss" }[reward] ?? "a draw";
    return `After ${this.name(move)} ${plural(line.length, "move")} to the end: ${black}–${white}, ${word} for ${this.searcher}.`;
  }

  /** @returns {Fact[]} */
  facts(node) {
    if (!node.visits) return [{ name: "Playouts", value: "0", meaning: "not played out yet" }];
    return [
      { name: "Playouts", value: String(node.visits), meaning: "games played out after this move" },
      {
        name: "Share",
        value: `${node.points} / ${node.visits} = ${share(node.points / node.visits)}`,
        meaning: `points per game of ${this.searcher}: 1 for a win, ½ for a draw`,
      },
      {
        name: "Margin",
        value: signed(Math.round((10 * node.margin) / node.visits) / 10),
        meaning: `discs by which ${this.searcher} wins on average; the search does not look at it`,
      },
    ];
  }

  figures(root, step) {
    const { wanted, complete, move } = this.trace;
    const best = root.children.find((child) => child.best);
    return [
      {
        name: "Playouts",
        value: `${step} of ${wanted}`,
        meaning: complete ? "games played out" : `the first ${this.events.length} can be looked at`,
      },
      step >= this.steps && complete
        ? { name: "Plays", value: this.name(move), meaning: "the move with the largest share" }
        : {
            name: "Best so far",
            value: best ? `${best.name}, ${best.lines[0]}` : "none",
            meaning: "the move with the largest share so far",
          },
    ];
  }

  columns() {
    return ["Playouts", "Share", "Margin"];
  }
}

/** The model of a trace. @returns {MinimaxModel | UctModel | FlatModel} */
export function modelOf(trace, rules, position) {
  const Kind = { minimax: MinimaxModel, uct: UctModel, flat: FlatModel }[trace.method];
  return new Kind(trace, rules, position);
}
