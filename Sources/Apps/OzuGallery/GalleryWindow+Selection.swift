#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// Actions on the selected pictures: copying and moving their files, the trash, stars, names and other programs.
  extension GalleryWindow {
    /// The pictures for actions: the large one, else the selected ones.
    var subjects: [PictureItem] {
      isShowingDetail ? [grid.item(at: position)].compactMap(\.self) : grid.selectedItems
    }

    func selectAll() { grid.selectAll() }

    /// The bar below the grid while pictures are selected.
    func selectionBar() -> Widget {
      let bar: Widget = gtk_action_bar_new()
      let packed = [
        button("edit-clear-symbolic", tr("Select nothing")) { [weak self] in self?.grid.unselectAll() },
        selectionLabel,
      ]
      for widget in packed { gtk_action_bar_pack_start(OpaquePointer(bar), widget) }
      let buttons = [
        button("user-trash-symbolic", tr("Move to trash")) { [weak self] in self?.trash() },
        button("folder-symbolic", tr("Move to a folder")) { [weak self] in self?.transfer(.move) },
        button("edit-copy-symbolic", tr("Copy to a folder")) { [weak self] in self?.transfer(.copy) },
        button("object-rotate-right-symbolic", tr("Turn clockwise")) { [weak self] in self?.turn(by: 1) },
      ]
      for button in buttons { gtk_action_bar_pack_end(OpaquePointer(bar), button) }
      gtk_action_bar_set_revealed(OpaquePointer(bar), 0)
      return bar
    }

    /// Shows how many pictures are selected.
    func updateSelection() {
      let count = grid.selectedItems.count
      let isShown = !isShowingDetail && (count > 1 || (count == 1 && grid.isSelecting))
      gtk_label_set_text(OpaquePointer(selectionLabel), tr("%1 selected", "\(count)"))
      gtk_action_bar_set_revealed(OpaquePointer(actionBar), isShown ? 1 : 0)
    }

    // MARK: Copying and moving

    /// Asks for a folder, and copies or moves the files of the subjects into it.
    func transfer(_ kind: FileTransfer.Kind) {
      let files = subjects.compactMap(\.file)
      guard !files.isEmpty else {
        return toast.show(tr("Only files of this machine can be copied and moved"))
      }
      let title = kind == .copy ? tr("Copy to a Folder") : tr("Move to a Folder")
      choose(title, nil) { [weak self] urls in
        if let folder = urls.first { self?.transfer(files, kind, to: folder) }
      }
    }

    /// Copies or moves files into a folder; moving can be undone.
    func transfer(_ files: [URL], _ kind: FileTransfer.Kind, to folder: URL) {
      finishTurns()
      toast.finish()
      let wasShowingDetail = isShowingDetail
      Task {
        let result = await FileTransfer.run(
          kind, files.map { ($0, folder.appending(path: $0.lastPathComponent)) })
        guard !isClosing else { return }
        if kind == .move { dropMoved(result.done.map(\.from), wasShowingDetail) }
        reload()
        let (count, name) = (result.done.count, folder.lastPathComponent)
        if let problem = result.problems.first {
          return toast.show(problem)
        }
        switch (kind, count) {
        case (.copy, 1): toast.show(tr("Copied to “%1”", name))
        case (.copy, _): toast.show(tr("%1 pictures copied to “%2”", "\(count)", name))
        case (.move, _):
          let text =
            count == 1 ? tr("Moved to “%1”", name) : tr("%1 pictures moved to “%2”", "\(count)", name)
          toast.show(text, undo: { [weak self] in self?.undo(result.done) })
        }
      }
    }

    /// Takes moved files out of a list that is not a folder; a folder is read again.
    private func dropMoved(_ files: [URL], _ wasShowingDetail: Bool) {
      guard listing.folder == nil else { return }
      for item in listing.pictures where item.file.map(files.contains) ?? false { _ = grid.remove(item.name) }
      listing.pictures.removeAll { $0.file.map(files.contains) ?? false }
      afterRemoval(wasShowingDetail)
    }

    private func undo(_ moves: [FileTransfer.Pair]) {
      Task {
        let result = await FileTransfer.run(.move, moves.map { ($0.to, $0.from) })
        guard !isClosing else { return }
        if let problem = result.problems.first { toast.show(problem) }
        reload()
      }
    }

    // MARK: The name

    func rename() {
      guard let item = subject, subjects.count == 1, let file = item.file else { return }
      RenameWindow.open(over: window, file.lastPathComponent) { [weak self] name in
        self?.rename(item, to: name)
      }
    }

    /// Gives the file of a picture another name; it can be undone.
    func rename(_ item: PictureItem, to name: String) {
      guard let file = item.file, name != file.lastPathComponent else { return }
      finishTurns()
      let new = file.deletingLastPathComponent().appending(path: name, directoryHint: .notDirectory)
      Task {
        let result = await FileTransfer.run(.move, [(file, new)])
        guard !isClosing else { return }
        if let problem = result.problems.first { return toast.show(problem) }
        renamed[item.name] = name
        reload()
        toast.show(
          tr("Renamed to “%1”", name),
          undo: { [weak self] in
            self?.renamed[name] = item.name
            self?.undo(result.done)
          })
      }
    }

    // MARK: Stars

    /// Sets the stars of the subjects, in files beside them.
    func rate(_ rating: Int) {
      let items = subjects.filter { $0.file != nil }
      guard !items.isEmpty else { return }
      let before = items.map { ($0, $0.rating) }
      set(items.map { ($0, rating) })
      let stars = rating == 0 ? tr("No stars") : String(repeating: "★", count: rating)
      toast.show(stars, undo: { [weak self] in self?.set(before) })
    }

    private func set(_ ratings: [(item: PictureItem, rating: Int)]) {
      for (item, rating) in ratings {
        grid.change(item.name) { $0.rating = rating }
        grid.refresh(item.name)
        if let index = listing.pictures.firstIndex(where: { $0.name == item.name }) {
          listing.pictures[index].rating = rating
        }
      }
      Task {
        let reason = await Self.write(
          ratings.compactMap { item, rating in item.file.map { ($0, rating) } })
        guard !isClosing else { return }
        if let reason { toast.show(tr("The stars cannot be written: %1", reason)) }
        reload()
      }
    }

    @concurrent
    private static func write(_ ratings: [(file: URL, rating: Int)]) async -> String? {
      var reason: String?
      for (file, rating) in ratings {
        do { try Sidecar.setRating(rating, of: file) } catch { reason = error.localizedDescription }
      }
      return reason
    }

    // MARK: Other programs

    /// Opens the files of the subjects in another program.
    func open(with id: String) {
      let files = subjects.compactMap(\.file)
      if let reason = Programs.open(files, with: id) {
        toast.show(tr("The program cannot be started: %1", reason))
      }
    }
  }

  /// Copies and moves files; a file that there is already is never replaced.
  enum FileTransfer {
    /// Copying or moving.
    enum Kind: Sendable { case copy, move }

    /// Where a file was and is now.
    typealias Pair = (from: URL, to: URL)

    /// - Returns: the files that were copied or moved, and why others were not.
    @concurrent
    static func run(_ kind: Kind, _ pairs: [Pair]) async -> (done: [Pair], problems: [String]) {
      var (done, problems) = ([Pair](), [String]())
      for (from, to) in pairs {
        if let reason = one(kind, from, to) {
          problems.append("“\(from.lastPathComponent)”: \(reason)")
          continue
        }
        done.append((from, to))
        // What was said about a picture goes with it.
        guard let beside = Sidecar.own(of: from) else { continue }
        _ = one(kind, beside, to.deletingLastPathComponent().appending(path: to.lastPathComponent + ".xmp"))
      }
      return (done, problems)
    }

    /// - Returns: the reason why it could not be done.
    private static func one(_ kind: Kind, _ from: URL, _ to: URL) -> String? {
      let (source, target) = (
        g_file_new_for_path(from.path(percentEncoded: false)),
        g_file_new_for_path(to.path(percentEncoded: false))
      )
      defer {
        g_object_unref(UnsafeMutableRawPointer(source))
        g_object_unref(UnsafeMutableRawPointer(target))
      }
      var error: UnsafeMutablePointer<GError>?
      let isDone =
        switch kind {
        case .copy: g_file_copy(source, target, G_FILE_COPY_NONE, nil, nil, nil, &error)
        case .move: g_file_move(source, target, G_FILE_COPY_NONE, nil, nil, nil, &error)
        }
      defer { g_clear_error(&error) }
      return isDone != 0 ? nil : DesktopError(error).message
    }
  }

  /// The programs of the desktop that open pictures.
  @MainActor
  enum Programs {
    /// The programs that open files like the first of some, the usual one first; the gallery is not among them.
    static func opening(_ files: [URL]) -> [(name: String, id: String)] {
      guard let file = files.first,
        let type = g_content_type_guess(file.path(percentEncoded: false), nil, 0, nil)
      else { return [] }
      defer { g_free(type) }
      var programs: [(name: String, id: String)] = []
      forEach(g_app_info_get_recommended_for_type(type)) { program, id in
        guard id != "\(Gallery.identifier).desktop", let name = g_app_info_get_display_name(program) else {
          return
        }
        programs.append((String(cString: name), id))
      }
      return programs
    }

    /// Calls a closure with each program of a list and its identifier, and frees the list.
    private static func forEach(_ list: UnsafeMutablePointer<GList>?, _ body: (OpaquePointer, String) -> Void)
    {
      var entry = list
      while let present = entry {
        if let program = present.pointee.data.map({ OpaquePointer($0) }), let id = g_app_info_get_id(program)
        {
          body(program, String(cString: id))
        }
        entry = present.pointee.next
      }
      g_list_free_full(list) { g_object_unref($0!) }
    }

    /// Opens files with a program.
    ///
    /// - Returns: the reason why it could not be started.
    static func open(_ files: [URL], with id: String) -> String? {
      var found: OpaquePointer?
      forEach(g_app_info_get_all()) { program, other in
        guard other == id, found == nil else { return }
        g_object_ref(ObjectPointer(program))
        found = program
      }
      guard let program = found else { return id }
      defer { g_object_unref(ObjectPointer(program)) }
      var list: UnsafeMutablePointer<GList>?
      for file in files.reversed() {
        list = g_list_prepend(list, ObjectPointer(g_file_new_for_path(file.path(percentEncoded: false))))
      }
      defer { g_list_free_full(list, { g_object_unref($0!) }) }
      var error: UnsafeMutablePointer<GError>?
      defer { g_clear_error(&error) }
      return g_app_info_launch(program, list, nil, &error) != 0 ? nil : DesktopError(error).message
    }
  }

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
      let widget: Widget = gtk_window_new()
      let window = cast(widget, to: GtkWindow.self)
      gtk_window_set_title(window, tr("Rename"))
      gtk_window_set_transient_for(window, parent)
      gtk_window_set_modal(window, 1)
      gtk_window_set_resizable(window, 0)
      let entry: Widget = gtk_entry_new()
      setLabel(entry, tr("New name"))
      gtk_editable_set_text(OpaquePointer(entry), name)
      gtk_editable_set_width_chars(OpaquePointer(entry), 30)
      let problem = label("", "dim-label")
      let rename: Widget = gtk_button_new_with_mnemonic(tr("_Rename"))
      gtk_widget_add_css_class(rename, "suggested-action")
      let header: Widget = gtk_header_bar_new()
      gtk_header_bar_pack_end(OpaquePointer(header), rename)
      gtk_window_set_titlebar(window, header)
      let content = box(GTK_ORIENTATION_VERTICAL, spacing: 6, [entry, problem])
      setMargins(content, 18)
      gtk_window_set_child(window, content)
      PropertiesWindow.closeByEscape(window)
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
