import OzuImaging

extension PlaygroundPage {
  /// The choices of a format.
  private static let formats = ImageOptions.formats.filter { $0.audience == .browsers }
    .map { "<option value=\"\($0.type.fileExtension)\">\($0.name)</option>" }.joined()

  static let markup = #"""
    <header>
    <h1>Ozu playground</h1>
    <p>Try what the image service makes of a picture, and copy the address.</p>
    </header>
    <main>
    <section id="source" aria-labelledby="source-title">
      <h2 id="source-title">Picture</h2>
      <div id="token-box" hidden>
        <label>Token of the playground<input id="token" type="password" autocomplete="off" spellcheck="false"></label>
        <p class="hint">It stands behind the # of the address that <code>ozu serve</code> printed.</p>
        <p><button id="token-set" type="button">Use this token</button></p>
      </div>
      <div id="source-box">
        <div class="row" role="radiogroup" aria-labelledby="source-title">
          <label class="check"><input type="radio" name="kind" value="url" checked> From the web</label>
          <label class="check"><input type="radio" name="kind" value="file"> From this computer</label>
        </div>
        <div id="url-box" class="grid"><label class="wide">Address of the picture
          <input id="url" type="url" inputmode="url" autocomplete="off" spellcheck="false" placeholder="https://"></label></div>
        <div id="file-box" class="grid" hidden><label class="wide">File, or drop one here
          <input id="file" type="file" accept="image/*"></label></div>
        <p class="hint" id="source-hint"></p>
      </div>
    </section>

    <section id="result" aria-labelledby="result-title">
      <h2 id="result-title">Result</h2>
      <div id="stage" class="empty"><span id="stage-text">No picture yet</span><img id="preview" alt="" hidden></div>
      <p id="status" role="status" aria-live="polite"></p>
      <dl>
        <div><dt>Size</dt><dd id="fact-size">–</dd></div>
        <div><dt>Bytes</dt><dd id="fact-bytes">–</dd></div>
        <div><dt>Format</dt><dd id="fact-type">–</dd></div>
        <div><dt>Time to the last byte</dt><dd id="fact-time">–</dd></div>
      </dl>
      <label><span id="address-label">Address to copy</span><textarea id="address" rows="4" readonly></textarea></label>
      <p class="row"><button id="copy" type="button" disabled>Copy</button>
        <button id="again" type="button" class="plain" disabled>Ask again</button>
        <span id="copied" role="status" aria-live="polite"></span></p>
    </section>

