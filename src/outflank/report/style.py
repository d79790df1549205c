"""The look of a page: one style sheet, light and dark, for wide screens and for phones.

Paper, ink and links have the colours of the page of `outflank play` (`static/base.css`), which links lead back to.
Tones differ in lightness as well as in hue (blue-green and vermilion, which colour-blind people tell apart), and every
cell with a tone also has a sign or a word. Contrasts of text are 4.5:1 or more in both schemes.
"""

CSS = """
:root {
  --paper: #ffffff; --card: #f4f3ee; --ink: #1d2321; --soft: #56605c; --grid: #dcd9d0; --link: #17694a;
  --good: #00573f; --good-paper: #d9f0e6; --bad: #8f2d00; --bad-paper: #fce3d6; --warn: #6b4e00; --warn-paper: #fdf0c4;
  --series0: #0072b2; --series1: #d55e00; --series2: #009e73; --series3: #cc79a7; --series4: #e69f00;
  --series5: #56b4e9; --series6: #7a6a00; --series7: #5e5e5e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131615; --card: #1c201f; --ink: #e8ebe8; --soft: #a3aeaa; --grid: #353c3a; --link: #5fc79b;
    --good: #8fe3c0; --good-paper: #12382b; --bad: #ffb694; --bad-paper: #45210f;
    --warn: #f2d377; --warn-paper: #3b300a;
    --series0: #4ba3e3; --series1: #f07a3a; --series2: #2bc79a; --series3: #e39ac4; --series4: #f0b43c;
    --series5: #7cc8f5; --series6: #c9b53a; --series7: #a3adb8;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); line-height: 1.55;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; min-width: 0; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 { font-size: 1.4rem; line-height: 1.25; margin: 2.6rem 0 .6rem; padding-top: .8rem;
  border-top: 1px solid var(--grid); }
h3 { font-size: 1.12rem; margin: 1.8rem 0 .4rem; }
h4, h5, h6 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
h1, h2, h3, h4, p, li, dd, figcaption { overflow-wrap: anywhere; }
p, main ul { max-width: 46rem; margin: .6rem 0; }
.lead { font-size: 1.1rem; }
.note, .muted, figcaption { color: var(--soft); font-size: .92rem; }
a { color: var(--link); }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .9em;
  background: var(--card); border-radius: 3px; padding: .1em .3em; }
nav { padding: 1rem 1rem 0; font-size: .92rem; }
nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
nav a { text-decoration: none; overflow-wrap: anywhere; }
nav a:hover, nav a:focus { text-decoration: underline; }
nav .level3 { display: none; }
figure { margin: 1.2rem 0; }
figure.table figcaption { margin-bottom: .35rem; }
figure.picture figcaption { margin-top: .35rem; max-width: 46rem; }
figure.picture svg { display: block; max-width: 100%; height: auto; }
.scroll { overflow-x: auto; border: 1px solid var(--grid); border-radius: 6px; width: fit-content; max-width: 100%; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { padding: .34rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--grid); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { background: var(--card); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 500; max-width: 24rem; }
tbody th:not([data-short]) { min-width: 9rem; }
td { max-width: 34rem; }
th, td { overflow-wrap: break-word; }
thead th:first-child, tbody th { position: sticky; left: 0; }
tbody th { background: var(--paper); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number, tbody th[data-short] { white-space: nowrap; }
td.good, th.good { color: var(--good); background: var(--good-paper); }
td.bad, th.bad { color: var(--bad); background: var(--bad-paper); }
td.warn, th.warn { color: var(--warn); background: var(--warn-paper); }
td[title] { cursor: help; }
td a, tbody th a { color: inherit; text-decoration-style: dotted; text-underline-offset: .2em; }
footer dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; font-size: .92rem; }
footer dt { color: var(--soft); }
footer dd { margin: 0; }
@media (max-width: 34rem) {
  h1 { font-size: 1.5rem; }
  h2 { font-size: 1.25rem; }
  tbody th { max-width: 11rem; }
  figure.picture .view { overflow-x: auto; }
  figure.picture svg { max-width: none; width: 28rem; }
  footer dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  footer dd { margin-bottom: .5rem; }
}
@media (min-width: 68rem) {
  body:has(> nav) { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 82rem; margin: 0 auto; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 2rem 1rem; }
  nav ul { display: block; }
  nav li { margin: .35rem 0; }
  nav .level3 { display: block; padding-left: 1rem; font-size: .95em; }
}
@media print { nav { display: none; } .scroll { overflow: visible; } figure, tr { break-inside: avoid; } }
"""
