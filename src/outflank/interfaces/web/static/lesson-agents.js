/** The agents of lessons: what can be chosen of them, as text and as fields. */
import { capital, el } from "./dom.js";

/** What can be chosen of an agent: its options, what they are called, and their values. */
const KINDS = {
  minimax: {
    depth: ["Depth", [1, 2, 3, 4, 5, 6]],
    search: [
      "Pruning",
      [
        ["plain", "none"],
        ["alphabeta", "alpha-beta"],
      ],
    ],
    order: [
      "Order of moves",
      [
        ["none", "as listed"],
        ["positional", "good squares first"],
        ["worst_first", "bad squares first"],
        ["mobility", "fewest replies first"],
      ],
    ],
    eval: [
      "Evaluation",
      [
        ["discs", "material: discs"],
        ["corners", "corners and edges"],
        ["positional", "squares and mobility"],
        ["five_terms", "five terms by phase"],
      ],
    ],
  },
  uct: {
    playouts: ["Simulations", [20, 60, 120, 300, 600]],
    c: ["Exploration c", [0, 0.5, [1.41421356237, "1.41"], 3]],
    playout: [
      "Playouts",
      [
        ["uniform", "uniform"],
        ["weighted", "weighted"],
        ["own_heuristic", "own side by heuristic"],
        ["epsilon(0.3)", "heuristic, 30 % random"],
      ],
    ],
    expand: [
      "New nodes",
      [
        ["one", "one a simulation"],
        ["all", "all children in turn"],
      ],
    ],
  },
  montecarlo: {
    playouts: ["Playouts of every move", [5, 10, 25, 50, 100]],
    playout: [
      "Playouts",
      [
        ["uniform", "uniform"],
        ["weighted", "weighted"],
        ["own_heuristic", "own side by heuristic"],
        ["heuristic", "both by heuristic"],
      ],
    ],
  },
};
const DEFAULTS = {
  minimax: { depth: "3", search: "alphabeta", order: "none", eval: "discs" },
  uct: { playouts: "120", c: "1.41421356237", playout: "uniform", expand: "one" },
  montecarlo: { playouts: "25", playout: "uniform" },
};
const KIND_NAMES = { minimax: "Minimax", uct: "Tree search (UCT)", montecarlo: "Flat Monte Carlo" };
const BOARDS = ["standard", "reversed"].flatMap((variant) => [4, 6, 8].map((size) => `${variant} ${size}x${size}`));

/** "uct(playouts=60, playout=epsilon(0.3))" as {kind, options}. */
function parseAgent(text) {
  const [, kind = "minimax", inner = ""] = /^\s*([\w-]+)\s*(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  const parts = [];
  let depth = 0;
  let part = "";
  for (const letter of `${inner},`) {
    if (letter === "," && depth === 0) {
      if (part.trim()) parts.push(part.trim());
      part = "";
    } else part += letter;
    depth += "([".includes(letter) ? 1 : ")]".includes(letter) ? -1 : 0;
  }
  const named = parts.filter((each) => each.includes("="));
  const options = Object.fromEntries(
    named.map((each) => [each.slice(0, each.indexOf("=")).trim(), each.slice(each.indexOf("=") + 1).trim()]),
  );
  return { kind, options };
}

const agentText = ({ kind, options }) =>
  `${kind}(${Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ")})`;

/** A labelled list of values; one that is not among them is added. */
function choice(label, values, chosen, onChange) {
  const id = `lesson-${label.toLowerCase().replace(/\W+/g, "-")}`;
  const pairs = values.map((value) => (Array.isArray(value) ? value : [value, String(value)]));
  if (!pairs.some(([value]) => String(value) === chosen)) pairs.push([chosen, chosen]);
  const select = el(
    "select",
    { id, onchange: () => onChange(select.value) },
    ...pairs.map(([value, text]) => el("option", { value }, text)),
  );
  select.value = chosen;
  return el("div", { class: "field" }, el("label", { for: id }, label), select);
}

/** The choice of a board. */
export const boardChoice = (rules, change) =>
  choice(
    "Board",
    BOARDS.map((each) => [each, `${capital(each.split(" ")[0])} ${each.split(" ")[1].replace("x", " × ")}`]),
    rules,
    (chosen) => change({ rules: chosen, start: null, moves: "" }),
  );

/** The choices of one agent of a set-up. @param {"a" | "b"} key @param {(changes: object) => void} change */
export function agentChoices(setup, key, change) {
  const agent = parseAgent(setup[key]);
  const prefix = setup.b ? `${key.toUpperCase()}: ` : "";
  const set = (options) => change({ [key]: agentText({ ...agent, options }) });
  const choose = (kind) => change({ [key]: agentText({ kind, options: DEFAULTS[kind] }) });
  return [
    choice(`${prefix}Search`, Object.entries(KIND_NAMES), agent.kind, choose),
    ...Object.entries(KINDS[agent.kind] ?? {}).map(([name, [label, values]]) => {
      const value = agent.options[name] ?? DEFAULTS[agent.kind][name];
      return choice(`${prefix}${label}`, values, value, (chosen) => set({ ...agent.options, [name]: chosen }));
    }),
  ];
}
