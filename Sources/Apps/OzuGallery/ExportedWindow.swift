#if GTK
  import CGTK
  import OzuGTK

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
