#if GTK
  import CGTK
  import Ozu

  /// The setting of the desktop about animations.
  @MainActor
  enum Motion {
    /// Tells widgets when the setting changes.
    static let settings = MotionSettings(changes: [
      NotificationSource { receive in
        MainActor.assumeIsolated {
          guard let settings = gtk_settings_get_default() else { return }
          SignalSource(settings).on("notify::gtk-enable-animations") { _ in receive() }
        }
        return {}
      }
    ]) { !Motion.isReduced }

    /// Whether the desktop asks for less motion: `gtk-enable-animations` is off.
    static var isReduced: Bool {
      guard let settings = gtk_settings_get_default() else { return false }
      var value = GValue()
      g_value_init(&value, ozu_type_boolean())
      defer { g_value_unset(&value) }
      g_object_get_property(
        UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-enable-animations",
        &value)
      return g_value_get_boolean(&value) == 0
    }
  }
#endif
