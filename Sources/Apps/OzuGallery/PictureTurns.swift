#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// The turns of a window's pictures: in the view at once, and in their files after a moment.
  @MainActor
  final class PictureTurns {
    private weak var window: GalleryWindow?
    /// The turns that are not written yet, in quarters, by the names of the pictures.
    private var waiting: [String: Int] = [:]
    private var timer: Task<Void, Never>?
    /// The writing that was begun last.
    private var writing: Task<Void, Never>?

    init(_ window: GalleryWindow) { self.window = window }

    /// Whether a picture was turned and is not written yet.
    func isWaiting(_ name: String) -> Bool { waiting[name] != nil }

    /// Turns the subjects of the window clockwise by quarters.
    func turn(by quarters: Int) {
      guard let window else { return }
      let items = window.subjects
      guard !items.isEmpty else { return }
      if window.isShowingDetail { window.detail.quarterTurns += quarters }
      for item in items where item.file != nil { waiting[item.name, default: 0] += quarters }
      if window.isShowingDetail { wait() } else { finish() }
    }

    /// Ends the wait without writing, because the window is gone.
    func cancel() { timer?.cancel() }

    /// Writes what was turned, when nothing has been turned for a moment and the picture is visible as a whole: it is shown
    /// anew then.
    private func wait() {
      timer?.cancel()
      timer = Task { [weak self] in
        try? await Task.sleep(for: Gallery.turnDelay)
        guard let self, let window, !Task.isCancelled else { return }
        if window.isShowingDetail, !window.detail.zoom.isFitted { wait() } else { finish() }
      }
    }

    /// Writes what was turned now.
    ///
    /// - Parameter isTold: whether a message tells the outcome; it would end the time to undo of another one.
    func finish(isTold: Bool = true) {
      timer?.cancel()
      timer = nil
      let turns = waiting.filter { !$0.value.isMultiple(of: 4) }
      waiting = [:]
      guard let window else { return }
      let items = turns.compactMap { name, quarters in
        window.listing.pictures.first { $0.name == name }.map { ($0, quarters) }
      }
      if !items.isEmpty { write(items, canUndo: isTold, isTold: isTold) }
    }

    /// Waits for the files whose writing was begun.
    func written() async { await writing?.value }

    private func write(_ turns: [(item: PictureItem, quarters: Int)], canUndo: Bool, isTold: Bool = true) {
      guard let window else { return }
      let (before, number) = (writing, window.showNumber)
      writing = Gallery.work { [weak self] in
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
          await window.pipeline.removeImage(for: ImageRequest(item.source))
          done.append((item, quarters))
          if number == window.showNumber { await self?.show(item, turnedBy: quarters) }
        }
        // A message would end the time to undo of one about the trash.
        guard isTold, !window.isClosing, !window.toast.holdsFiles else { return }
        var undoing: (@MainActor () -> Void)?
        if canUndo, number == window.showNumber, !done.isEmpty {
          let back: [(item: PictureItem, quarters: Int)] = done.map { ($0.item, -$0.quarters) }
          undoing = { [weak self] in self?.write(back, canUndo: false) }
        }
        if let reason { return window.toast.show(tr("Not turned in the file: %1", reason), undo: undoing) }
        guard undoing != nil else { return }
        let text =
          done.count == 1 ? tr("“%1” turned", done[0].item.name) : tr("%1 pictures turned", "\(done.count)")
        window.toast.show(text, undo: undoing)
      }
    }

    /// Shows a picture from its turned file, in the grid and large. Until its pixels have come, those that are there are turned.
    private func show(_ old: PictureItem, turnedBy quarters: Int) async {
      guard let window else { return }
      var item = old
      item.stamp = old.file.flatMap { PictureStamp($0) }
      if let index = window.listing.pictures.firstIndex(where: { $0.name == old.name }) {
        window.listing.pictures[index].stamp = item.stamp
      }
      window.grid.list.change(old.name) { $0.stamp = item.stamp }
      window.grid.refresh(old.name)
      window.filmstrip.refresh(old.name)
      let isLarge = { window.isShowingDetail && window.grid.item(at: window.position)?.name == old.name }
      guard isLarge() else { return }
      let picture = await Self.turned(window.detail.images.picture, by: quarters)
      guard isLarge() else { return }
      // A picture of the same source would stay until the new one has come, not turned.
      window.detail.clear()
      window.detail.show(item, thumbnail: picture)
      window.detail.quarterTurns = waiting[old.name] ?? 0
    }

    @concurrent
    private static func turned(_ picture: Picture?, by quarters: Int) async -> Picture? {
      guard let picture else { return nil }
      var header = picture.header
      let former = header?.orientation ?? .up
      header?.orientation = OrientedFile.orientation(former, turnedBy: quarters)
      let turn = OrientedFile.orientation(.up, turnedBy: quarters)
      return Picture(picture.bitmap.upright(from: turn), header: header)
    }
  }

  enum TurnedFile {
    /// Larger files are not taken into memory to be turned.
    private static let largest = 512 << 20

    /// Turns it clockwise by quarters, on another thread.
    ///
    /// - Returns: the reason why it was not turned.
    @concurrent
    static func write(_ file: URL, _ quarters: Int) async -> String? {
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

    /// Replaces the content of a file, completely or not at all. It keeps its owner, its permissions and its links. Only a file with
    /// several names of its own (hard links) is written in its place.
    private static func replace(_ file: URL, by data: Data) -> String? {
      // Through a symbolic link GIO would write in place, and a full disk would cut the picture off.
      guard let path = realpath(file.path(percentEncoded: false), nil) else {
        return String(cString: strerror(errno))
      }
      defer { free(path) }
      let target = g_file_new_for_path(path)
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
