#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  /// One process for all windows of the gallery: a later start hands its files to the first one over the session's bus.
  ///
  /// Without a bus each start is the first.
  @MainActor
  enum SingleInstance {
    /// Lives as long as the process: it owns the name on the bus.
    private static var application: UnsafeMutablePointer<GApplication>?
    private static var onOpen: @MainActor ([URL]) -> Void = { _ in }

    /// Takes the name of the gallery on the bus, or hands the files to the process that has it.
    ///
    /// - Parameters:
    ///   - urls: what the command line names; nothing to bring the first process forward.
    ///   - onOpen: called in the first process with what later ones were started with.
    /// - Returns: whether this process is the first, which goes on.
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
      // An error means that there is a bus and it does not answer.
      guard g_application_register(application, nil, nil) != 0, g_application_get_is_remote(application) != 0
      else { return true }
      if urls.isEmpty {
        g_application_activate(application)
      } else {
        var files: [OpaquePointer?] = urls.map { g_file_new_for_path($0.path(percentEncoded: false)) }
        g_application_open(application, &files, gint(files.count), "")
        for file in files { g_object_unref(ObjectPointer(file!)) }
      }
      // The message is on its way when the process ends.
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
