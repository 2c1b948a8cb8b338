#if GTK
  import CGTK
  import OzuGTK

  /// A window that asks for another name of a file.
  @MainActor
  enum RenameWindow {
    /// Opens it over a window.
    ///
    /// - Parameter onName: called with a name that a file can have.
    static func open(
      over parent: UnsafeMutablePointer<GtkWindow>, _ name: String,
      onName: @escaping @MainActor (String) -> Void
    ) {
      let entry: Widget = gtk_entry_new()
      AccessibleName.set(tr("New name"), of: entry)
      gtk_editable_set_text(OpaquePointer(entry), name)
      gtk_editable_set_width_chars(OpaquePointer(entry), 30)
      let problem = label("", "dim-label")
      let rename: Widget = gtk_button_new_with_mnemonic(tr("_Rename"))
      gtk_widget_add_css_class(rename, "suggested-action")
      let window = dialogue(tr("Rename"), over: parent, button: rename)
      let content = box(GTK_ORIENTATION_VERTICAL, spacing: 6, [entry, problem])
      setMargins(content, 18)
      gtk_window_set_child(window, content)
      let text = { String(cString: gtk_editable_get_text(OpaquePointer(entry))) }
      SignalSource(entry).on("changed") { _ in
        let flaw = self.flaw(of: text())
        gtk_label_set_text(OpaquePointer(problem), flaw ?? "")
        gtk_widget_set_sensitive(rename, flaw == nil ? 1 : 0)
      }
      let apply: @MainActor () -> Void = {
        let new = text()
        guard flaw(of: new) == nil else { return }
        gtk_window_close(window)
        onName(new)
      }
      SignalSource(entry).on("activate") { _ in apply() }
      SignalSource(rename).on("clicked") { _ in apply() }
      gtk_window_present(window)
      gtk_widget_grab_focus(entry)
      // The ending stays while the name is typed over.
      let stem = name.lastIndex(of: ".").map { name[..<$0].unicodeScalars.count } ?? -1
      gtk_editable_select_region(OpaquePointer(entry), 0, gint(stem))
    }

    private static func flaw(of name: String) -> String? {
      if name.isEmpty || name == "." || name == ".." { return tr("A file needs a name") }
      if name.contains("/") { return tr("“/” cannot be part of a name") }
      return name.utf8.count > 255 ? tr("The name is too long") : nil
    }
  }
#endif
