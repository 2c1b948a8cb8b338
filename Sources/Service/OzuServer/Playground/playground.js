"use strict";
const $ = id => document.getElementById(id);
const state = {token: "", settings: null, upload: null, blob: null, run: 0, abort: null, copies: ""};

// The token comes after the #, which browsers send to no server. It is removed from the address bar. The address of a
// picture may follow the token.
function readToken() {
  const [given, source] = decodeURIComponent(location.hash.slice(1)).split(/,(.*)/s);
  if (source) $("url").value = source;
  if (given) {
    sessionStorage.setItem("ozu-token", given);
    history.replaceState(null, "", location.pathname);
  }
  state.token = sessionStorage.getItem("ozu-token") || "";
}

function say(text, isBad) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", Boolean(isBad));
}

async function ask(path, options) {
  const all = Object.assign({cache: "no-store", redirect: "error"}, options);
  all.headers = Object.assign({Authorization: "Bearer " + state.token}, all.headers);
  const answer = await fetch(path, all);
  if (answer.ok) return answer;
  const error = new Error((await answer.text()).trim() || "status " + answer.status);
  error.status = answer.status;
  throw error;
}

async function begin() {
  readToken();
  const hasToken = Boolean(state.token);
  if (hasToken) {
    try {
      state.settings = await (await ask("/playground/settings")).json();
    } catch (error) {
      say(error.status === 401 ? "This token is not valid." : error.message, true);
    }
  }
  $("token-box").hidden = Boolean(state.settings);
  $("source-box").hidden = !state.settings;
  for (const box of ["options", "result"]) $(box).inert = !state.settings;
  if (!state.settings) { $("token").focus(); return; }
  say("");
  const settings = state.settings;
  $("source-hint").textContent = settings.sources.length
    ? "Allowed: " + settings.sources.join(", ") : "Any address of the public internet is allowed.";
  if (settings.sources.length && !settings.sources[0].includes("*")) $("url").placeholder = settings.sources[0];
  $("dpr").max = settings.largestDensity;
  $("width").max = $("height").max = settings.largestSide;
  $("presets").replaceChildren(...Object.keys(settings.presets).sort().map(name => {
    const label = document.createElement("label"), box = document.createElement("input");
    label.className = "check";
    label.title = settings.presets[name];
    box.type = "checkbox";
    box.value = name;
    label.append(box, " " + name + (name === "default" ? " (always)" : ""));
    if (name === "default") { box.checked = true; box.disabled = true; }
    return label;
  }));
  $("preset-box").hidden = !Object.keys(settings.presets).length;
  $("free").hidden = settings.onlyPresets;
  update();
}

const number = id => $(id).value.trim() === "" || !Number.isFinite(Number($(id).value)) ? 0 : Number($(id).value);
const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

function gravity() {
  const word = $("gravity").value;
  if (word === "fp") return "fp:" + number("px") + ":" + number("py");
  if (word === "sm") return "sm";
  const [x, y] = [number("gx"), number("gy")];
  return word + (x || y ? ":" + x + ":" + y : "");
}

