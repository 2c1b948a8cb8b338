#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  /// A keyboard and a mouse: `xdotool` makes the X server send events, which take the same way as those of a person.
  ///
  /// The window manager decides where windows are, and gives the keyboard to the last that opened.
  @MainActor
  struct Hands {
    let screen: Screen

    /// Presses keys after each other, as `Right`, `Return`, `ctrl+f`.
    ///
    /// The window manager gives a window the keyboard some time after it opened, and to another some time after it closed: keys
    /// that come earlier go elsewhere.
    func press(_ keys: String...) async throws {
      await becomeActive()
      try await run(["key", "--delay", "30"] + keys)
    }

    /// Writes a text.
    func type(_ text: String) async throws {
      await becomeActive()
      try await run(["type", "--delay", "30", text])
    }

    /// Moves the pointer to the middle of a widget and presses the first button.
    func click(_ widget: UnsafeMutablePointer<GtkWidget>) async throws {
      try await move(to: widget)
      try await run(["click", "1"])
    }

    /// Moves the pointer to the middle of a widget.
    func move(to widget: UnsafeMutablePointer<GtkWidget>) async throws {
      let (x, y) = try await middle(of: widget)
      try await run(["mousemove", "\(x)", "\(y)"])
    }

    /// Moves the pointer to where no window is.
    static func leave(_ screen: Screen) async throws {
      try await Hands(screen: screen).run(["mousemove", "1399", "999"])
    }

    /// Holds the first button in the middle of a widget and moves by a distance.
    ///
    /// - Parameter look: called before the button is let go.
    func drag(
      _ widget: UnsafeMutablePointer<GtkWidget>, by distance: (x: Int, y: Int),
      _ look: () async -> Void = {}
    ) async throws {
      try await move(to: widget)
      try await run(["mousedown", "1"])
      for _ in 0..<10 {
        try await run(["mousemove_relative", "--", "\(distance.x / 10)", "\(distance.y / 10)"])
      }
      await look()
      try await run(["mouseup", "1"])
    }

    /// Throws the middle of a widget: holds the first button, moves by a distance within a tenth of a second and releases it.
    func fling(_ widget: UnsafeMutablePointer<GtkWidget>, by distance: (x: Int, y: Int)) async throws {
      try await move(to: widget)
      var arguments = ["mousedown", "1"]
      for _ in 0..<10 {
        arguments += [
          "mousemove_relative", "--", "\(distance.x / 10)", "\(distance.y / 10)", "sleep", "0.01",
        ]
      }
      try await run(arguments + ["mouseup", "1"])
    }

    /// Drags from the middle of a widget to that of another, which may be in another window.
    func drag(
      _ widget: UnsafeMutablePointer<GtkWidget>, to other: UnsafeMutablePointer<GtkWidget>
    ) async throws {
      let (from, to) = (try await middle(of: widget), try await middle(of: other))
      try await run(["mousemove", "\(from.x)", "\(from.y)", "mousedown", "1"])
      for step in 1...10 {
        let (x, y) = (from.x + (to.x - from.x) * step / 10, from.y + (to.y - from.y) * step / 10)
        try await run(["mousemove", "\(x)", "\(y)"])
      }
      for _ in 0..<10 { await screen.nextFrame() }
      try await run(["mouseup", "1"])
    }

    /// Turns the wheel over the middle of a widget: up for negative numbers.
    func turnWheel(over widget: UnsafeMutablePointer<GtkWidget>, by notches: Int) async throws {
      try await move(to: widget)
      try await run(["click", "--repeat", "\(abs(notches))", "--delay", "40", notches < 0 ? "4" : "5"])
    }

    /// Presses the second button in the middle of a widget.
    func clickSecondary(_ widget: UnsafeMutablePointer<GtkWidget>) async throws {
      try await move(to: widget)
      try await run(["click", "3"])
    }

    /// Waits until the window that lies over all others of this one has the keyboard, twenty seconds at most.
    private func becomeActive() async {
      var top = Drills.window(screen.window)
      while let dialogue = Drills.dialogue(over: top) { top = Drills.window(dialogue) }
      await screen.frames(while: { gtk_window_is_active(top) == 0 }, within: .seconds(20))
    }

    private func middle(of widget: UnsafeMutablePointer<GtkWidget>) async throws -> (x: Int, y: Int) {
      guard let native = gtk_widget_get_native(widget), let surface = gtk_native_get_surface(native) else {
        return (0, 0)
      }
      var bounds = graphene_rect_t()
      _ = gtk_widget_compute_bounds(widget, UnsafeMutablePointer(native), &bounds)
      var (x, y) = (0.0, 0.0)
      gtk_native_get_surface_transform(native, &x, &y)
      let corner = try await Self.corner(of: surface)
      return (
        corner.x + Int(x + Double(bounds.origin.x + bounds.size.width / 2)),
        corner.y + Int(y + Double(bounds.origin.y + bounds.size.height / 2))
      )
    }

    /// The position of a window on the X server. The header of GDK's X11 part needs those of X11, which nothing else here does.
    private static func corner(of surface: OpaquePointer) async throws -> (x: Int, y: Int) {
      typealias WindowNumber = @convention(c) (OpaquePointer?) -> UInt
      guard let function = dlsym(nil, "gdk_x11_surface_get_xid") else { return (0, 0) }
      let number = unsafeBitCast(function, to: WindowNumber.self)(surface)
      let text = try await xdotool(["getwindowgeometry", "--shell", "\(number)"])
      func value(_ name: String) -> Int {
        text.split(separator: "\n").first { $0.hasPrefix("\(name)=") }.flatMap {
          Int($0.dropFirst(name.count + 1))
        } ?? 0
      }
      return (value("X"), value("Y"))
    }

    private func run(_ arguments: [String]) async throws {
      _ = try await Self.xdotool(arguments)
      // The event comes with one of the next frames.
      for _ in 0..<3 { await screen.nextFrame() }
    }

    static func xdotool(_ arguments: [String]) async throws -> String {
      let (process, pipe) = (Process(), Pipe())
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["xdotool"] + arguments
      process.standardOutput = pipe
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        process.terminationHandler = { _ in continuation.resume() }
        do { try process.run() } catch { continuation.resume(throwing: error) }
      }
      return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
  }
#endif
