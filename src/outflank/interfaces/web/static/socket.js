/**
 * The connection to the server: requests with a number, answers that may come as a stream.
 *
 * The server keeps no games, so a broken connection loses nothing: every request that was under way ends with the kind
 * "lost", it is opened again after one second, then two, four, and so on to fifteen, and whoever still wants an
 * answer asks again on the event "open". A line that is dead without being closed (a computer that slept, a network
 * that went away) is found by asking: a server that does not answer for so long counts as gone.
 *
 * @typedef {{kind: string, last?: boolean, message?: string} & Record<string, any>} Reply
 */

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;
const SILENCE = 15000; // milliseconds without a word before the server is asked whether it is there
const PATIENCE = 30000; // milliseconds for its answer; a server that compiles on a busy machine may be slow

export class Connection extends EventTarget {
  constructor(url) {
    super();
    this.url = url;
    this.wait = FIRST_WAIT;
    this.next = 1;
    /** @type {Map<number, (reply: Reply) => void>} */
    this.waiting = new Map();
    /** Whether it was lost and is not back yet. */
    this.lost = false;
    this.open();
    setInterval(() => this.look(), SILENCE / 3);
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Opens it, now and whenever it breaks. */
  open() {
    clearTimeout(this.timer);
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.heardAt = Date.now();
    this.askedAt = 0;
    socket.onopen = () => {
      this.lost = false;
      this.dispatchEvent(new Event("open"));
    };
    socket.onmessage = ({ data }) => this.receive(JSON.parse(data));
    socket.onclose = () => {
      if (socket === this.socket) this.broken();
    };
  }

  /** Asks a silent server whether it is there; one that does not answer is given up. */
  look() {
    const since = this.socket.readyState === WebSocket.CONNECTING ? this.heardAt : this.askedAt;
    if (since && Date.now() - since > PATIENCE) return this.giveUp();
    if (!this.isOpen || this.askedAt || Date.now() - this.heardAt < SILENCE) return;
    this.askedAt = Date.now();
    this.socket.send(JSON.stringify({ id: this.next++, do: "stop", what: 0 })); // answered at once, whatever goes on
  }

  /** Closing a dead line may take minutes; nothing more is heard from it, and a new one is opened. */
  giveUp() {
    this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.broken();
  }

  broken() {
    this.lost = true;
    this.retryAt = Date.now() + this.wait;
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const hear of waiting) hear({ kind: "lost", message: "The connection was lost.", last: true });
    this.dispatchEvent(new Event("closed"));
  }

  /** Tries again at once. */
  retry() {
    if (this.lost && this.socket.readyState !== WebSocket.CONNECTING) this.open();
  }

  receive(reply) {
    this.heardAt = Date.now();
    this.askedAt = 0;
    const hear = this.waiting.get(reply.id);
    if (hear) this.wait = FIRST_WAIT; // it serves us; a server that only says that it is full is not asked every second
    if (reply.last) this.waiting.delete(reply.id);
    if (hear) hear(reply);
    else if (reply.kind === "error") this.dispatchEvent(new CustomEvent("trouble", { detail: reply.message }));
  }

  /**
   * Sends a request whose answers come to `hear`; the last of them has `last`. Returns a function that stops it: after
   * that `hear` is not called again.
   * @param {string} verb @param {object} content @param {(reply: Reply) => void} hear
   */
  stream(verb, content, hear) {
    const id = this.next++;
    if (!this.isOpen) {
      queueMicrotask(() => hear({ kind: "lost", message: "There is no connection to the server.", last: true }));
      return () => {};
    }
    this.waiting.set(id, hear);
    this.socket.send(JSON.stringify({ id, do: verb, ...content }));
    return () => this.stop(id);
  }

  stop(id) {
    if (!this.waiting.delete(id) || !this.isOpen) return;
    this.socket.send(JSON.stringify({ id: this.next++, do: "stop", what: id }));
  }

  /** The only answer to a request; an error is thrown with its words. @returns {Promise<Reply>} */
  ask(verb, content = {}) {
    return new Promise((resolve, reject) => {
      this.stream(verb, content, (reply) => {
        if (reply.kind === "preparing") return;
        if (reply.kind === "error" || reply.kind === "lost") reject(new Error(reply.message));
        else resolve(reply);
      });
    });
  }
}

/** The address of the socket beside a page. */
export function socketAddress(page) {
  const url = new URL("ws", page);
  url.protocol = url.protocol.replace("http", "ws");
  url.hash = url.search = "";
  return url.href;
}