// The options of the address. Options that have their default are left out.
function options() {
  const names = [...$("presets").querySelectorAll("input:checked:not(:disabled)")].map(box => box.value);
  if (state.settings.onlyPresets) return names.join(":");
  const list = [], on = id => $(id).checked;
  if (names.length) list.push("pr:" + names.join(":"));
  const [type, width, height] = [$("type").value, number("width"), number("height")];
  if (type !== "fit" || width || height || on("enlarge") || on("extend")) {
    const flags = on("extend") ? ":" + (on("enlarge") ? 1 : 0) + ":1" : on("enlarge") ? ":1" : "";
    list.push("rs:" + type + ":" + width + ":" + height + flags);
  }
  if (number("dpr")) list.push("dpr:" + number("dpr"));
  if (gravity() !== "ce") list.push("g:" + gravity());
  if (number("cw") || number("ch") || $("cg").value) {
    list.push("c:" + number("cw") + ":" + number("ch") + ($("cg").value ? ":" + $("cg").value : ""));
  }
  if ($("trim").value !== "") list.push("t:" + number("trim"));
  if ($("rotate").value !== "0") list.push("rot:" + $("rotate").value);
  if (on("fliph") || on("flipv")) list.push("fl:" + (on("fliph") ? 1 : 0) + ":" + (on("flipv") ? 1 : 0));
  if (number("blur")) list.push("bl:" + number("blur"));
  if (number("sharpen")) list.push("sh:" + number("sharpen"));
  const margin = ["pt", "pr", "pb", "pl"].map(number);
  if (margin.some(Boolean)) list.push("pd:" + margin.join(":"));
  if (on("ground")) list.push("bg:" + $("color").value.slice(1));
  if (number("quality")) list.push("q:" + number("quality"));
  if ($("fq").value.trim()) list.push("fq:" + $("fq").value.trim());
  if (number("bytes")) list.push("mb:" + number("bytes"));
  if (on("metadata")) list.push("sm:0");
  if (on("profile")) list.push("scp:0");
  if ($("name").value) list.push("fn:" + base64($("name").value) + ":1");
  if (on("attachment")) list.push("att:1");
  if ($("expires").value) list.push("exp:" + Math.floor(new Date($("expires").value).getTime() / 1000));
  if ($("buster").value.trim()) list.push("cb:" + encodeURIComponent($("buster").value.trim()));
  const more = $("more").value.trim().replace(/^\/+|\/+$/g, "");
  if (more) list.push(more);
  return list.join("/");
}

const kind = () => document.querySelector("input[name=kind]:checked").value;
const query = fields => Object.entries(fields).map(([name, value]) => name + "=" + encodeURIComponent(value)).join("&");
const bytesText = count => count < 1000 ? count + " B" : count < 1e6 ? (count / 1000).toFixed(1) + " kB"
  : (count / 1e6).toFixed(2) + " MB";

function show(values) {
  $("fact-size").textContent = values.size || "–";
  $("fact-bytes").textContent = values.bytes || "–";
  $("fact-type").textContent = values.type || "–";
  $("fact-time").textContent = values.time || "–";
}

function setAddress(text, label) {
  state.copies = text;
  $("address").value = text;
  $("address-label").textContent = label;
  $("copy").disabled = !text;
  $("copied").textContent = "";
}

function clear(text) {
  if (state.blob) URL.revokeObjectURL(state.blob);
  state.blob = null;
  $("preview").hidden = true;
  $("preview").removeAttribute("src");
  $("stage").className = "empty";
  $("stage-text").hidden = false;
  $("stage-text").textContent = text;
  show({});
}

async function update() {
  if (!state.settings) return;
  const run = ++state.run;
  if (state.abort) state.abort.abort();
  state.abort = new AbortController();
  const signal = state.abort.signal, isFile = kind() === "file", written = options(), format = $("format").value;
  const hasSource = isFile ? state.upload : $("url").value.trim();
  $("again").disabled = !hasSource;
  if (!hasSource) {
    clear("No picture yet");
    setAddress("", "Address to copy");
    say(isFile ? "Choose a file." : "Give the address of a picture.");
    return;
  }
  $("stage").classList.add("busy");
  say("Making it …");
  try {
    let path;
    if (isFile) {
      path = "/playground/picture?" + query({upload: state.upload.key, options: written, format});
      setAddress(written + (format ? (written ? "/" : "") + "f:" + format : ""),
        "Options to copy (an uploaded file has no address)");
    } else {
      const asked = "/playground/address?" + query({source: $("url").value.trim(), options: written, format});
      path = (await (await ask(asked, {signal})).json()).path;
      if (run !== state.run) return;
      setAddress(location.origin + path, state.settings.isSigned ? "Signed address to copy" : "Address to copy");
    }
    const start = performance.now();
    const answer = await ask(path, {signal,
      headers: {Accept: "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8"}});
    const blob = await answer.blob(), time = performance.now() - start;
    if (run !== state.run) return;
    await present(blob, time, isFile, run);
  } catch (error) {
    if (error.name === "AbortError" || run !== state.run) return;
    if (error.status === 401) sessionStorage.removeItem("ozu-token");
    clear("No picture");
    if (!isFile && error.status !== undefined && error.status < 500 && error.status !== 422) {
      setAddress("", "Address to copy");
    }
    say(error.status === undefined ? "The service cannot be reached." : error.message, true);
  } finally {
    if (run === state.run) $("stage").classList.remove("busy");
  }
}

