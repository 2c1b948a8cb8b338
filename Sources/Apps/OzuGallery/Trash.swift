#if GTK
  import CGTK
  import Foundation
  import OzuGTK

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
