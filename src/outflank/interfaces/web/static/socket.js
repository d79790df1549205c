/**
 * The connection to the server: requests with a number, answers that may come as a stream.
 *
 * The server keeps no games, so a broken connection loses nothing: every request that was under way ends with the kind
 * "lost", it is opened again after one second, then two, four, and so on to fifteen, and whoever still wants an
 * answer asks again on the event "open".
 *
 * @typedef {{kind: string, last?: boolean, message?: string} & Record<string, any>} Reply
 */

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;

export class Connection extends EventTarget {
  constructor(url) {
    super();
    this.url = url;
    this.wait = FIRST_WAIT;
    this.next = 1;
    /** @type {Map<number, (reply: Reply) => void>} */
    this.waiting = new Map();
    this.open();
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Opens it, now and whenever it breaks. */
  open() {
    clearTimeout(this.timer);
    this.socket = new WebSocket(this.url);
    this.socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.dispatchEvent(new Event("open"));
    };
    this.socket.onmessage = ({ data }) => this.receive(JSON.parse(data));
    this.socket.onclose = () => this.broken();
  }

  broken() {
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
    if (this.socket.readyState === WebSocket.CLOSED) this.open();
  }

  receive(reply) {
    const hear = this.waiting.get(reply.id);
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
