#if GTK
  import CGTK
  import OzuGTK

  /// A pointer of a type whose structure GTK shows, such as `GtkWindow`. GTK's types begin with their parent's structure.
  func cast<From, To>(_ pointer: UnsafeMutablePointer<From>, to type: To.Type) -> UnsafeMutablePointer<To> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: type)
  }

  typealias Widget = UnsafeMutablePointer<GtkWidget>

  /// Adds a CSS class to a widget, or removes it.
  @MainActor
  func toggle(_ widget: Widget, _ name: String, _ isOn: Bool) {
    if isOn { gtk_widget_add_css_class(widget, name) } else { gtk_widget_remove_css_class(widget, name) }
  }

  @MainActor
  func box(_ orientation: GtkOrientation, spacing: Int = 0, _ children: [Widget]) -> Widget {
    let box: Widget = gtk_box_new(orientation, gint(spacing))
    for child in children { gtk_box_append(cast(box, to: GtkBox.self), child) }
    return box
  }

  @MainActor
  func button(_ icon: String, _ tooltip: String, _ action: @escaping @MainActor () -> Void) -> Widget {
    let button: Widget = gtk_button_new_from_icon_name(icon)
    gtk_widget_set_tooltip_text(button, tooltip)
    AccessibleName.set(tooltip, of: button)
    SignalSource(button).on("clicked") { _ in action() }
    return button
  }

  @MainActor
  func label(_ text: String, _ classes: String...) -> Widget {
    let label: Widget = gtk_label_new(text)
    for name in classes { gtk_widget_add_css_class(label, name) }
    return label
  }

  @MainActor
  func setMargins(_ widget: Widget, _ margin: Int) {
    for set in [
      gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
      gtk_widget_set_margin_end,
    ] {
      set(widget, gint(margin))
    }
  }

  /// A window over another that keeps its size and that Escape closes. It is not shown yet.
  ///
  /// - Parameter button: stands in its header.
  @MainActor
  func dialogue(
    _ title: String, over parent: UnsafeMutablePointer<GtkWindow>, isModal: Bool = true, button: Widget? = nil
  ) -> UnsafeMutablePointer<GtkWindow> {
    let widget: Widget = gtk_window_new()
    let window = cast(widget, to: GtkWindow.self)
    gtk_window_set_title(window, title)
    gtk_window_set_transient_for(window, parent)
    gtk_window_set_modal(window, isModal ? 1 : 0)
    gtk_window_set_resizable(window, 0)
    let header: Widget = gtk_header_bar_new()
    if let button { gtk_header_bar_pack_end(OpaquePointer(header), button) }
    gtk_window_set_titlebar(window, header)
    let keys = gtk_event_controller_key_new()!
    SignalSource(keys).onKeys { key, _ in
      guard key == guint(GDK_KEY_Escape) else { return false }
      gtk_window_close(window)
      return true
    }
    gtk_widget_add_controller(widget, keys)
    return window
  }

  /// A row of a form: a label and, at the end of the row, a control.
  @MainActor
  private func row(_ title: String, _ control: Widget) -> Widget {
    gtk_widget_set_halign(control, GTK_ALIGN_END)
    gtk_widget_set_hexpand(control, 1)
    AccessibleName.set(title, of: control)
    return box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [label(title), control])
  }

  @MainActor
  func switchRow(_ title: String, isOn: Bool, _ action: @escaping @MainActor (Bool) -> Void) -> Widget {
    let control: Widget = gtk_switch_new()
    gtk_switch_set_active(OpaquePointer(control), isOn ? 1 : 0)
    SignalSource(control).on("notify::active") { control in
      action(gtk_switch_get_active(OpaquePointer(control)) != 0)
    }
    return row(title, control)
  }

  /// A choice with a label before it.
  ///
  /// - Parameter action: called with the number of the choice.
  @MainActor
  func choiceRow(
    _ title: String, _ choices: [String], selected: Int, _ action: @escaping @MainActor (Int) -> Void
  ) -> Widget {
    let list = gtk_string_list_new(nil)!
    for choice in choices { gtk_string_list_append(list, choice) }
    let control: Widget = gtk_drop_down_new(list, nil)
    gtk_drop_down_set_selected(OpaquePointer(control), guint(selected))
    SignalSource(control).on("notify::selected") { control in
      let index = Int(gtk_drop_down_get_selected(OpaquePointer(control)))
      if choices.indices.contains(index) { action(index) }
    }
    return row(title, control)
  }

  @MainActor
  func numberRow(
    _ title: String, _ range: ClosedRange<Int>, value: Int,
    _ action: @escaping @MainActor (Int) -> Void
  ) -> Widget {
    let control: Widget = gtk_spin_button_new_with_range(
      Double(range.lowerBound), Double(range.upperBound), 1)
    gtk_spin_button_set_value(OpaquePointer(control), Double(value))
    SignalSource(control).on("value-changed") { control in
      action(Int(gtk_spin_button_get_value(OpaquePointer(control))))
    }
    return row(title, control)
  }
#endif
