#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  extension Drills {
    /// What a screen reader is told, read over a real accessibility bus from a gallery in a process of its own: everything that
    /// takes the keyboard has a name, and cells say which picture they are of how many.
    func spoken() async throws {
      let gallery = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "ozu-gallery")
      let daemon = URL(filePath: "/usr/bin/dbus-daemon")
      let launcher = ["/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher"]
        .map { URL(filePath: $0) }.first { Self.isProgram($0) }
      guard let launcher, Self.isProgram(gallery), Self.isProgram(daemon) else {
        return output.add(
          "spoken", failures: [], detail: "left out: there is no accessibility bus or no gallery")
      }
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 3)
      try folder.write("4.jpg", Data("no picture".utf8))
      try FileManager.default.createDirectory(at: folder.file("Harbour"), withIntermediateDirectories: true)
      let session = try Self.start(daemon, ["--session", "--nofork", "--print-address"], [:])
      let address = Self.line(session.output)
      var environment = ["DBUS_SESSION_BUS_ADDRESS": address, "GTK_A11Y": "atspi"]
      let bus = try Self.start(launcher, ["--launch-immediately"], environment).process
      environment["LANG"] = "C.UTF-8"
      let running = try Self.start(gallery, [folder.url.path(percentEncoded: false)], environment).process
      defer {
        for process in [running, bus, session.process] { process.terminate() }
        folder.remove()
      }
      var reader: SpokenTree?
      var spoken: [SpokenTree.Element] = []
      await checks.soon("a screen reader finds the window and its pictures") {
        reader = reader ?? SpokenTree(session: address)
        spoken = reader?.elements() ?? []
        return ["3.jpg, 3 of 4", "Try again"].allSatisfy { name in spoken.contains { $0.name == name } }
      }
      if let folder = options.screenshots {
        let lines = spoken.map { "\(String(repeating: "  ", count: $0.depth))\($0.role) | \($0.name)" }
        try? lines.joined(separator: "\n").write(
          toFile: "\(folder)/spoken.txt", atomically: true, encoding: .utf8)
      }
      for name in ["1.jpg, 1 of 4", "Folder Harbour"] {
        checks.expect(spoken.contains { $0.name == name }, "a cell is called “\(name)”")
      }
      for name in ["Open pictures", "Search", "Folder above", "Main menu"] {
        checks.expect(spoken.contains { $0.name == name }, "there is a “\(name)”")
      }
      let nameless = spoken.filter { $0.isFocusable && ($0.name.isEmpty || $0.name.hasPrefix("Gtk")) }
      checks.expect(
        nameless.isEmpty, "everything that takes the keyboard has a name, but not: \(nameless.map(\.role))")
      output.add("spoken", checks, detail: "\(spoken.count) elements, as a screen reader gets them")
    }

    private static func isProgram(_ file: URL) -> Bool {
      FileManager.default.isExecutableFile(atPath: file.path(percentEncoded: false))
    }
  }

  /// The elements of all programs on an accessibility bus, as a screen reader asks for them (AT-SPI 2).
  struct SpokenTree {
    /// An element with what is said of it.
    struct Element {
      let role: String
      let name: String
      let isFocusable: Bool
      let depth: Int
    }

    private let bus: OpaquePointer
    private static let interface = "org.a11y.atspi.Accessible"

    /// - Parameter session: the address of the session bus.
    /// - Returns: `nil` while there is no accessibility bus.
    init?(session: String) {
      guard let session = Self.connect(session),
        let answer = Self.call(session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"),
        let bus = Self.text(answer, at: 0).flatMap(Self.connect)
      else { return nil }
      self.bus = bus
    }

    private static func connect(_ address: String) -> OpaquePointer? {
      let flags =
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
      return g_dbus_connection_new_for_address_sync(
        address, GDBusConnectionFlags(rawValue: flags), nil, nil, nil)
    }

    /// All elements, in the order of the tree.
    func elements() -> [Element] {
      var found: [Element] = []
      collect("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root", 0, &found)
      return found
    }

    private func collect(_ owner: String, _ path: String, _ depth: Int, _ found: inout [Element]) {
      guard depth < 40, found.count < 1_000 else { return }
      if depth > 0 {
        let role = Self.call(bus, owner, path, Self.interface, "GetRoleName").flatMap { Self.text($0, at: 0) }
        found.append(
          Element(
            role: role ?? "", name: name(owner, path), isFocusable: isFocusable(owner, path), depth: depth))
      }
      guard let answer = Self.call(bus, owner, path, Self.interface, "GetChildren"),
        let list = g_variant_get_child_value(answer, 0)
      else { return }
      for index in 0..<g_variant_n_children(list) {
        guard let child = g_variant_get_child_value(list, index), let owner = Self.text(child, at: 0),
          let path = Self.text(child, at: 1)
        else { continue }
        collect(owner, path, depth + 1, &found)
      }
    }

    private func name(_ owner: String, _ path: String) -> String {
      let answer = Self.call(
        bus, owner, path, "org.freedesktop.DBus.Properties", "Get", [Self.interface, "Name"])
      guard let answer, let boxed = g_variant_get_child_value(answer, 0),
        let value = g_variant_get_variant(boxed)
      else { return "" }
      return String(cString: g_variant_get_string(value, nil))
    }

    /// Whether the element can be seen and take the keyboard: bits of the states of AT-SPI.
    private func isFocusable(_ owner: String, _ path: String) -> Bool {
      guard let answer = Self.call(bus, owner, path, Self.interface, "GetState"),
        let words = g_variant_get_child_value(answer, 0), g_variant_n_children(words) > 0,
        let first = g_variant_get_child_value(words, 0)
      else { return false }
      let states = g_variant_get_uint32(first)
      // ATSPI_STATE_FOCUSABLE and ATSPI_STATE_SHOWING.
      return states & 1 << 11 != 0 && states & 1 << 25 != 0
    }

    private static func text(_ tuple: OpaquePointer, at index: Int) -> String? {
      guard index < Int(g_variant_n_children(tuple)),
        let value = g_variant_get_child_value(tuple, gsize(index)),
        let text = g_variant_get_string(value, nil)
      else { return nil }
      return String(cString: text)
    }

    private static func call(
      _ bus: OpaquePointer, _ owner: String, _ path: String, _ interface: String, _ method: String,
      _ arguments: [String] = []
    ) -> OpaquePointer? {
      var values: [OpaquePointer?] = arguments.map { g_variant_new_string($0) }
      let tuple = g_variant_new_tuple(&values, gsize(values.count))
      return g_dbus_connection_call_sync(
        bus, owner, path, interface, method, tuple, nil, G_DBUS_CALL_FLAGS_NONE, 5_000, nil, nil)
    }
  }
#endif
