// Runs before the first paint, so that neither a chosen theme nor a linked view flashes. No choice: as the system is set.
const root = document.documentElement;
root.dataset.view = /\bview=(play|analyse|games|train)\b/.exec(location.hash)?.[1] ?? "play";
try {
  root.dataset.theme = JSON.parse(localStorage.getItem("outflank.theme")) ?? "auto";
} catch {
  root.dataset.theme = "auto";
}
