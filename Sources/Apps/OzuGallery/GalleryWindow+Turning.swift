#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// Turning pictures, in the view at once and in their files after a moment.
  extension GalleryWindow {
    /// Turns the subjects clockwise by quarters.
    func turn(by quarters: Int) {
      let items = subjects
      guard !items.isEmpty else { return }
      if isShowingDetail { detail.quarterTurns += quarters }
      for item in items where item.file != nil { turned[item.name, default: 0] += quarters }
      if isShowingDetail { waitToTurn() } else { finishTurns() }
    }

    /// Writes what was turned, when nothing has been turned for a moment and the picture is visible as a whole: it is shown
    /// anew then.
    private func waitToTurn() {
      turnTimer?.cancel()
      turnTimer = Task { [weak self] in
        try? await Task.sleep(for: Gallery.turnDelay)
        guard let self, !Task.isCancelled else { return }
        if isShowingDetail, !detail.zoom.isFitted { waitToTurn() } else { finishTurns() }
      }
    }

    /// Writes what was turned now.
    func finishTurns() {
      turnTimer?.cancel()
      turnTimer = nil
      let turns = turned.filter { !$0.value.isMultiple(of: 4) }
      turned = [:]
      let items = turns.compactMap { name, quarters in
        listing.pictures.first { $0.name == name }.map { ($0, quarters) }
      }
      guard !items.isEmpty else { return }
      if isClosing {
        for (item, quarters) in items { _ = item.file.map { TurnedFile.writeNow($0, quarters) } }
      } else {
        write(items, canUndo: true)
      }
    }

    private func write(_ turns: [(item: PictureItem, quarters: Int)], canUndo: Bool) {
      let before = turnTask
      let number = showNumber
      turnTask = Task {
        // One after the other: a turn back must find what the turn has written.
        await before?.value
        var done: [(item: PictureItem, quarters: Int)] = []
        var reason: String?
        for (item, quarters) in turns {
          guard let file = item.file else { continue }
          if let problem = await TurnedFile.write(file, quarters) {
            reason = "“\(item.name)”: \(problem)"
            continue
          }
          await pipeline.removeImage(for: ImageRequest(item.source))
          done.append((item, quarters))
          if number == showNumber { await showTurned(item, by: quarters) }
        }
        guard !isClosing else { return }
        if let reason { return toast.show(tr("Not turned in the file: %1", reason)) }
        guard canUndo, number == showNumber else { return }
        let text =
          done.count == 1 ? tr("“%1” turned", done[0].item.name) : tr("%1 pictures turned", "\(done.count)")
        toast.show(
          text, undo: { [weak self] in self?.write(done.map { ($0.item, -$0.quarters) }, canUndo: false) })
      }
    }

    /// Shows a picture from its turned file, in the grid and large. Until its pixels have come, those that are there are turned.
    private func showTurned(_ old: PictureItem, by quarters: Int) async {
      var item = old
      item.stamp = old.file.flatMap { PictureStamp($0) }
      if let index = listing.pictures.firstIndex(where: { $0.name == old.name }) {
        listing.pictures[index].stamp = item.stamp
      }
      grid.change(old.name) { $0.stamp = item.stamp }
      grid.refresh(old.name)
      filmstrip.refresh(old.name)
      guard isShowingDetail, grid.item(at: position)?.name == old.name else { return }
      let picture = await Self.turned(detail.images.picture, by: quarters)
      guard isShowingDetail, grid.item(at: position)?.name == old.name else { return }
      detail.show(item, style: grid.style, thumbnail: picture)
      detail.quarterTurns = turned[old.name] ?? 0
    }

    @concurrent
    private static func turned(_ picture: Picture?, by quarters: Int) async -> Picture? {
      guard let picture else { return nil }
      let orientation = OrientedFile.orientation(.up, turnedBy: quarters)
      return Picture(picture.bitmap.upright(from: orientation))
    }
  }

  /// Turns the picture of a file.
  enum TurnedFile {
    /// Larger files are not taken into memory to be turned.
    private static let largest = 512 << 20

    /// Turns it clockwise by quarters, on another thread.
    ///
    /// - Returns: the reason why it was not turned.
    @concurrent
    static func write(_ file: URL, _ quarters: Int) async -> String? { writeNow(file, quarters) }

    /// The same on this thread.
    ///
    /// - Complexity: waits for the file system. Do not call it on the main thread, unless the program ends.
    static func writeNow(_ file: URL, _ quarters: Int) -> String? {
      guard let stamp = PictureStamp(file), stamp.byteCount <= largest else {
        return tr("the file is too large")
      }
      do {
        let data = try OrientedFile.turned(Data(contentsOf: file), by: quarters)
        return replace(file, by: data)
      } catch let failure as OrientedFile.Failure {
        switch failure {
        case .damaged: return tr("the file is damaged")
        case .format(let type):
          return tr("%1 files cannot keep a turn", type?.displayName ?? file.pathExtension)
        }
      } catch {
        return error.localizedDescription
      }
    }

    /// Replaces the content of a file, completely or not at all. It keeps its owner, its permissions and its links.
    private static func replace(_ file: URL, by data: Data) -> String? {
      let target = g_file_new_for_path(file.path(percentEncoded: false))
      defer { g_object_unref(UnsafeMutableRawPointer(target)) }
      var error: UnsafeMutablePointer<GError>?
      defer { g_clear_error(&error) }
      let isWritten = data.withUnsafeBytes { bytes in
        // GIO has written the bytes when it returns.
        g_file_replace_contents(
          target, bytes.bindMemory(to: CChar.self).baseAddress, gsize(bytes.count), nil, 0,
          G_FILE_CREATE_NONE,
          nil, nil, &error)
      }
      return isWritten != 0 ? nil : DesktopError(error).message
    }
  }
#endif
