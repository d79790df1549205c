/**
 * Small helpers for the document: find, build, announce.
 *
 * Text always goes in as text and never as markup, so nothing that is pasted or loaded can become part of the page.
 */

/** The element with this id. @param {string} id @returns {HTMLElement} */
export const byId = (id) => document.getElementById(id);

/**
 * A new element: `el("button", {class: "quiet", onclick: play}, "Play")`. Names that begin with "on" are listeners,
 * `false` and `null` leave an attribute out, and children are elements or text.
 * @param {string} tag @param {Record<string, unknown>} attributes @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A new button that sends no form. @returns {HTMLButtonElement} */
export const newButton = (attributes, ...children) => el("button", { type: "button", ...attributes }, ...children);

const SVG = "http://www.w3.org/2000/svg";

/** The same for drawings. @returns {SVGElement} */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children);
  return element;
}

function setAttribute(element, name, value) {
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (value !== false && value !== null && value !== undefined)
    element.setAttribute(name, value === true ? "" : value);
}

/** An icon of the sprite in index.html. */
export const icon = (name) => svg("svg", { class: "icon", "aria-hidden": "true" }, svg("use", { href: `#i-${name}` }));

/** Changes the text of an element only where it differs, so that nothing is drawn or read out twice. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Tells people who listen to the page; a pause lets a screen reader notice the same words again. */
export function announce(text) {
  const region = byId("announcer");
  region.textContent = "";
  setTimeout(() => {
    region.textContent = text;
  }, 30);
}

let toastTimer = 0;

/** Shows the first line of a message for some seconds and reads it out. */
export function toast(message, trouble = false) {
  const [text] = message.split("\n");
  const box = byId("toast");
  box.textContent = text;
  box.classList.toggle("trouble", trouble);
  box.classList.add("shown");
  announce(text);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => box.classList.remove("shown"), trouble ? 9000 : 4000);
}

/** Runs a function once before the next drawing, however often it is asked to. */
export function oncePerFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

/** 12345678 as "12.3 M". */
export function short(number) {
  if (number < 1e4) return String(number);
  if (number < 1e6) return `${Math.round(number / 1e3)} k`;
  return `${(number / 1e6).toFixed(1)} M`;
}

/** 1 → "1 disc", 2 → "2 discs". */
export const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

/** The first letter large. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
