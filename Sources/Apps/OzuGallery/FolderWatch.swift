#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  /// Follows the changes of a folder: files that come, go and are written again. Several changes within a moment are one call.
  @MainActor
  final class FolderWatch {
    /// The `GFileMonitor`; owned.
    private let monitor: UnsafeMutablePointer<GFileMonitor>
    private var pending: Task<Void, Never>?

    /// How long changes are collected.
    private static let moment = Duration.milliseconds(250)

    /// Begins to follow a folder.
    ///
    /// - Returns: `nil` where the system cannot do that, such as for a folder that is gone.
    init?(_ folder: URL, onChange: @escaping @MainActor () -> Void) {
      let file = g_file_new_for_path(folder.path(percentEncoded: false))
      defer { g_object_unref(UnsafeMutableRawPointer(file)) }
      guard let monitor = g_file_monitor_directory(file, G_FILE_MONITOR_WATCH_MOVES, nil, nil) else {
        return nil
      }
      self.monitor = monitor
      g_file_monitor_set_rate_limit(monitor, 200)
      SignalSource(monitor).on("changed") { [weak self] _ in
        guard let self, pending == nil else { return }
        pending = Task { [weak self] in
          try? await Task.sleep(for: Self.moment)
          guard let self, !Task.isCancelled else { return }
          pending = nil
          onChange()
        }
      }
    }

    isolated deinit {
      pending?.cancel()
      g_file_monitor_cancel(monitor)
      g_object_unref(UnsafeMutableRawPointer(monitor))
    }
  }
#endif
