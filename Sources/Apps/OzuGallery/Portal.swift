#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  /// Requests to the desktop by its portals (org.freedesktop.portal.*), which ask the user and work in a sandbox too.
  ///
  /// A request is a call that is answered with the path of an object, whose signal `Response` comes when the user has decided.
  @MainActor
  package final class Portal {
    /// What can be asked for.
    package enum Request: Sendable {
      /// To show a picture behind all windows.
      case wallpaper
      /// To write a message to which files are attached.
      case email
      /// To open a file with a program that the user chooses.
      case open

      var interface: String {
        switch self {
        case .open: "org.freedesktop.portal.OpenURI"
        case .wallpaper: "org.freedesktop.portal.Wallpaper"
        case .email: "org.freedesktop.portal.Email"
        }
      }

      var method: String {
        switch self {
        case .wallpaper: "SetWallpaperFile"
        case .email: "ComposeEmail"
        case .open: "OpenFile"
        }
      }

      /// The arguments in GVariant's notation. Files are numbers of descriptors that go with the message. The name of the window
      /// and the token have no quotes in them.
      func arguments(fileCount: Int, parent: String, token: String) -> String {
        let handles = (0..<fileCount).map { "handle \($0)" }
        return switch self {
        case .wallpaper:
          "('\(parent)', \(handles.first ?? ""), {'handle_token': <'\(token)'>, 'show-preview': <true>, 'set-on': <'background'>})"
        case .email:
          "('\(parent)', {'handle_token': <'\(token)'>, 'attachment_fds': <[\(handles.joined(separator: ", "))]>})"
        case .open:
          "('\(parent)', \(handles.first ?? ""), {'handle_token': <'\(token)'>, 'ask': <true>})"
        }
      }
    }

    package enum Outcome: Equatable, Sendable {
      case done
      /// The user does not want it after all.
      case cancelled
      /// The desktop has no such portal, or nothing that does it.
      case missing
      case failed(String)
    }

    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static var number = 0

    private let bus: OpaquePointer
    private var subscription: guint = 0
    private let onEnd: @MainActor (Outcome) -> Void
    /// Keeps the object until the answer.
    private var itself: Portal?

    /// Asks the desktop.
    ///
    /// - Parameters:
    ///   - files: the files that the request is about; all for a message, else the first.
    ///   - window: the window over which dialogs open.
    ///   - onEnd: called once, when the user has decided.
    package static func ask(
      _ request: Request, _ files: [URL], over window: ExportedWindow,
      onEnd: @escaping @MainActor (Outcome) -> Void
    ) {
      window.withName { ask(request, files, parent: $0, onEnd) }
    }

    private static func ask(
      _ request: Request, _ files: [URL], parent: String, _ onEnd: @escaping @MainActor (Outcome) -> Void
    ) {
      let answer = Answer<UInt> { bus in
        switch bus {
        case .failure: onEnd(.missing)
        case .success(let address):
          guard let bus = OpaquePointer(bitPattern: address) else { return }
          Portal(bus, onEnd).send(request, files, parent)
        }
      }
      g_bus_get(
        G_BUS_TYPE_SESSION, nil,
        { _, result, answer in
          var error: UnsafeMutablePointer<GError>?
          defer { g_clear_error(&error) }
          let bus = g_bus_get_finish(result, &error)
          // The reference goes to the object that sends.
          Answer<UInt>.take(
            answer, bus.map { .success(UInt(bitPattern: $0)) } ?? .failure(DesktopError(error)))
        }, answer.retained())
    }

    private init(_ bus: OpaquePointer, _ onEnd: @escaping @MainActor (Outcome) -> Void) {
      (self.bus, self.onEnd) = (bus, onEnd)
      // GLib would end the process with the bus.
      g_dbus_connection_set_exit_on_close(bus, 0)
      itself = self
    }

    isolated deinit { g_object_unref(ObjectPointer(bus)) }

    private func end(_ outcome: Outcome) {
      guard itself != nil else { return }
      if subscription != 0 { g_dbus_connection_signal_unsubscribe(bus, subscription) }
      onEnd(outcome)
      itself = nil
    }

    private func send(_ request: Request, _ files: [URL], _ parent: String) {
      Self.number += 1
      let token = "ozu\(Self.number)"
      let descriptors = g_unix_fd_list_new()!
      defer { g_object_unref(ObjectPointer(descriptors)) }
      // The portals refuse a message with more descriptors than they read.
      let count = request == .email ? files.count : min(1, files.count)
      for file in files.prefix(count) {
        let descriptor = open(file.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return end(.failed(String(cString: strerror(errno)))) }
        // The list has a copy of its own.
        g_unix_fd_list_append(descriptors, descriptor, nil)
        close(descriptor)
      }
      listen(token)
      let text = request.arguments(fileCount: count, parent: parent, token: token)
      guard let arguments = g_variant_parse(nil, text, nil, nil, nil) else { return end(.failed(text)) }
      // The call takes a reference that floats; one of a parsed text does not.
      defer { g_variant_unref(arguments) }
      let answer = Answer<Bool> { [weak self] outcome in
        switch outcome {
        case .success(true): break
        case .success(false): self?.end(.missing)
        case .failure(let error): self?.end(.failed(error.message))
        }
      }
      g_dbus_connection_call_with_unix_fd_list(
        bus, Self.name, Self.path, request.interface, request.method, arguments, nil, G_DBUS_CALL_FLAGS_NONE,
        -1,
        descriptors, nil,
        { bus, result, answer in
          var error: UnsafeMutablePointer<GError>?
          defer { g_clear_error(&error) }
          let reply = g_dbus_connection_call_with_unix_fd_list_finish(
            OpaquePointer(bus), nil, result, &error)
          if let reply {
            g_variant_unref(reply)
            return Answer<Bool>.take(answer, .success(true))
          }
          if Portal.isMissing(error) { return Answer<Bool>.take(answer, .success(false)) }
          // Else the reason for people begins with the name of the error.
          if let error { g_dbus_error_strip_remote_error(error) }
          Answer<Bool>.take(answer, .failure(DesktopError(error)))
        }, answer.retained())
    }

    /// Whether an error says that nobody answers to the name, the object, the interface or the method.
    private nonisolated static func isMissing(_ error: UnsafePointer<GError>?) -> Bool {
      let codes = [
        G_DBUS_ERROR_SERVICE_UNKNOWN, G_DBUS_ERROR_NAME_HAS_NO_OWNER, G_DBUS_ERROR_UNKNOWN_INTERFACE,
        G_DBUS_ERROR_UNKNOWN_METHOD, G_DBUS_ERROR_UNKNOWN_OBJECT, G_DBUS_ERROR_NO_REPLY,
      ]
      return codes.contains { g_error_matches(error, g_dbus_error_quark(), gint($0.rawValue)) != 0 }
    }

    /// Waits for the answer of the user. It may come before the call returns, so the path is that of the specification: the name
    /// on the bus and a token of our own.
    private func listen(_ token: String) {
      guard let unique = g_dbus_connection_get_unique_name(bus) else { return }
      let sender = String(cString: unique).dropFirst().replacingOccurrences(of: ".", with: "_")
      subscription = g_dbus_connection_signal_subscribe(
        bus, Self.name, "org.freedesktop.portal.Request", "Response",
        "\(Self.path)/request/\(sender)/\(token)", nil, G_DBUS_SIGNAL_FLAGS_NONE,
        { _, _, _, _, _, values, portal in
          guard let portal, let values, let child = g_variant_get_child_value(values, 0) else { return }
          defer { g_variant_unref(child) }
          let code = g_variant_get_uint32(child)
          let object = Unmanaged<Portal>.fromOpaque(portal).takeUnretainedValue()
          MainActor.assumeIsolated {
            object.end(
              code == 0 ? .done : code == 1 ? .cancelled : .failed(tr("the desktop gives no reason")))
          }
        }, Unmanaged.passRetained(self).toOpaque(),
        { portal in
          if let portal { Unmanaged<Portal>.fromOpaque(portal).release() }
        })
    }
  }

  /// The name by which dialogs of other processes know a window, so that they open over it.
  @MainActor
  package final class ExportedWindow {
    private let window: UnsafeMutablePointer<GtkWindow>
    private var name: String?
    private var waiting: [@MainActor (String) -> Void] = []

    package init(_ window: UnsafeMutablePointer<GtkWindow>) { self.window = window }

    /// Calls a closure with the name in the notation of the portals: `x11:` or `wayland:` and what the display calls the window.
    /// It is empty on other displays.
    ///
    /// Wayland's compositor makes the name when it is first needed. It stays until the window is closed.
    func withName(_ body: @escaping @MainActor (String) -> Void) {
      if let name { return body(name) }
      waiting.append(body)
      guard waiting.count == 1 else { return }
      let number = ozu_x11_window(window)
      if number != 0 { return set("x11:" + String(number, radix: 16)) }
      let itself = Unmanaged.passRetained(self)
      let isAsked = ozu_wayland_export(
        window,
        { _, name, exported in
          guard let exported else { return }
          let object = Unmanaged<ExportedWindow>.fromOpaque(exported).takeUnretainedValue()
          let name = name.map { "wayland:" + String(cString: $0) } ?? ""
          MainActor.assumeIsolated { object.set(name) }
        }, itself.toOpaque(),
        { exported in
          if let exported { Unmanaged<ExportedWindow>.fromOpaque(exported).release() }
        })
      if isAsked == 0 {
        itself.release()
        set("")
      }
    }

    private func set(_ name: String) {
      self.name = name
      let waiting = self.waiting
      self.waiting = []
      for body in waiting { body(name) }
    }
  }
#endif
