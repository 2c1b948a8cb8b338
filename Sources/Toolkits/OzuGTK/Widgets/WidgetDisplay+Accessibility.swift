#if GTK
  import CGTK

  /// The properties for assistive technologies.
  extension WidgetDisplay {
    /// The content of the picture in words: the description of the image.
    var alternativeText: String? {
      get { widget.flatMap(kind.alternativeText) }
      set { if let widget { kind.setAlternativeText(newValue, of: widget) } }
    }

    /// Reports whether the picture is still loading.
    func setBusy(_ widget: UnsafeMutablePointer<GtkWidget>, _ isBusy: Bool) {
      var value = GValue()
      g_value_init(&value, ozu_type_boolean())
      g_value_set_boolean(&value, isBusy ? 1 : 0)
      var state = GTK_ACCESSIBLE_STATE_BUSY
      gtk_accessible_update_state_value(OpaquePointer(widget), 1, &state, &value)
      g_value_unset(&value)
    }
  }
#endif
