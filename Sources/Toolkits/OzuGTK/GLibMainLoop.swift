#if GTK
  import CGTK
  import Dispatch

  /// Runs the main actor on GLib's main loop.
  ///
  /// `@MainActor` code, `Task`s that run on it and `DispatchQueue.main` all use one queue, that of libdispatch. It
  /// offers a descriptor for run loops other than its own, and this adds it to GLib's loop as one more source, so that
  /// GTK's callbacks and Swift's jobs take turns on one thread:
  ///
  /// ```swift
  /// gtk_init()
  /// GLibMainLoop.attach()
  /// // … windows …
  /// GLibMainLoop.run()
  /// ```
  ///
  /// The program's `main.swift` must not await at its top level, and `main` must not be `async`: after the first
  /// suspension the main actor would run on another thread than GTK.
  @MainActor
  public enum GLibMainLoop {
    private static var source: guint?
    private static var running: [OpaquePointer] = []

    /// Lets the main actor's jobs run in GLib's default main context. Does nothing when it is attached already.
    ///
    /// `gtk_init` need not have been called. A `GtkApplication`, which runs the loop itself, needs only this.
    ///
    /// - Parameter priority: the priority of the jobs among GLib's sources; that of GTK's events by default.
    public static func attach(priority: gint = G_PRIORITY_DEFAULT) {
      guard source == nil else { return }
      let handle = _dispatch_get_main_queue_handle_4CF()
      source = g_unix_fd_add_full(
        priority, handle, G_IO_IN,
        { descriptor, _, _ in
          // An eventfd: reading it lets it be signalled again.
          var count: UInt64 = 0
          _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
          _dispatch_main_queue_callback_4CF(nil)
          return gboolean(1)  // G_SOURCE_CONTINUE
        }, nil, nil)
    }

    /// Attaches, and runs the loop until `quit()`. Loops nest; the innermost is quit first.
    public static func run() {
      attach()
      guard let loop = g_main_loop_new(nil, 0) else { return }
      running.append(loop)
      g_main_loop_run(loop)
      running.removeLast()
      g_main_loop_unref(loop)
    }

    /// Ends the innermost `run()`.
    public static func quit() {
      if let loop = running.last { g_main_loop_quit(loop) }
    }
  }
#endif
