extension PlaygroundPage {
  static let style = #"""

    :root {
      color-scheme: light dark;
      --ground: #f6f7f9; --panel: #ffffff; --ink: #1b1f24; --quiet: #59636e; --line: #d4d9df;
      --field: #ffffff; --edge: #8a94a0; --accent: #0b5cad; --on-accent: #ffffff; --bad: #b3261e;
      --check-a: #ffffff; --check-b: #e6e9ed;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #101317; --panel: #191d23; --ink: #e7eaee; --quiet: #a3adb8; --line: #323943;
        --field: #11151a; --edge: #6c7783; --accent: #6cb2ff; --on-accent: #06203b; --bad: #ff8a80;
        --check-a: #20252c; --check-b: #2b313a;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--ground); color: var(--ink);
      font: 15px/1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
    }
    header { padding: 1rem 1.25rem 0; max-width: 84rem; margin: 0 auto; }
    h1 { font-size: 1.35rem; margin: 0; }
    h2 { font-size: 1rem; margin: 0 0 .75rem; }
    header p { margin: .15rem 0 0; color: var(--quiet); }
    main {
      display: grid; gap: 1rem; padding: 1rem 1.25rem 2rem; max-width: 84rem; margin: 0 auto;
      grid-template-columns: minmax(19rem, 25rem) minmax(0, 1fr);
      grid-template-areas: "source result" "options result"; grid-template-rows: auto 1fr; align-items: start;
    }
    #source { grid-area: source; } #options { grid-area: options; } #result { grid-area: result; }
    section { background: var(--panel); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; min-width: 0; }
    fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
    legend { padding: 0; font-weight: 600; }
    #presets { margin: .4rem 0 .8rem; }
    #result { position: sticky; top: 1rem; }
    section > p:last-child { margin-bottom: 0; }
    details { border-top: 1px solid var(--line); padding: .6rem 0; }
    details:last-of-type { padding-bottom: 0; }
    summary { cursor: pointer; font-weight: 600; border-radius: .3rem; }
    .grid { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .6rem .75rem; margin-top: .6rem; }
    .four { grid-template-columns: repeat(4, minmax(0, 1fr)); }
    .wide { grid-column: 1 / -1; }
    label { display: block; font-size: .87rem; color: var(--quiet); }
    label[for] { display: inline; }
    label.check { display: flex; gap: .45rem; align-items: center; color: var(--ink); }
    input:not([type=checkbox], [type=radio], [type=range], [type=color]), select, textarea {
      display: block; width: 100%; margin-top: .15rem; padding: .4rem .5rem; min-height: 2.2rem;
      font: inherit; color: var(--ink); background: var(--field); border: 1px solid var(--edge); border-radius: .4rem;
    }
    input[type=file] { padding: .3rem; }
    input[type=color] { width: 3rem; height: 2.2rem; padding: .1rem; }
    input[type=range] { width: 100%; margin: .5rem 0 0; }
    input[type=checkbox], input[type=radio], input[type=range] { accent-color: var(--accent); }
    input[type=checkbox], input[type=radio] { width: 1.05rem; height: 1.05rem; margin: 0; flex: none; }
    textarea { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .85rem; resize: vertical; }
    button {
      font: inherit; font-weight: 600; padding: .45rem .9rem; border-radius: .4rem; cursor: pointer;
      color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent);
    }
    button.plain { color: var(--accent); background: transparent; }
    button:disabled { opacity: .5; cursor: default; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .row { display: flex; gap: .6rem 1.1rem; flex-wrap: wrap; align-items: center; }
    .hint { color: var(--quiet); font-size: .85rem; margin: .35rem 0 0; overflow-wrap: anywhere; }
    .drop { outline: 2px dashed var(--accent); outline-offset: -4px; }
    [hidden] { display: none !important; }
    #stage {
      display: flex; align-items: center; justify-content: center; min-height: 16rem; border-radius: .4rem;
      border: 1px solid var(--line); padding: .5rem; overflow: hidden;
      background: repeating-conic-gradient(var(--check-b) 0 25%, var(--check-a) 0 50%) 0 0 / 20px 20px;
    }
    #stage.empty { background: var(--ground); color: var(--quiet); }
    #stage img { max-width: 100%; max-height: 70vh; display: block; }
    #stage.busy img { opacity: .55; }
    dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .5rem; margin: .9rem 0; }
    dl div { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .6rem; }
    dt { color: var(--quiet); font-size: .8rem; }
    dd { margin: 0; font-variant-numeric: tabular-nums; font-weight: 600; overflow-wrap: anywhere; }
    #status { min-height: 1.5rem; margin: .6rem 0; }
    #status.bad { color: var(--bad); font-weight: 600; }
    @media (max-width: 52rem) {
      header { padding: .8rem .8rem 0; }
      main { grid-template-columns: minmax(0, 1fr); grid-template-areas: "source" "result" "options"; padding: .8rem; }
      #result { position: static; }
      #stage { min-height: 11rem; }
      #stage img { max-height: 50vh; }
    }
    @media (prefers-reduced-motion: no-preference) { #stage img { transition: opacity .15s; } }

    """#
}
