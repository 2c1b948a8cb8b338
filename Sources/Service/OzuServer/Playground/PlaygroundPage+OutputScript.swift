extension PlaygroundPage {
  /// Requests the picture, shows the result, and handles events of the page.
  static let outputScript = #"""
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

    """#
}
