#if GTK
  import CGTK
  import OzuGTK

  /// Gives a widget a CSS class, or takes it away.
  @MainActor
  func toggle(_ widget: UnsafeMutablePointer<GtkWidget>, _ name: String, _ isOn: Bool) {
    if isOn { gtk_widget_add_css_class(widget, name) } else { gtk_widget_remove_css_class(widget, name) }
  }

  /// A box with widgets in a row or a column.
  @MainActor
  func box(
    _ orientation: GtkOrientation, spacing: Int = 0, _ children: [UnsafeMutablePointer<GtkWidget>]
  ) -> UnsafeMutablePointer<GtkWidget> {
    let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(orientation, gint(spacing))
    for child in children {
      gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), child)
    }
    return box
  }

  /// A button with a symbol of the icon theme.
  @MainActor
  func button(
    _ icon: String, _ tooltip: String, _ action: @escaping @MainActor () -> Void
  ) -> UnsafeMutablePointer<GtkWidget> {
    let button: UnsafeMutablePointer<GtkWidget> = gtk_button_new_from_icon_name(icon)
    gtk_widget_set_tooltip_text(button, tooltip)
    connect(ObjectPointer(button), "clicked") { _ in action() }
    return button
  }

  /// A switch with a label before it.
  @MainActor
  func switchRow(
    _ title: String, _ action: @escaping @MainActor (Bool) -> Void
  ) -> UnsafeMutablePointer<GtkWidget> {
    let control: UnsafeMutablePointer<GtkWidget> = gtk_switch_new()
    gtk_widget_set_halign(control, GTK_ALIGN_END)
    gtk_widget_set_hexpand(control, 1)
    connect(ObjectPointer(control), "notify::active") { control in
      action(gtk_switch_get_active(OpaquePointer(control)) != 0)
    }
    return box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [gtk_label_new(title), control])
  }

  /// A choice with a label before it.
  ///
  /// - Parameter action: called with the number of what was chosen.
  @MainActor
  func choiceRow(
    _ title: String, _ choices: [String], _ action: @escaping @MainActor (Int) -> Void
  ) -> UnsafeMutablePointer<GtkWidget> {
    let list = gtk_string_list_new(nil)!
    for choice in choices { gtk_string_list_append(list, choice) }
    let control: UnsafeMutablePointer<GtkWidget> = gtk_drop_down_new(list, nil)
    gtk_widget_set_halign(control, GTK_ALIGN_END)
    gtk_widget_set_hexpand(control, 1)
    connect(ObjectPointer(control), "notify::selected") { control in
      let index = Int(gtk_drop_down_get_selected(OpaquePointer(control)))
      if choices.indices.contains(index) { action(index) }
    }
    return box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [gtk_label_new(title), control])
  }

  /// The look of the gallery, for all windows.
  @MainActor
  enum Look {
    private static let sheet = """
      gridview { padding: 4px; }
      gridview > child { padding: 4px; }
      .cell { background: alpha(currentColor, 0.06); border-radius: 2px; }
      .rounded { border-radius: 16px; }
      .status { padding: 6px 12px; font-size: 0.9em; }
      .detail { background: black; }
      """

    /// Adds the style sheet to the display, once.
    static let applied: Void = {
      let provider = gtk_css_provider_new()
      gtk_css_provider_load_from_data(provider, sheet, -1)
      gtk_style_context_add_provider_for_display(
        gdk_display_get_default(), OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    }()

    /// Whether windows are dark.
    static var isDark: Bool {
      get {
        var value = GValue()
        g_value_init(&value, ozu_type_boolean())
        defer { g_value_unset(&value) }
        g_object_get_property(settings, "gtk-application-prefer-dark-theme", &value)
        return g_value_get_boolean(&value) != 0
      }
      set {
        var value = GValue()
        g_value_init(&value, ozu_type_boolean())
        defer { g_value_unset(&value) }
        g_value_set_boolean(&value, newValue ? 1 : 0)
        g_object_set_property(settings, "gtk-application-prefer-dark-theme", &value)
      }
    }

    private static var settings: UnsafeMutablePointer<GObject> {
      UnsafeMutableRawPointer(gtk_settings_get_default()!).assumingMemoryBound(to: GObject.self)
    }
  }
#endif
