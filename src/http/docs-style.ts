/** What the page at /docs looks like, light or dark as the reader's system is. */
export const style = `
:root { color-scheme: light dark; --ground: #fff; --raised: #f5f6f8; --line: #dde0e6; --text: #1b1f27; --quiet: #5b6472;
  --link: #0b5cad; --get: #0a6b4f; --post: #0b5cad; --put: #8a4b00; --patch: #6d3fa8; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground: #12151b; --raised: #1a1f28; --line: #2d3440; --text: #e4e8ef;
  --quiet: #9aa5b5; --link: #7cb7ff; --get: #5fd0a6; --post: #7cb7ff; --put: #f0b35b; --patch: #c4a1f5; --delete: #ff8f87; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.55 system-ui, sans-serif;
  display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem; background: var(--raised);
  border-right: 1px solid var(--line); font-size: 13px; }
nav h2 { margin: 1.1rem 0 .3rem; font-size: 12px; letter-spacing: .06em; text-transform: uppercase; color: var(--quiet); border: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .1rem 0; color: var(--text); text-decoration: none; }
nav li a:hover, nav li a:focus-visible { color: var(--link); text-decoration: underline; }
main { padding: 1.5rem 2.5rem 6rem; max-width: 68rem; min-width: 0; }
a { color: var(--link); }
h1 { margin: 0 0 .25rem; font-size: 1.7rem; }
h2 { margin: 3rem 0 1rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { margin: 0 0 .5rem; font-size: 1.05rem; }
h3 code { font-size: .9em; }
h4 { margin: 1.1rem 0 .35rem; font-size: .85rem; color: var(--quiet); }
article { padding: 1.1rem 1.25rem; margin: 0 0 1.1rem; border: 1px solid var(--line); border-radius: 8px; }
article:target { border-color: var(--link); }
code, pre { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { padding: .75rem 1rem; background: var(--raised); border-radius: 6px; overflow-x: auto; }
p.paths { margin: .1rem 0; }
.method { display: inline-block; min-width: 4.2em; font-weight: 700; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .patch { color: var(--patch); }
.delete { color: var(--delete); }
.quiet { color: var(--quiet); }
table { width: 100%; border-collapse: collapse; font-size: 13.5px; }
th { text-align: left; font-weight: 600; color: var(--quiet); }
th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td:first-child { width: 32%; } td:nth-child(2) { width: 26%; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 52rem) { body { display: block; } nav { position: static; height: auto; } main { padding: 1.25rem; } }
@media print { nav { display: none; } body { display: block; } article { break-inside: avoid; } }
`
