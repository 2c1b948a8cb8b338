#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// Actions on the files of the selected pictures: copying and moving, the trash, names, stars and other programs.
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
        button("object-rotate-right-symbolic", tr("Turn clockwise")) { [weak self] in self?.turns.turn(by: 1)
        },
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

    /// Waits for the turns and the stars whose writing was begun: a file that is moved meanwhile would come back at its old place, or
    /// its stars would stay there.
    private func written() async {
      await turns.written()
      await starWriting?.value
    }

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
      turns.finish()
      toast.finish()
      Gallery.work { [self] in
        await written()
        let result = await FileTransfer.run(
          kind, files.map { ($0, folder.appending(path: $0.lastPathComponent)) })
        guard !isClosing else { return }
        if kind == .move { dropMoved(result.done.map(\.from)) }
        reload()
        let (count, name) = (result.done.count, folder.lastPathComponent)
        // Those that were moved before the trouble can be brought back too.
        var undoing: (@MainActor () -> Void)?
        if kind == .move, count > 0 { undoing = { [weak self] in self?.undo(result.done) } }
        if let problem = result.problems.first { return toast.show(problem, undo: undoing) }
        switch (kind, count) {
        case (.copy, 1): toast.show(tr("Copied to “%1”", name))
        case (.copy, _): toast.show(tr("%1 pictures copied to “%2”", "\(count)", name))
        case (.move, _):
          let text =
            count == 1 ? tr("Moved to “%1”", name) : tr("%1 pictures moved to “%2”", "\(count)", name)
          toast.show(text, undo: undoing)
        }
      }
    }

    /// Takes moved files out of a list that is not a folder; a folder is read again. While they were moved, the user may have gone
    /// on to another picture, or back to the grid.
    private func dropMoved(_ files: [URL]) {
      guard listing.folder == nil else { return }
      let moved = listing.pictures.filter { $0.file.map(files.contains) ?? false }
      let hasLarge = keepingPlace { for item in moved { _ = grid.list.remove(item.name) } }
      listing.pictures.removeAll { $0.file.map(files.contains) ?? false }
      afterRemoval(!hasLarge)
    }

    private func undo(_ moves: [FileTransfer.Pair]) {
      turns.finish()
      Gallery.work { [self] in
        await written()
        let result = await FileTransfer.run(.move, moves.map { ($0.to, $0.from) })
        guard !isClosing else { return }
        if let problem = result.problems.first { toast.show(problem) }
        follow(result.done)
        reload()
      }
    }

    /// Saves the visible part of the large picture as a file beside it.
    func savePart() {
      guard isShowingDetail, let file = subject?.file, let geometry = detail.zoom.model.geometry else {
        return
      }
      let part = PartCopy.rectangle(of: geometry.visible, in: geometry.pictureSize)
      let quarters = detail.quarterTurns
      saveCopy { [pipeline] in
        try await PartCopy.write(part, of: file, turnedBy: quarters, pipeline)
      }
    }

    /// Asks by which angle the picture is to be turned, and saves it as a file beside it.
    func straighten() {
      guard subjects.count == 1, let item = subject, let file = item.file else { return }
      turns.finish()
      StraightenWindow.open(over: window, item, pipeline) { [weak self] degrees in
        guard let self else { return }
        saveCopy { [pipeline] in
          try await PartCopy.write(file, [Straighten(degrees: degrees)], named: tr("straightened"), pipeline)
        }
      }
    }

    /// Says under which name a copy was saved, which can be undone, or why it was not.
    private func saveCopy(_ write: @escaping @MainActor () async throws -> URL) {
      Gallery.work { [self] in
        do {
          let copy = try await write()
          guard !isClosing else { return }
          toast.show(
            tr("Saved as “%1”", copy.lastPathComponent),
            undo: { [weak self] in
              // The window may close, and the copy goes all the same.
              let window = self
              Gallery.work {
                let reason = await Trash.move([copy])[copy]
                guard let reason, let window, !window.isClosing else { return }
                window.toast.show(tr("Not moved to the trash: %1", reason))
              }
            })
        } catch {
          guard !isClosing else { return }
          let reason = (error as? ImageError)?.explanation ?? error.localizedDescription
          toast.show(tr("The copy cannot be saved: %1", reason))
        }
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
      turns.finish()
      let new = file.deletingLastPathComponent().appending(path: name, directoryHint: .notDirectory)
      Gallery.work { [self] in
        await written()
        let result = await FileTransfer.run(.move, [(file, new)])
        guard !isClosing else { return }
        if let problem = result.problems.first { return toast.show(problem) }
        renamed[item.name] = name
        follow(result.done)
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
        grid.list.change(item.name) { $0.rating = rating }
        grid.refresh(item.name)
        if let index = listing.pictures.firstIndex(where: { $0.name == item.name }) {
          listing.pictures[index].rating = rating
        }
      }
      let before = starWriting
      starWriting = Gallery.work { [self] in
        // One after the other: Undo would pass by the files that are not written yet.
        await before?.value
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

    func printPictures() {
      let items = subjects
      guard !items.isEmpty else { return }
      turns.finish()
      Printing(items, pipeline).run(over: window) { [weak self] problem in
        if let problem { self?.toast.show(tr("Not printed: %1", problem)) }
      }
    }

    /// Asks the desktop to do something with the files of the subjects.
    func ask(_ request: Portal.Request) {
      let files = subjects.compactMap(\.file)
      guard !files.isEmpty else { return }
      turns.finish()
      Portal.ask(request, files, over: exported) { [weak self] outcome in self?.tell(request, outcome) }
    }

    private func tell(_ request: Portal.Request, _ outcome: Portal.Outcome) {
      guard !isClosing else { return }
      switch (request, outcome) {
      case (.wallpaper, .done): toast.show(tr("The wallpaper is set"))
      case (.email, .done), (.open, .done), (_, .cancelled): break
      case (.wallpaper, .missing): toast.show(tr("This desktop lets no program set the wallpaper"))
      case (.email, .missing): toast.show(tr("This desktop has no way to send pictures"))
      case (.open, .missing): toast.show(tr("This desktop has no list of programs"))
      case (.wallpaper, .failed(let reason)): toast.show(tr("The wallpaper is not set: %1", reason))
      case (.email, .failed(let reason)): toast.show(tr("The pictures cannot be sent: %1", reason))
      case (.open, .failed(let reason)): toast.show(tr("The program cannot be started: %1", reason))
      }
    }

    // MARK: The trash

    /// Removes the pictures from the window; their files go to the trash when the time to undo is over.
    func trash() {
      let items = subjects
      guard !items.isEmpty else { return }
      guard items.allSatisfy({ $0.file != nil }) else {
        return toast.show(tr("Only files of this machine can go to the trash"))
      }
      turns.finish(isTold: false)
      // Files that still wait are moved first.
      toast.finish()
      let number = showNumber
      let wasShowingDetail = isShowingDetail
      // From the last to the first, so that each position is right when its picture is put back.
      let removed = items.reversed().compactMap { item in grid.list.remove(item.name).map { (item, $0) } }
      leaving.formUnion(items.compactMap(\.file))
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
          guard let position = grid.list.position(of: items[0].name) else { return }
          if isShowingDetail { open(at: position) } else { grid.select(position) }
        },
        end: { [weak self] in
          let files = items.compactMap(\.file)
          // The window may close, and its files are moved all the same.
          let window = self
          Gallery.work {
            await window?.written()
            let problems = await Trash.move(files)
            guard let window, !window.isClosing else { return }
            window.leaving.subtract(files)
            if window.showNumber == number {
              let failed = removed.filter { item, _ in item.file.map { problems[$0] != nil } ?? false }
              window.putBack(failed)
              let gone = Set(items.map(\.name)).subtracting(failed.map(\.0.name))
              window.listing.pictures.removeAll { gone.contains($0.name) }
            } else if !problems.isEmpty {
              // The folder may be shown again, without the files that stay.
              window.reload()
            }
            if let reason = problems.values.first {
              window.toast.show(tr("Not moved to the trash: %1", reason))
            }
          }
        })
    }

    private func putBack(_ removed: [(item: PictureItem, index: Int)]) {
      leaving.subtract(removed.compactMap(\.item.file))
      keepingPlace { for (item, index) in removed.reversed() { grid.list.insert(item, at: index) } }
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
#endif
