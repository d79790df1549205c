/**
 * Back closes a dialog. An open dialog is a place of its own in the browser's history; whoever closes it otherwise takes
 * that place back, and whatever is opened from it takes it over.
 */

/** Whether the history is going back because a dialog was closed. */
let leaving = false;

const openDialogs = () => [...document.querySelectorAll("dialog[open]")];

/** Makes an opened dialog a place of the history, until it closes. @param {HTMLDialogElement} dialog */
export function backCloses(dialog) {
  const depth = openDialogs().length;
  history.pushState({ ...history.state, dialog: depth }, "");
  dialog.addEventListener(
    "close",
    () => {
      if (history.state?.dialog !== depth) return; // Back did it, or another place has come
      leaving = true;
      history.back();
    },
    { once: true },
  );
}

/** Whether a step in the history only closed a dialog: nothing else is to be opened then. */
export function closedByBack() {
  const wasLeaving = leaving;
  leaving = false;
  if (wasLeaving) return true;
  const dialog = openDialogs().at(-1);
  dialog?.close();
  return Boolean(dialog) && Boolean(history.state);
}
