#if GTK
  import CGTK

  /// Calls a closure for each frame of a widget, as long as frames are needed.
  ///
  /// GTK ticks only for widgets that are mapped.
  @MainActor
  final class WidgetClock {
    /// Called for each frame with the frame clock's time; returns whether to continue.
    private let tick: @MainActor (Duration) -> Bool
    private var callback: guint?

    init(_ tick: @escaping @MainActor (Duration) -> Bool) {
      self.tick = tick
    }

    /// Whether frames are counted.
    var isRunning: Bool { callback != nil }

    /// Starts, unless it runs already.
    func start(_ widget: UnsafeMutablePointer<GtkWidget>) {
      guard callback == nil else { return }
      callback = gtk_widget_add_tick_callback(
        widget,
        { _, frameClock, context in
          guard let frameClock, let context else { return 0 }
          // GTK calls on the main actor's thread. Addresses are passed as numbers, because pointers are not Sendable.
          let time = Duration.microseconds(gdk_frame_clock_get_frame_time(frameClock))
          let address = UInt(bitPattern: context)
          return MainActor.assumeIsolated {
            let clock = Unmanaged<WidgetClock>.fromOpaque(ObjectPointer(bitPattern: address)!)
              .takeUnretainedValue()
            if clock.tick(time) { return 1 }
            clock.callback = nil
            return 0
          }
        }, Unmanaged.passRetained(self).toOpaque(),
        { context in
          if let context { Unmanaged<WidgetClock>.fromOpaque(context).release() }
        })
    }

    func stop(_ widget: UnsafeMutablePointer<GtkWidget>) {
      guard let callback else { return }
      self.callback = nil
      gtk_widget_remove_tick_callback(widget, callback)
    }
  }
#endif
