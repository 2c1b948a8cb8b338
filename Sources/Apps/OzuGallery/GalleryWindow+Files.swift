#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// Opening files in a window, and moving them to the trash.
  extension GalleryWindow {
    // MARK: Dialogues

    func chooseFiles() {
      let filter = gtk_file_filter_new()!
      defer { g_object_unref(ObjectPointer(filter)) }
      gtk_file_filter_set_name(filter, tr("Pictures"))
      for suffix in ImageFormat.readEndings.sorted() { gtk_file_filter_add_suffix(filter, suffix) }
      choose(tr("Open Pictures"), filter) { [weak self] in self?.show(PictureSource(opening: $0)) }
    }

    func chooseFolder() {
      choose(tr("Open a Folder"), nil) { [weak self] in self?.show(PictureSource(opening: $0)) }
    }

    /// Asks for files, or for a folder if there is no filter.
    ///
    /// - Parameter action: called with what was chosen; not if that is nothing.
    func choose(
      _ title: String, _ filter: OpaquePointer?, _ action: @escaping @MainActor ([URL]) -> Void
    ) {
      let answer = Answer<[URL]> { [weak self] chosen in
        switch chosen {
        case .success([]): break
        case .success(let urls): action(urls)
        case .failure(let error): self?.toast.show(tr("Nothing can be opened: %1", error.message))
        }
      }
      ozu_choose_files(
        window, title, filter,
        { files, error, answer in
          let urls = files.map(GalleryWindow.urls) ?? []
          Answer<[URL]>.take(answer, error.map { .failure(DesktopError($0)) } ?? .success(urls))
        }, answer.retained())
    }

    private nonisolated static func urls(of files: OpaquePointer) -> [URL] {
      (0..<g_list_model_get_n_items(files)).compactMap { index in
        guard let file = g_list_model_get_item(files, index) else { return nil }
        defer { g_object_unref(file) }
        return url(of: OpaquePointer(file))
      }
    }

    private nonisolated static func url(of file: OpaquePointer) -> URL? {
      guard let path = g_file_get_path(file) else { return nil }
      defer { g_free(path) }
      return URL(filePath: String(cString: path))
    }

    // MARK: Dropping

    func acceptDrops() {
      let target = gtk_drop_target_new(gdk_file_list_get_type(), GDK_ACTION_COPY)!
      SignalSource(target).onDrop { [weak self] value in
        guard let list = g_value_get_boxed(value).map({ OpaquePointer($0) }) else { return false }
        var urls: [URL] = []
        let first = gdk_file_list_get_files(list)
        var entry = first
        while let present = entry {
          if let file = present.pointee.data, let url = Self.url(of: OpaquePointer(file)) { urls.append(url) }
          entry = present.pointee.next
        }
        g_slist_free(first)
        guard !urls.isEmpty else { return false }
        self?.show(PictureSource(opening: urls))
        return true
      }
      let content = gtk_window_get_child(window)!
      SignalSource(target).on("notify::current-drop") { target in
        toggle(content, "drop-here", gtk_drop_target_get_current_drop(OpaquePointer(target)) != nil)
      }
      gtk_widget_add_controller(content, target)
    }

    // MARK: The trash

    /// Removes the pictures from the window; their files go to the trash when the time to undo is over.
    func trash() {
      let items = subjects
      guard !items.isEmpty else { return }
      guard items.allSatisfy({ $0.file != nil }) else {
        return toast.show(tr("Only files of this machine can go to the trash"))
      }
      finishTurns()
      // Files that still wait are moved first.
      toast.finish()
      let number = showNumber
      let wasShowingDetail = isShowingDetail
      // From the last to the first, so that each position is right when its picture is put back.
      let removed = items.reversed().compactMap { item in grid.remove(item.name).map { (item, $0) } }
      leaving.formUnion(items.map(\.name))
      afterRemoval(wasShowingDetail)
      let text =
        items.count == 1
        ? tr("Moving “%1” to the trash", items[0].name)
        : tr("Moving %1 pictures to the trash", "\(items.count)")
      toast.show(
        text,
        undo: { [weak self] in
          guard let self else { return }
          putBack(removed)
          guard let position = grid.position(of: items[0].name) else { return }
          if isShowingDetail { open(at: position) } else { grid.select(position) }
        },
        end: { [weak self] in
          let files = items.compactMap(\.file)
          // A program that ends waits for it; else another thread does.
          if self?.isClosing ?? true {
            for file in files { _ = Trash.moveNow(file) }
            return
          }
          Task {
            let problems = await Trash.move(files)
            guard let self else { return }
            if self.showNumber == number {
              let failed = removed.filter { item, _ in item.file.map { problems[$0] != nil } ?? false }
              self.putBack(failed)
              let gone = Set(items.map(\.name)).subtracting(failed.map(\.0.name))
              self.leaving.subtract(gone)
              self.listing.pictures.removeAll { gone.contains($0.name) }
            }
            if let reason = problems.values.first {
              self.toast.show(tr("Not moved to the trash: %1", reason))
            }
          }
        })
    }

    private func putBack(_ removed: [(item: PictureItem, index: Int)]) {
      leaving.subtract(removed.map(\.item.name))
      for (item, index) in removed.reversed() { grid.insert(item, at: index) }
      updateTitle()
      updateStart()
    }

    func afterRemoval(_ wasShowingDetail: Bool) {
      if wasShowingDetail {
        if grid.count == 0 { closeDetail() } else { open(at: min(position, grid.count - 1)) }
      }
      updateTitle()
      updateStart()
    }

    func showInFolder() {
      guard let folder = subject?.file?.deletingLastPathComponent() else { return }
      let answer = Answer<Void> { [weak self] opened in
        if case .failure(let error) = opened {
          self?.toast.show(tr("The folder cannot be opened: %1", error.message))
        }
      }
      ozu_open_uri(
        window, folder.absoluteString,
        { source, result, answer in
          var error: UnsafeMutablePointer<GError>?
          let isOpened = ozu_open_uri_finish(source, result, &error) != 0
          defer { g_clear_error(&error) }
          Answer<Void>.take(answer, isOpened ? .success(()) : .failure(DesktopError(error)))
        }, answer.retained())
    }
  }

  /// Moves files to the trash of the desktop.
  enum Trash {
    /// Moves files to the trash.
    ///
    /// - Returns: the reasons why some could not be moved.
    @concurrent
    static func move(_ files: [URL]) async -> [URL: String] {
      files.reduce(into: [:]) { reasons, file in reasons[file] = moveNow(file) }
    }

    /// Moves a file on this thread, and with it what was said about the picture.
    ///
    /// - Returns: the reason why it could not be moved; `nil` when it was moved.
    /// - Complexity: waits for the file system. Do not call it on the main thread, unless the program ends.
    static func moveNow(_ url: URL) -> String? {
      let beside = Sidecar.own(of: url)
      if let reason = one(url) { return reason }
      if let beside { _ = one(beside) }
      return nil
    }

    private static func one(_ url: URL) -> String? {
      let file = g_file_new_for_path(url.path(percentEncoded: false))
      defer { g_object_unref(UnsafeMutableRawPointer(file)) }
      var error: UnsafeMutablePointer<GError>?
      guard g_file_trash(file, nil, &error) == 0 else { return nil }
      defer { g_error_free(error) }
      return DesktopError(error).message
    }
  }
#endif
