#if GTK
  import CGTK
  import Foundation

  /// Copies and moves files; a file that there is already is never replaced.
  enum FileTransfer {
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

  /// Moves files to the trash of the desktop.
  enum Trash {
    /// Moves files to the trash, and with each what was said about its picture.
    ///
    /// - Returns: the reasons why some could not be moved.
    @concurrent
    static func move(_ files: [URL]) async -> [URL: String] {
      files.reduce(into: [:]) { reasons, file in
        let beside = Sidecar.own(of: file)
        reasons[file] = one(file)
        if let beside, reasons[file] == nil { _ = one(beside) }
      }
    }

    /// - Returns: the reason why it could not be moved; `nil` when it was moved.
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
