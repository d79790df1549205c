/**
 * Games that the server keeps in its store: those of a person with a name against an agent, where it keeps any.
 *
 * Whether a game is to be kept is fixed when it begins, and stands at its root. It is kept when it ends for the first
 * time, unless the person had help: a move was taken back for another, or the game was looked at in "Analyse".
 */
import { toast } from "./dom.js";
import { server } from "./server.js";
import { table } from "./table.js";

/**
 * Marks a game that has just begun as one to keep.
 * @param {import("./tree.js").GameTree} tree @param {{black: any, white: any}} players
 */
export function markForRecord(tree, players) {
  const side = ["black", "white"].find((each) => players[each].kind === "person" && players[each].name);
  const agent = Object.values(players).find(({ kind }) => kind === "agent");
  if (side && agent) tree.root.record = { side, opening: tree.current.ply };
}

/** Remembers that the person had help, before the end. */
function watch() {
  const { record } = table.tree.root;
  if (!record || record.done) return;
  if (table.view === "analyse") record.help = "it was looked at in Analyse";
  else if (table.tree.line(table.tree.root).some(({ children }) => children.length > 1))
    record.help = "a move was taken back";
}

/** Games whose request is under way. */
const sending = new WeakSet();

async function keep() {
  watch();
  const { tree, node, players, view } = table;
  const { record } = tree.root;
  if (!record || record.done || sending.has(record) || view !== "play" || !tree.over) return;
  if (record.help) return finish(record, `This game is not recorded: ${record.help}.`);
  sending.add(record);
  try {
    const other = record.side === "black" ? "white" : "black";
    await server.ask("record", {
      game: tree.request(node),
      name: players[record.side].name,
      side: record.side,
      agent: players[other].text,
      mark: tree.id,
      opening_plies: record.opening,
      ...(node.end && { loser: node.end.loser, reason: node.end.reason }),
    });
    finish(record, `Recorded as a game of ${players[record.side].name}.`);
  } catch (error) {
    toast(`The game is not recorded yet: ${error.message}`, true);
  } finally {
    sending.delete(record);
  }
}

function finish(record, text) {
  record.done = true;
  toast(text);
  table.tell("notes", { quiet: true });
}

/** Listens to the table, and to the connection, which may be lost when a game ends. */
export function setUpRecord() {
  for (const event of ["cursor", "view"]) table.on(event, keep);
  server.addEventListener("welcome", keep);
}
