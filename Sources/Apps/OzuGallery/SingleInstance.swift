#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  /// One process for all windows of the gallery: a later start passes its files to the first process over the session bus.
  ///
  /// Without a bus each start is the first.
  @MainActor
  enum SingleInstance {
    /// Owns the name on the bus, as long as the process lives.
    private static var application: UnsafeMutablePointer<GApplication>?
    private static var onOpen: @MainActor ([URL]) -> Void = { _ in }

    /// Takes the name of the gallery on the bus, or passes the files to the process that has it.
    ///
    /// - Parameters:
    ///   - urls: the files of the command line; empty to bring the first process to the front.
    ///   - onOpen: called in the first process with the files of a later one.
    /// - Returns: whether this process is the first and must continue.
    static func isFirst(opening urls: [URL], onOpen: @escaping @MainActor ([URL]) -> Void) -> Bool {
      guard let application = g_application_new(Gallery.identifier, G_APPLICATION_HANDLES_OPEN) else {
        return true
      }
      self.application = application
      self.onOpen = onOpen
      let open:
        @convention(c) (
          UnsafeMutablePointer<GApplication>?, UnsafeMutablePointer<OpaquePointer?>?, gint,
          UnsafePointer<CChar>?, gpointer?
        ) -> Void = { _, files, count, _, _ in
          // GLib's loop runs on the main thread.
          MainActor.assumeIsolated {
            SingleInstance.onOpen((0..<Int(count)).compactMap { files?[$0].flatMap(SingleInstance.url) })
          }
        }
      // The signal's arguments are those of the function: the application, files, their number, a hint.
      g_signal_connect_data(
        application, "open", unsafeBitCast(open, to: GCallback.self), nil, nil,
        GConnectFlags(rawValue: 0))
      SignalSource(application).on("activate") { _ in SingleInstance.onOpen([]) }
      // An error means that the bus does not answer.
      guard g_application_register(application, nil, nil) != 0, g_application_get_is_remote(application) != 0
      else { return true }
      if urls.isEmpty {
        g_application_activate(application)
      } else {
        var files: [OpaquePointer?] = urls.map { g_file_new_for_path($0.path(percentEncoded: false)) }
        g_application_open(application, &files, gint(files.count), "")
        for file in files { g_object_unref(ObjectPointer(file!)) }
      }
      // The message must be sent before the process ends.
      if let bus = g_application_get_dbus_connection(application) {
        g_dbus_connection_flush_sync(bus, nil, nil)
      }
      return false
    }

    private static func url(_ file: OpaquePointer) -> URL? {
      guard let path = g_file_get_path(file) else { return nil }
      defer { g_free(path) }
      return URL(filePath: String(cString: path))
    }
  }
#endif
