#if GTK
  import CGTK
  import OzuGTK

  /// A portal on the session bus of the process that answers every request at once.
  @MainActor
  final class FakePortal {
    /// The code of the answers: 0 for done, 1 for cancelled by the user.
    var answer = 0
    /// The methods that were called, the kind of the window over which dialogs would open, and the number of the files.
    private(set) var asked: [String] = []
    private let bus: OpaquePointer

    private static let interfaces = """
      <node><interface name="org.freedesktop.portal.Wallpaper"><method name="SetWallpaperFile">
      <arg type="s" direction="in"/><arg type="h" direction="in"/><arg type="a{sv}" direction="in"/>
      <arg type="o" direction="out"/></method></interface>
      <interface name="org.freedesktop.portal.Email"><method name="ComposeEmail">
      <arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
      </interface><interface name="org.freedesktop.portal.OpenURI"><method name="OpenFile">
      <arg type="s" direction="in"/><arg type="h" direction="in"/><arg type="a{sv}" direction="in"/>
      <arg type="o" direction="out"/></method></interface></node>
      """

    /// - Returns: `nil` if there is no bus, or something else has the name.
    init?() {
      guard let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil),
        let node = g_dbus_node_info_new_for_xml(Self.interfaces, nil)
      else { return nil }
      self.bus = bus
      defer { g_dbus_node_info_unref(node) }
      var table = GDBusInterfaceVTable()
      table.method_call = { _, sender, _, _, method, arguments, invocation, portal in
        guard let portal, let sender, let method, let arguments, let invocation else { return }
        Unmanaged<FakePortal>.fromOpaque(portal).takeUnretainedValue().take(
          String(cString: method), from: String(cString: sender), arguments, invocation)
      }
      let itself = Unmanaged.passUnretained(self).toOpaque()
      for index in 0..<3 {
        guard let interface = node.pointee.interfaces[index],
          g_dbus_connection_register_object(
            bus, "/org/freedesktop/portal/desktop", interface, &table, itself, nil, nil) != 0
        else { return nil }
      }
      let name = g_variant_parse(nil, "('org.freedesktop.portal.Desktop', uint32 4)", nil, nil, nil)
      defer { g_variant_unref(name) }
      let bound = g_dbus_connection_call_sync(
        bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName", name,
        nil,
        G_DBUS_CALL_FLAGS_NONE, -1, nil, nil)
      guard let bound else { return nil }
      g_variant_unref(bound)
    }

    /// Answers a call with the path of a request, and then for the user.
    private nonisolated func take(
      _ method: String, from sender: String, _ arguments: OpaquePointer, _ invocation: OpaquePointer
    ) {
      let fileCount = g_dbus_message_get_num_unix_fds(g_dbus_method_invocation_get_message(invocation))
      let window = g_variant_get_child_value(arguments, 0)
      defer { g_variant_unref(window) }
      let kind = String(cString: g_variant_get_string(window, nil)).prefix { $0 != ":" }
      let options = g_variant_get_child_value(arguments, g_variant_n_children(arguments) - 1)
      defer { g_variant_unref(options) }
      let value = g_variant_lookup_value(options, "handle_token", nil)
      defer { if let value { g_variant_unref(value) } }
      let token = value.map { String(cString: g_variant_get_string($0, nil)) } ?? ""
      let name = sender.dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
      let path = "/org/freedesktop/portal/desktop/request/\(name)/\(token)"
      // GLib calls on the thread of its main loop.
      let code = MainActor.assumeIsolated {
        asked.append("\(method) \(kind) \(fileCount)")
        return answer
      }
      let reply = g_variant_parse(nil, "(objectpath '\(path)',)", nil, nil, nil)
      g_dbus_method_invocation_return_value(invocation, reply)
      g_variant_unref(reply)
      let response = g_variant_parse(nil, "(uint32 \(code), @a{sv} {})", nil, nil, nil)
      g_dbus_connection_emit_signal(
        g_dbus_method_invocation_get_connection(invocation), sender, path,
        "org.freedesktop.portal.Request", "Response", response, nil)
      g_variant_unref(response)
    }
  }
#endif
