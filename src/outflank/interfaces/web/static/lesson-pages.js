/** The pages of the lessons: the list of all, and the text of one. */
import { el, newButton } from "./dom.js";
import { EMPTY } from "./lesson-links.js";
import { LESSONS } from "./lesson-texts.js";

/** The text of a lesson: what it is about, what to do, a question. */
export function textOf(lesson, setUpWith) {
  const number = LESSONS.indexOf(lesson) + 1;
  const next = LESSONS[number];
  const tasks = lesson.tasks.map(({ text, setup, step }) =>
    el(
      "li",
      {},
      el("p", {}, text),
      setup
        ? newButton(
            { class: "quiet", onclick: () => setUpWith({ ...EMPTY, ...lesson.setup, ...setup }, step ?? 0) },
            "Set this up",
          )
        : null,
    ),
  );
  return [
    el(
      "p",
      { class: "hint" },
      el("a", { href: "#lesson=" }, "All lessons"),
      ` · Lesson ${number} of ${LESSONS.length}, about ten minutes`,
    ),
    el("h2", { id: "lesson-title", class: "status", tabindex: "-1" }, lesson.title),
    ...lesson.text.map((paragraph) => el("p", {}, paragraph)),
    el("h3", {}, "Try it"),
    el("ol", {}, ...tasks),
    el("h3", {}, "Question"),
    el("p", {}, lesson.question),
    el("details", {}, el("summary", {}, "Answer"), el("p", {}, lesson.answer)),
    el("p", { class: "hint" }, lesson.source),
    next ? el("p", {}, el("a", { href: `#lesson=${next.id}` }, `Next: ${next.title}`)) : null,
  ].filter(Boolean);
}

/** All lessons. @returns {HTMLElement[]} */
export function listOf() {
  return [
    el("h2", { id: "lessons-title", class: "status" }, "How a program thinks"),
    el(
      "p",
      {},
      "Six lessons of about ten minutes, one for each idea of the papers that this laboratory reproduces. You see the searches themselves, step by step, on boards of 4 × 4, 6 × 6 and 8 × 8.",
    ),
    el(
      "ol",
      { class: "lesson-cards" },
      ...LESSONS.map((lesson) =>
        el(
          "li",
          { class: "card" },
          el("h3", {}, el("a", { href: `#lesson=${lesson.id}` }, lesson.title)),
          el("p", {}, lesson.idea),
          el("p", { class: "hint" }, lesson.source),
        ),
      ),
    ),
  ];
}
