/**
 * The table at which everything happens: the game on the board, who sits at it, and which view is open.
 *
 * One object holds this state and tells about every change; the parts of the page listen and never call each other.
 *
 * | event    | what changed |
 * |----------|--------------|
 * | leave    | another game is about to come |
 * | game     | another game is on the table |
 * | cursor   | another position is shown; `detail.played` when a move was just made |
 * | notes    | something is known now about positions of the game (values, reviews, variations) |
 * | players  | who sits at the table, in the middle of a game; `seats` follows |
 * | seats    | the players, or whether they pause |
 * | view     | play, analyse, games, train or lessons |
 * | reviewed | a review has come to its end; `detail.nodes` is its line |
 * | kept     | the library has written the game |
 * | preparing | whether the agent to move is being compiled, which happens once on a machine |
 *
 * @typedef {{kind: "person", name?: string, away?: boolean} | {kind: "agent", text: string, name: string}} Player
 *   `away`: somebody of a game that was brought in, who does not sit here
 * @typedef {{seconds: number, increment: number}} Clock for each side; the increment is added after every move
 */
import { GameTree } from "./tree.js";

/** @type {Player} */
export const PERSON = { kind: "person" };

class Table extends EventTarget {
  tree = new GameTree({ variant: "standard", size: 8 });
  /** @type {{black: Player, white: Player}} */
  players = { black: PERSON, white: PERSON };
  /** @type {Clock | null} */
  clock = null;
  paused = false;
  /** Whether the agent to move is not ready to think yet; no clock runs meanwhile. */
  preparing = false;
  /** @type {"play" | "analyse" | "games" | "train" | "lessons"} */
  view = "play";

  on(name, listener) {
    this.addEventListener(name, (event) => listener(event.detail ?? {}));
  }
  tell(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  get node() {
    return this.tree.current;
  }
  get position() {
    return this.tree.position;
  }
  /** Who is to move. @returns {Player} */
  get mover() {
    return this.players[this.position.turn];
  }

  /** Whether nothing more can be played here; whoever analyses may go on after a resignation. */
  get over() {
    return this.view === "analyse" ? this.position.over : this.tree.over;
  }

  /** Plays a move at the cursor; false when it is not possible. */
  play(move) {
    if (this.over) return false;
    const before = this.node;
    const known = before.children.length;
    if (!this.tree.play(move)) return false;
    this.tell("cursor", { played: true, from: before, isNew: before.children.length > known });
    return true;
  }

  /** Shows another position of the game. */
  goTo(node) {
    if (!node || node === this.node) return;
    this.tree.goTo(node);
    this.tell("cursor");
  }

  /** Puts another game on the table; whatever is left out becomes a free board for two persons without clocks. */
  open({ tree, players = { black: PERSON, white: PERSON }, clock = null, view = this.view, paused = false }) {
    this.tell("leave");
    const isOtherView = view !== this.view;
    Object.assign(this, { tree, players, clock, paused, view });
    if (clock) tree.current.left ??= { black: clock.seconds, white: clock.seconds };
    this.tell("game");
    this.tell("seats");
    if (isOtherView) this.tell("view");
    this.tell("cursor");
  }

  /** Lets others go on with the game. */
  setPlayers(players) {
    this.players = players;
    this.paused = false;
    this.tell("players");
    this.tell("seats");
  }

  setView(view) {
    if (view === this.view) return;
    this.view = view;
    this.tell("view");
  }

  setPreparing(preparing) {
    if (preparing === this.preparing) return;
    this.preparing = preparing;
    this.tell("preparing");
  }

  setPaused(paused) {
    this.paused = paused;
    this.tell("seats");
  }
}

export const table = new Table();