    <section id="options" aria-labelledby="options-title">
      <h2 id="options-title">Options</h2>
      <fieldset id="preset-box" hidden><legend>Presets</legend><div id="presets" class="row"></div></fieldset>
      <div id="free">
      <details open><summary>Size</summary><div class="grid">
        <label class="wide">Resizing<select id="type">
          <option value="fit">fit: inside the size</option><option value="fill">fill: cover it, cut the rest off</option>
          <option value="fill-down">fill-down: cover it, never enlarge</option><option value="force">force: exactly the size</option>
        </select></label>
        <label>Width<input id="width" type="number" min="0" value="640" inputmode="numeric"></label>
        <label>Height<input id="height" type="number" min="0" placeholder="any" inputmode="numeric"></label>
        <label>Pixels per point (dpr)<input id="dpr" type="number" min="0.1" step="0.1" placeholder="1"></label>
        <label>Gravity<select id="gravity">
          <option value="ce">middle</option><option value="no">top</option><option value="so">bottom</option>
          <option value="we">left</option><option value="ea">right</option><option value="nowe">top left</option>
          <option value="noea">top right</option><option value="sowe">bottom left</option><option value="soea">bottom right</option>
          <option value="sm">where people look</option><option value="fp">a point</option>
        </select></label>
        <label data-for="offset">Offset across<input id="gx" type="number" min="0" placeholder="0"></label>
        <label data-for="offset">Offset down<input id="gy" type="number" min="0" placeholder="0"></label>
        <label data-for="point">Point across, 0 to 1<input id="px" type="number" min="0" max="1" step="0.05" value="0.5"></label>
        <label data-for="point">Point down, 0 to 1<input id="py" type="number" min="0" max="1" step="0.05" value="0.5"></label>
        <label class="check"><input id="enlarge" type="checkbox"> Enlarge smaller ones</label>
        <label class="check"><input id="extend" type="checkbox"> Fill up around it</label>
      </div></details>
      <details open><summary>File</summary><div class="grid">
        <label class="wide">Format<select id="format">
          <option value="">what the browser accepts</option>\#(formats)
        </select></label>
        <div class="wide"><label for="quality">Quality</label> <output id="quality-text" for="quality"></output>
          <input id="quality" type="range" min="0" max="100" value="0"></div>
        <label>At most bytes<input id="bytes" type="number" min="0" placeholder="any"></label>
        <label>Quality by format<input id="fq" placeholder="webp:70:avif:50" spellcheck="false"></label>
        <label class="check"><input id="metadata" type="checkbox"> Keep EXIF data</label>
        <label class="check"><input id="profile" type="checkbox"> Keep the profile</label>
      </div></details>
      <details><summary>Cut and turn</summary><div class="grid">
        <label>Cut out: width<input id="cw" type="number" min="0" placeholder="whole"></label>
        <label>Cut out: height<input id="ch" type="number" min="0" placeholder="whole"></label>
        <label>Cut out: where<select id="cg"><option value="">as gravity</option><option value="ce">middle</option>
          <option value="no">top</option><option value="so">bottom</option><option value="we">left</option>
          <option value="ea">right</option><option value="nowe">top left</option><option value="noea">top right</option>
          <option value="sowe">bottom left</option><option value="soea">bottom right</option></select></label>
        <label>Trim a border, 0 to 255<input id="trim" type="number" min="0" max="255" placeholder="no"></label>
        <label>Turn<select id="rotate"><option value="0">no</option><option value="90">90° to the right</option>
          <option value="180">180°</option><option value="270">90° to the left</option></select></label>
        <span></span>
        <label class="check"><input id="fliph" type="checkbox"> Swap left and right</label>
        <label class="check"><input id="flipv" type="checkbox"> Swap top and bottom</label>
      </div></details>
      <details><summary>Look</summary><div class="grid">
        <label>Blur<input id="blur" type="number" min="0" max="100" step="0.5" placeholder="0"></label>
        <label>Sharpen<input id="sharpen" type="number" min="0" max="10" step="0.1" placeholder="0"></label>
        <fieldset class="wide"><legend>Margin</legend><div class="grid four">
          <label>Top<input id="pt" type="number" min="0" placeholder="0"></label>
          <label>Right<input id="pr" type="number" min="0" placeholder="0"></label>
          <label>Bottom<input id="pb" type="number" min="0" placeholder="0"></label>
          <label>Left<input id="pl" type="number" min="0" placeholder="0"></label></div></fieldset>
        <label class="check"><input id="ground" type="checkbox"> Background</label>
        <label>Its colour<input id="color" type="color" value="#ffffff"></label>
      </div></details>
      <details><summary>Address</summary><div class="grid">
        <label>Name to save as<input id="name" spellcheck="false"></label>
        <label>Valid until<input id="expires" type="datetime-local"></label>
        <label>Cache buster<input id="buster" spellcheck="false"></label>
        <span></span>
        <label class="check wide"><input id="attachment" type="checkbox"> To be saved, not shown</label>
        <label class="wide">Further options<input id="more" placeholder="rs:fill:320:240/q:70" spellcheck="false"></label>
      </div></details>
      </div>
      <p class="row"><button id="reset" type="button" class="plain">Back to the beginning</button></p>
    </section>
    </main>
    <noscript><p class="hint">This page needs JavaScript.</p></noscript>
    """#
}
