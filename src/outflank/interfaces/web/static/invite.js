/** Opens a room for a friend on the network, and goes there. */
import { toast } from "./dom.js";

export async function invite() {
  const response = await fetch("api/rooms", { method: "POST" }).catch(() => null);
  const answer = await response?.json().catch(() => null);
  if (response?.ok && answer) location.assign(`.${answer.path}`);
  else toast(answer?.error ?? "The server cannot be reached.", true);
}
