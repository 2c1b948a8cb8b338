#if GTK
  import CGTK
  import Ozu

  /// A cell of an `ImageGrid`: a picture, or the reason why there is none, and its name if names are shown.
  ///
  /// The grid makes a few hundred cells and uses each for many items. An app adds widgets of its own in `ImageGrid.onCell`.
  @MainActor
  public final class ImageGridCell {
    /// The cell, a vertical `GtkBox`.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// The view of the picture, over whose `GtkOverlay` an app may put widgets.
    public let status: StatusImageView
    /// The identity of the item that is shown; empty for none.
    public private(set) var id = ""

    /// An object of the app that lives as long as the cell, such as the widgets that it has added.
    public var attachment: AnyObject?

    var onMenu: @MainActor (String, UnsafeMutablePointer<GtkWidget>, Double, Double) -> Void = { _, _, _, _ in
    }
    /// Gets the modifiers of a click, and returns whether that was all.
    var onClick: @MainActor (String, GdkModifierType) -> Bool = { _, _ in false }
    var onLongPress: @MainActor (String) -> Void = { _ in }
    /// The list item that the cell is in, while it shows something.
    var listItem: OpaquePointer?
    private var name: UnsafeMutablePointer<GtkWidget>?

    init(pipeline: ImagePipeline, side: Int) {
      status = StatusImageView(pipeline: pipeline, style: .compact)
      gtk_widget_set_overflow(status.widget, GTK_OVERFLOW_HIDDEN)
      gtk_widget_add_css_class(status.widget, "ozu-cell")
      widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
      g_object_ref_sink(ObjectPointer(widget))
      append(status.widget)
      gtk_widget_set_vexpand(status.widget, 1)
      status.view.isDraggable = true
      setSide(side)
      addMenu()
      addClick()
      addLongPress()
    }

    isolated deinit { g_object_unref(ObjectPointer(widget)) }

    /// The number of the cell's item in the grid; `nil` while it shows none.
    public var position: Int? { listItem.map { Int(gtk_list_item_get_position($0)) } }

    private func append(_ child: UnsafeMutablePointer<GtkWidget>) {
      gtk_box_append(UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkBox.self), child)
    }

    // MARK: Gestures

    private func addMenu() {
      let second = gtk_gesture_click_new()!
      gtk_gesture_single_set_button(second, 3)
      SignalSource(second).onClick { [weak self] _, x, y in
        if let self { onMenu(id, widget, x, y) }
      }
      gtk_widget_add_controller(widget, second)
    }

    private func addClick() {
      let click = gtk_gesture_click_new()!
      gtk_gesture_single_set_button(click, 1)
      SignalSource(click).onClick("released") { [weak self] count, _, _ in
        guard let self, count == 1 else { return }
        let modifiers = gtk_event_controller_get_current_event_state(click)
        if onClick(id, modifiers) { gtk_gesture_set_state(click, GTK_EVENT_SEQUENCE_CLAIMED) }
      }
      gtk_widget_add_controller(widget, click)
    }

    /// A finger that stays on a picture selects it, as Ctrl and a click do.
    private func addLongPress() {
      let press = gtk_gesture_long_press_new()!
      gtk_gesture_single_set_touch_only(press, 1)
      SignalSource(press).on(
        "pressed",
        withDoubles: { [weak self] _, _, _ in
          guard let self else { return }
          onLongPress(id)
          gtk_gesture_set_state(press, GTK_EVENT_SEQUENCE_CLAIMED)
        })
      gtk_widget_add_controller(widget, press)
    }

    // MARK: Showing

    func setSide(_ side: Int) { gtk_widget_set_size_request(status.widget, gint(side), gint(side)) }

    /// Begins to show an item; its picture is set by the grid.
    func show(_ item: ImageGridItem, mode: ScaleMode, showsName: Bool) {
      id = item.id
      status.view.contentMode = mode
      status.view.alternativeText = item.request == nil ? nil : item.name
      showName(showsName && item.request != nil ? item.name : nil)
    }

    /// Ends what the cell shows.
    func clear() {
      status.images.clear()
      id = ""
      listItem = nil
    }

    /// Tells a screen reader what the cell is. GTK gives the focus to the widget of the list item around the cell.
    func setAccessibleName(_ name: String) {
      if let item = gtk_widget_get_parent(widget) { AccessibleName.set(name, of: item) }
    }

    private func showName(_ text: String?) {
      guard let text else {
        if let name { gtk_widget_set_visible(name, 0) }
        return
      }
      let name = self.name ?? makeName()
      self.name = name
      gtk_label_set_text(OpaquePointer(name), text)
      gtk_widget_set_tooltip_text(name, text)
      gtk_widget_set_visible(name, 1)
    }

    private func makeName() -> UnsafeMutablePointer<GtkWidget> {
      let name: UnsafeMutablePointer<GtkWidget> = gtk_label_new("")
      gtk_widget_add_css_class(name, "ozu-cell-name")
      // The end of a name, a number or an extension, tells more than its middle.
      gtk_label_set_ellipsize(OpaquePointer(name), PANGO_ELLIPSIZE_MIDDLE)
      gtk_label_set_max_width_chars(OpaquePointer(name), 8)
      append(name)
      return name
    }
  }

  /// The names of widgets for screen readers.
  @MainActor
  package enum AccessibleName {
    package static func set(_ text: String, of widget: UnsafeMutablePointer<GtkWidget>) {
      var value = GValue()
      g_value_init(&value, ozu_type_string())
      defer { g_value_unset(&value) }
      g_value_set_string(&value, text)
      var property = GTK_ACCESSIBLE_PROPERTY_LABEL
      gtk_accessible_update_property_value(OpaquePointer(widget), 1, &property, &value)
    }
  }
#endif
