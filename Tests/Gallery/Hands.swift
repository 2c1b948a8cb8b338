#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  /// A keyboard and a mouse: `xdotool` has the X server make events, which come the way of those of a person.
  ///
  /// There is no window manager, so that windows lie in the corner of the screen, and the one under the pointer has the
  /// keyboard.
  @MainActor
  struct Hands {
    let screen: Screen

    /// Presses keys after each other, as `Right`, `Return`, `ctrl+f`.
    func press(_ keys: String...) async throws {
      try await run(["key", "--delay", "30"] + keys)
    }

    /// Writes a text.
    func type(_ text: String) async throws {
      try await run(["type", "--delay", "30", text])
    }

    /// Moves the pointer to the middle of a widget and presses the first button.
    func click(_ widget: UnsafeMutablePointer<GtkWidget>) async throws {
      try await move(to: widget)
      try await run(["click", "1"])
    }

    /// Moves the pointer to the middle of a widget.
    func move(to widget: UnsafeMutablePointer<GtkWidget>) async throws {
      let (x, y) = middle(of: widget)
      try await run(["mousemove", "\(x)", "\(y)"])
    }

    /// Moves the pointer to where no window is.
    static func leave(_ screen: Screen) async throws {
      try await Hands(screen: screen).run(["mousemove", "1399", "999"])
    }

    /// Holds the first button in the middle of a widget and moves so far.
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

    private func middle(of widget: UnsafeMutablePointer<GtkWidget>) -> (x: Int, y: Int) {
      guard let native = gtk_widget_get_native(widget) else { return (0, 0) }
      var bounds = graphene_rect_t()
      _ = gtk_widget_compute_bounds(widget, UnsafeMutablePointer(native), &bounds)
      var (x, y) = (0.0, 0.0)
      gtk_native_get_surface_transform(native, &x, &y)
      return (
        Int(x + Double(bounds.origin.x + bounds.size.width / 2)),
        Int(y + Double(bounds.origin.y + bounds.size.height / 2))
      )
    }

    private func run(_ arguments: [String]) async throws {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["xdotool"] + arguments
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        process.terminationHandler = { _ in continuation.resume() }
        do { try process.run() } catch { continuation.resume(throwing: error) }
      }
      // The event comes with one of the next frames.
      for _ in 0..<3 { await screen.nextFrame() }
    }
  }
#endif
