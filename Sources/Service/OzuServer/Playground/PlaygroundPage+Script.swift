extension PlaygroundPage {
  static let script = inputScript + outputScript

  /// The token, the settings, and the options of the address.
  private static let inputScript = #"""

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


    """#
}
