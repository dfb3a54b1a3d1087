export const style = `
:root {
  color-scheme: light dark;
  --ink: #1a2233; --soft: #55607a; --line: #cfd6e4; --paper: #ffffff; --ground: #eef1f7;
  --panel: #17223f; --panel-end: #24407f; --panel-ink: #ffffff; --panel-soft: #c9d5f3;
  --accent: #2450c8; --accent-dark: #1b3ea0; --on-accent: #ffffff; --ring: #7aa2ff;
  --bad: #b3261e; --bad-ground: #fdf0ef; --note: #7a4b00; --note-ground: #fff3d6; --good: #12704a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #eef1f8; --soft: #aab4ca; --line: #46506a; --paper: #182034; --ground: #0e1422;
    --panel: #101a33; --panel-end: #1c3468; --accent: #85a9ff; --accent-dark: #a5c0ff; --on-accent: #0e1730;
    --bad: #ff9d94; --bad-ground: #3a1a1c; --note: #ffd88a; --note-ground: #3a2c0c; --good: #6fdba9;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; justify-content: center;
  padding: 24px 16px; background: var(--ground); color: var(--ink);
  font: 16px/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main {
  width: 100%; max-width: 920px; display: grid; grid-template-columns: 5fr 6fr; overflow: hidden;
  background: var(--paper); border-radius: 18px;
  box-shadow: 0 1px 2px rgb(16 24 48 / 12%), 0 18px 48px rgb(16 24 48 / 14%);
}
h1, h2, p, dl, dd, ul { margin: 0; padding: 0; }
h2 { font-size: 17px; line-height: 1.4; }
h2.or { font-size: 14px; }
svg { flex: none; }
.summary {
  padding: 36px 34px; color: var(--panel-ink); display: flex; flex-direction: column; gap: 26px;
  background: linear-gradient(var(--panel), var(--panel-end));
}
.merchant { display: flex; align-items: center; gap: 12px; font-weight: 600; overflow-wrap: anywhere; }
.badge {
  display: grid; place-items: center; width: 38px; height: 38px; flex: none; border-radius: 11px;
  background: rgb(255 255 255 / 14%); font-size: 18px; text-transform: uppercase;
}
.summary h1 { font-size: 15px; font-weight: 500; color: var(--panel-soft); }
.summary h1 strong {
  display: block; margin-top: 2px; font-size: 38px; line-height: 1.15; font-weight: 650; letter-spacing: -.02em;
  color: var(--panel-ink); font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
.summary .order { padding-top: 22px; border-top: 1px solid rgb(255 255 255 / 18%); }
.summary dl { display: grid; gap: 12px; }
.summary dt { font-size: 13px; color: var(--panel-soft); }
.summary dd { overflow-wrap: anywhere; }
.summary .safe { margin-top: auto; display: flex; gap: 8px; align-items: center; font-size: 13px; color: var(--panel-soft); }
.order summary { min-height: 44px; align-content: center; cursor: pointer; font-size: 14px; color: var(--panel-soft); }
@supports selector(::details-content) {
  @media (min-width: 761px) {
    .order summary { display: none; }
    .order::details-content { content-visibility: visible; }
  }
}
.side { padding: 34px; display: flex; flex-direction: column; gap: 20px; min-width: 0; }
form { display: grid; gap: 16px; margin: 0; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; }
.field { display: grid; gap: 5px; min-width: 0; align-content: start; }
label { font-size: 14px; font-weight: 600; }
.hint { font-size: 13px; font-weight: 400; color: var(--soft); margin-left: 6px; }
input {
  width: 100%; height: 48px; padding: 0 14px; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--soft); border-radius: 10px; font-variant-numeric: tabular-nums;
}
::placeholder { color: var(--soft); opacity: .85; }
input[aria-invalid="true"] { border: 2px solid var(--bad); }
.error { font-size: 14px; color: var(--bad); font-weight: 500; }
:focus-visible { outline: 3px solid var(--ring); outline-offset: 2px; }
input:focus-visible { border-color: var(--accent); outline-offset: 0; }
button, .button {
  display: flex; align-items: center; justify-content: center; gap: 10px; width: 100%; min-height: 50px; padding: 10px 18px;
  font: inherit; font-weight: 650; text-align: center; text-decoration: none; cursor: pointer;
  color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: 10px;
}
/* A pressed button stays busy for a while, in which the next page loads. */
button { transition: opacity 0s 4s; }
button:active { opacity: .6; cursor: progress; transition-delay: 0s; transform: translateY(1px); }
button:hover, .button:hover { background: var(--accent-dark); }
button.quiet, .button.quiet { color: var(--ink); background: transparent; border-color: var(--soft); font-weight: 600; }
button.quiet:hover, .button.quiet:hover { border-color: var(--accent); color: var(--accent); }
button.link {
  width: auto; min-height: 44px; margin: 0 auto; padding: 4px 8px; font-weight: 500; font-size: 15px;
  color: var(--soft); background: none; text-decoration: underline; text-underline-offset: 3px;
}
button.link:hover { color: var(--ink); }
.or { display: flex; align-items: center; gap: 12px; font-size: 14px; font-weight: 500; color: var(--soft); }
.or::before, .or::after { content: ""; height: 1px; flex: 1; background: var(--line); }
.ways { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; }
.notice { padding: 14px 16px; border-radius: 10px; border: 1px solid var(--bad); background: var(--bad-ground); }
.notice h2 { color: var(--bad); font-size: 16px; }
.notice ul { padding-left: 20px; }
.notice a { color: inherit; }
.notice:focus { outline: 3px solid var(--ring); outline-offset: 2px; }
.result { display: grid; gap: 10px; justify-items: start; }
.result h1, .result h2 { font-size: 24px; line-height: 1.25; }
.result p { color: var(--soft); }
.result .button { margin-top: 12px; }
.mark { display: grid; place-items: center; width: 52px; height: 52px; border-radius: 50%; border: 2px solid currentcolor; color: var(--soft); }
.mark.good { color: var(--good); } .mark.bad { color: var(--bad); } .mark.wait { color: var(--accent); }
.mark.wait svg { animation: turn 1.2s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .mark.wait svg { animation: none; } }
.test { width: 100%; max-width: 920px; margin-bottom: 14px; font-size: 14px; color: var(--note); background: var(--note-ground); border-radius: 10px; }
.test summary { padding: 10px 16px; cursor: pointer; }
.test strong { margin-right: 6px; }
.test div { padding: 0 16px 12px; display: grid; gap: 6px; }
.test ul { list-style: none; display: grid; gap: 2px; }
.test code { font: 14px/1.5 ui-monospace, "Liberation Mono", monospace; white-space: nowrap; }
details.way { border: 1px solid var(--line); border-radius: 10px; padding: 0 16px; }
details.way summary { min-height: 48px; display: flex; align-items: center; gap: 10px; cursor: pointer; font-weight: 600; }
details.way summary::-webkit-details-marker { display: none; }
details.way summary::after {
  content: ""; margin-left: auto; width: 9px; height: 9px; border: solid var(--soft); border-width: 0 2px 2px 0;
  transform: translateY(-2px) rotate(45deg);
}
details.way[open] summary::after { transform: translateY(3px) rotate(225deg); }
details.way form { padding: 6px 0 16px; }
.alone, body:not(.frame):has(.alone) .test { max-width: 480px; }
.alone { display: block; }
body:not(.frame) .alone h1 { font-size: 24px; line-height: 1.25; }
.bank { display: flex; align-items: center; justify-content: space-between; gap: 12px; padding-bottom: 16px; border-bottom: 1px solid var(--line); font-weight: 650; }
.facts { display: grid; gap: 8px; }
.facts div { display: flex; justify-content: space-between; gap: 16px; }
.facts dt { color: var(--soft); } .facts dd { font-weight: 600; text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.frame h1 { font-size: 16px; font-weight: 600; }
.qr { width: 100%; max-width: 264px; margin: 0 auto; background: #ffffff; fill: #000000; border-radius: 10px; }
.frame { min-height: 0; justify-content: flex-start; padding: 0; background: var(--paper); }
.frame main { box-shadow: none; border-radius: 0; max-width: none; }
.frame .test { margin: 0; border-radius: 0; max-width: none; }
@media (max-width: 760px) {
  body { padding: 0; justify-content: flex-start; background: var(--paper); }
  main { grid-template-columns: 1fr; border-radius: 0; box-shadow: none; max-width: none; }
  .test { margin: 0; border-radius: 0; }
  .summary { padding: 16px 20px; gap: 10px; }
  .summary .order { padding-top: 4px; }
  .summary dl { gap: 6px; padding-bottom: 8px; }
  .summary .safe { display: none; }
  .summary h1 strong { font-size: 32px; }
  .side { padding: 24px 20px 32px; }
  .two .hint { display: block; margin: 0; }
}
@media (max-width: 420px) { .ways { grid-template-columns: 1fr; } }
@media (max-width: 380px) { .two { grid-template-columns: 1fr; } }
`
