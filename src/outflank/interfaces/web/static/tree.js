/**
 * A game with its variations: a tree of positions and a cursor in it.
 *
 * A node is a position and the move that led to it. The first child continues the main line, the others are variations.
 * Every node remembers which child was looked at last, so that stepping back and forward again stays on the same line.
 * Playing a move that is already there walks into it; any other move starts a variation. Nothing is ever overwritten.
 *
 * @typedef {import("./rules.js").Position} Position
 * @typedef {{value: number, best: number | null, pv: number[], played: number | null, loss: number, mark: string,
 *   exact: boolean, depth: number, confidence: number}} Review what a review says of a position and the move `played`
 *   from it; `value` is from black's view
 * @typedef {object} Node
 * @property {number | null} move null at the root
 * @property {Node | null} parent
 * @property {Node[]} children
 * @property {Position} position
 * @property {number} ply moves from the root
 * @property {number} chosen index of the child last looked at
 * @property {{black: number, white: number}} [left] seconds on the clocks when the position arose
 * @property {{reason: "resigned" | "time", loser: string}} [end] how the game ended here although moves were left
 * @property {Review} [review]
 * @property {{side: string, opening: number, help?: string, done?: boolean}} [record] of a root: the game is to be kept
 * @property {number} [value] of the latest analysis in discs, from black's view
 * @property {{value: number, unit: string}} [thought] what the agent to move thought of it, from black's view
 * @property {number} [opening] of a root: moves that were given when the game began
 */
import { image, parseRules, play, rulesText, sign, startPosition, usualLine } from "./rules.js";

const KEPT = ["left", "end", "review", "value", "thought", "record", "opening"];

export class GameTree {
  /** @param {import("./rules.js").Rules} rules @param {string | null} start the first position, null: the usual one */
  constructor(rules, start = null) {
    this.rules = rules;
    this.start = start;
    /** Tells the games of a tab apart. */
    this.id = Math.random().toString(36).slice(2);
    /** @type {Node} */
    this.root = newNode(null, null, startPosition(rules, start));
    /** @type {Node} */
    this.current = this.root;
  }

  get pass() {
    return this.rules.size ** 2;
  }
  get position() {
    return this.current.position;
  }

  /** Whether the game was played to its end, wherever in it the cursor is. */
  get isFinished() {
    const last = this.line().at(-1);
    return last.position.over || Boolean(last.end);
  }

  /** Whether nothing more can be played here. */
  get over() {
    return this.position.over || Boolean(this.current.end);
  }

  /** Plays a move at the cursor, into a known child or a new one; null when it is not legal. @returns {Node | null} */
  play(move) {
    const node = this.grow(this.current, move);
    if (node) this.goTo(node);
    return node;
  }

  /** The child of a node by a move, made where it is missing; the cursor stays. @returns {Node | null} */
  grow(node, move) {
    const known = node.children.find((child) => child.move === move);
    if (known) return known;
    const position = play(this.rules, node.position, move);
    if (!position) return null;
    const child = newNode(move, node, position);
    node.children.push(child);
    return child;
  }

  /** Adds a line of moves below a node as far as it is legal; the last node of it. @returns {Node} */
  growLine(node, moves) {
    for (const move of moves) node = this.grow(node, move) ?? node;
    return node;
  }

  /** Puts the cursor on a node and makes its line the one that `forward` follows. */
  goTo(node) {
    this.current = node;
    for (let at = node; at.parent; at = at.parent) at.parent.chosen = at.parent.children.indexOf(at);
  }

  /** The next node on the line last looked at. @returns {Node | undefined} */
  forward(node = this.current) {
    return node.children[node.chosen] ?? node.children[0];
  }

  /** Nodes from the root through a node to the end of its line. @returns {Node[]} */
  line(through = this.current) {
    const nodes = [];
    for (let at = through; at; at = at.parent) nodes.unshift(at);
    for (let at = this.forward(through); at; at = this.forward(at)) nodes.push(at);
    return nodes;
  }

  /** The moves from the root to a node. @returns {number[]} */
  moves(node = this.current) {
    const moves = [];
    for (let at = node; at.parent; at = at.parent) moves.unshift(at.move);
    return moves;
  }

  /** The game as the server wants it, up to a node. */
  request(node = this.current) {
    return { rules: rulesText(this.rules), start: this.start, moves: this.moves(node) };
  }

  /** Removes a node and what follows it; the cursor goes to its parent if it stood there. */
  remove(node) {
    const inside = this.line(this.current).includes(node) && this.current.ply >= node.ply;
    node.parent.children = node.parent.children.filter((child) => child !== node);
    node.parent.chosen = 0;
    if (inside) this.goTo(node.parent);
  }

  /** Makes the line of a node the main line. */
  promote(node) {
    for (let at = node; at.parent; at = at.parent) {
      at.parent.children.sort((a, b) => Number(b === at) - Number(a === at));
      at.parent.chosen = 0;
    }
  }

  /** The same tree turned or mirrored, with all that is known of it; see `image`. @returns {GameTree} */
  transformed(number) {
    const { size } = this.rules;
    const cells = [...this.root.position.cells];
    const turned = [...cells];
    cells.forEach((cell, square) => {
      turned[image(square, size, number)] = cell;
    });
    const tree = GameTree.fromPosition(this.rules, turned.join(""), this.root.position.turn);
    const turn = (move) => (move === null ? null : image(move, size, number));
    const copy = (from, to) => {
      for (const child of from.children) copy(child, tree.grow(to, turn(child.move)));
      for (const key of KEPT) if (from[key] !== undefined) to[key] = from[key];
      const { review } = from;
      if (review)
        to.review = { ...review, best: turn(review.best), played: turn(review.played), pv: review.pv.map(turn) };
      to.chosen = from.chosen;
    };
    copy(this.root, tree.root);
    tree.current = this.moves().reduce((at, move) => tree.grow(at, turn(move)), tree.root);
    return tree;
  }

  /** Plain data for storage. */
  toJSON() {
    const pack = (node) => ({
      move: node.move,
      chosen: node.chosen,
      children: node.children.map(pack),
      ...Object.fromEntries(KEPT.filter((key) => node[key] !== undefined).map((key) => [key, node[key]])),
    });
    return { id: this.id, rules: rulesText(this.rules), start: this.start, at: this.moves(), tree: pack(this.root) };
  }

  /** The tree of stored data; throws when the data is no game. @returns {GameTree} */
  static fromJSON({ id, rules, start, at, tree: packed }) {
    const tree = new GameTree(parseRules(rules), start);
    tree.id = id ?? tree.id;
    const unpack = (data, node) => {
      for (const key of KEPT) if (data[key] !== undefined) node[key] = data[key];
      for (const child of data.children) unpack(child, tree.grow(node, child.move));
      node.chosen = data.chosen;
    };
    unpack(packed, tree.root);
    tree.current = at.reduce((node, move) => tree.grow(node, move), tree.root);
    return tree;
  }

  /** A game in the words of the protocol as a tree with the cursor at its end. @returns {GameTree} */
  static fromGame({ rules, start, moves }) {
    const tree = new GameTree(parseRules(rules), start);
    for (const move of moves) tree.play(move);
    return tree;
  }

  /** The game that starts in a position of one's own. @returns {GameTree} */
  static fromPosition(rules, cells, turn) {
    const line = `${cells} ${sign(turn)}`;
    return new GameTree(rules, line === usualLine(rules.size) ? null : line);
  }
}

/** @returns {Node} */
function newNode(move, parent, position) {
  return { move, parent, position, children: [], ply: parent ? parent.ply + 1 : 0, chosen: 0 };
}