async function present(blob, time, isFile, run) {
  const address = URL.createObjectURL(blob), image = new Image();
  image.src = address;
  const canShow = await image.decode().then(() => true, () => false);
  if (run !== state.run) { URL.revokeObjectURL(address); return; }
  clear(canShow ? "" : "This browser cannot show " + blob.type);
  state.blob = address;
  const share = isFile ? " (" + (100 * blob.size / state.upload.bytes).toPrecision(2) + " % of the file)" : "";
  show({size: canShow ? image.naturalWidth + " × " + image.naturalHeight : "",
    bytes: bytesText(blob.size) + share, type: blob.type.replace("image/", ""),
    time: (time < 100 ? time.toFixed(1) : Math.round(time)) + " ms"});
  if (canShow) {
    $("stage").className = "";
    $("stage-text").hidden = true;
    $("preview").src = address;
    $("preview").alt = "The result, " + image.naturalWidth + " by " + image.naturalHeight + " pixels";
    $("preview").hidden = false;
  }
  say("Done.");
}

async function upload(file) {
  if (!file) return;
  if (file.size > state.settings.largestUpload) {
    state.upload = null;
    update();
    say("The file is larger than " + bytesText(state.settings.largestUpload) + ".", true);
    return;
  }
  say("Sending the file …");
  try {
    const answer = await ask("/playground/uploads", {method: "POST", body: file});
    state.upload = await answer.json();
    update();
  } catch (error) {
    state.upload = null;
    update();
    say(error.status === undefined ? "The file could not be sent." : error.message, true);
  }
}

function reflect() {
  const word = $("gravity").value;
  for (const label of document.querySelectorAll("[data-for=point]")) label.hidden = word !== "fp";
  for (const label of document.querySelectorAll("[data-for=offset]")) label.hidden = word === "fp" || word === "sm";
  const usual = state.settings ? state.settings.quality : "";
  $("quality-text").textContent = number("quality") || "as usual" + (usual ? " (" + usual + ")" : "");
  $("url-box").hidden = kind() !== "url";
  $("file-box").hidden = kind() !== "file";
}

let timer = 0;
function soon(event) {
  if (event.target.id === "token" || event.target.id === "file" || event.target.id === "address") return;
  reflect();
  clearTimeout(timer);
  timer = setTimeout(update, 250);
}

document.addEventListener("input", soon);
$("file").addEventListener("change", () => upload($("file").files[0]));
$("again").addEventListener("click", update);
$("reset").addEventListener("click", () => {
  for (const field of $("options").querySelectorAll("input, select")) {
    if (field.type === "checkbox") field.checked = field.defaultChecked || field.disabled;
    else if (field.tagName === "SELECT") field.selectedIndex = 0;
    else field.value = field.defaultValue;
  }
  reflect();
  update();
});
function useToken() {
  sessionStorage.setItem("ozu-token", $("token").value.trim());
  $("token").value = "";
  begin().then(reflect);
}
$("token-set").addEventListener("click", useToken);
$("token").addEventListener("keydown", event => { if (event.key === "Enter") useToken(); });
$("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(state.copies);
  } catch {
    // Pages without TLS have no clipboard but this one.
    $("address").select();
    document.execCommand("copy");
  }
  $("copied").textContent = "Copied.";
});
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, event => {
    event.preventDefault();
    $("source").classList.toggle("drop", name === "dragover");
    if (name !== "drop" || !state.settings || !event.dataTransfer.files.length) return;
    document.querySelector("input[name=kind][value=file]").checked = true;
    reflect();
    upload(event.dataTransfer.files[0]);
  });
}
window.addEventListener("hashchange", () => begin().then(reflect));
reflect();
begin().then(reflect);
