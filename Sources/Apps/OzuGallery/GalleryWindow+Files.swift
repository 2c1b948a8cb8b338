#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// Opening files in a window, and moving them to the trash.
  extension GalleryWindow {
    /// Shows the pictures of a source. Folders are read on another thread.
    public func show(_ source: PictureSource) {
      showNumber += 1
      let number = showNumber
      Task {
        do {
          let items = try await Self.items(of: source)
          // The user may have opened something else in the meantime.
          guard number == showNumber else { return }
          show(items, title: source.title)
          if let first = source.first, let position = grid.position(of: first) { open(at: position) }
        } catch {
          guard number == showNumber else { return }
          show([], title: source.title)
          say("Cannot Be Opened", error.localizedDescription)
        }
      }
    }

    @concurrent
    private static func items(of source: PictureSource) async throws -> [PictureItem] { try source.items() }

    // MARK: Dialogues

    func chooseFiles() {
      let filter = gtk_file_filter_new()!
      defer { g_object_unref(ObjectPointer(filter)) }
      gtk_file_filter_set_name(filter, "Pictures")
      for suffix in ImageFormat.readEndings.sorted() { gtk_file_filter_add_suffix(filter, suffix) }
      choose("Open Pictures", filter)
    }

    func chooseFolder() { choose("Open a Folder", nil) }

    private func choose(_ title: String, _ filter: OpaquePointer?) {
      let answer = Answer<[URL]> { [weak self] chosen in
        switch chosen {
        case .success([]): break
        case .success(let urls): self?.show(PictureSource(opening: urls))
        case .failure(let error): self?.toast.show("Nothing can be opened: \(error.message)")
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

    /// Removes the picture from the window; its file goes to the trash when the time to undo is over.
    func trash() {
      guard let item = subject else { return }
      guard let file = item.file else { return toast.show("Only files of this machine can go to the trash") }
      // A file that still waits is moved first.
      toast.finish()
      let number = showNumber
      let wasShowingDetail = isShowingDetail
      guard let index = grid.remove(item.name) else { return }
      afterRemoval(wasShowingDetail)
      toast.show(
        "“\(item.name)” moved to the trash",
        undo: { [weak self] in
          guard let self else { return }
          putBack(item, at: index)
          guard let position = grid.position(of: item.name) else { return }
          if isShowingDetail { open(at: position) } else { grid.select(position) }
        },
        end: { [weak self] in
          // A program that ends waits for it; else another thread does.
          if self?.isClosing ?? true {
            _ = Trash.moveNow(file)
            return
          }
          Task {
            guard let reason = await Trash.move(file) else { return }
            if self?.showNumber == number { self?.putBack(item, at: index) }
            self?.toast.show("Not moved to the trash: \(reason)")
          }
        })
    }

    private func putBack(_ item: PictureItem, at index: Int) {
      grid.insert(item, at: index)
      updateTitle()
      updateStart()
    }

    private func afterRemoval(_ wasShowingDetail: Bool) {
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
          self?.toast.show("The folder cannot be opened: \(error.message)")
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
    /// Moves a file to the trash.
    ///
    /// - Returns: the reason why it could not be moved; `nil` when it was moved.
    @concurrent
    static func move(_ url: URL) async -> String? { moveNow(url) }

    /// The same on this thread.
    ///
    /// - Complexity: waits for the file system. Do not call it on the main thread, unless the program ends.
    static func moveNow(_ url: URL) -> String? {
      let file = g_file_new_for_path(url.path(percentEncoded: false))
      defer { g_object_unref(UnsafeMutableRawPointer(file)) }
      var error: UnsafeMutablePointer<GError>?
      guard g_file_trash(file, nil, &error) == 0 else { return nil }
      defer { g_error_free(error) }
      return DesktopError(error).message
    }
  }
#endif
