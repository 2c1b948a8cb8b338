#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// A cell of the grid: a picture, or the reason why there is none, and its name if names are shown; or a folder.
  @MainActor
  final class GridCell {
    /// The cell, to be put into a list item.
    let widget: Widget
    private let view: StatusImageView
    private var name: Widget?
    /// The symbol of a folder with its name, over the place of the picture.
    private var folder: (content: Widget, icon: Widget, name: Widget)?
    /// The stars, in a corner of the picture.
    private var stars: Widget?
    /// Called with the key of the cell's item and a place when the user asks for its menu.
    var onMenu: @MainActor (String, Widget, Double, Double) -> Void = { _, _, _, _ in }
    /// Called with the key of the cell's item and the modifiers when the user clicks it; returns whether that was all.
    var onClick: @MainActor (String, GdkModifierType) -> Bool = { _, _ in false }
    /// Called with the key of the cell's item when a finger stays on it.
    var onLongPress: @MainActor (String) -> Void = { _ in }
    /// The key of the item that is shown; empty for none.
    private(set) var key = ""
    /// The list item that the cell is in, while it shows something.
    var listItem: OpaquePointer?
    /// Its number in GTK's list.
    var place: Int? { listItem.map { Int(gtk_list_item_get_position($0)) } }

    init(pipeline: ImagePipeline, side: Int) {
      view = StatusImageView(pipeline: pipeline, style: .compact)
      gtk_widget_set_size_request(view.widget, gint(side), gint(side))
      gtk_widget_set_overflow(view.widget, GTK_OVERFLOW_HIDDEN)
      gtk_widget_add_css_class(view.widget, "cell")
      widget = box(GTK_ORIENTATION_VERTICAL, [view.widget])
      g_object_ref_sink(ObjectPointer(widget))
      gtk_widget_set_vexpand(view.widget, 1)
      view.view.isDraggable = true
      let second = gtk_gesture_click_new()!
      gtk_gesture_single_set_button(second, 3)
      SignalSource(second).onClick { [weak self] _, x, y in
        if let self { onMenu(key, widget, x, y) }
      }
      gtk_widget_add_controller(widget, second)
      let click = gtk_gesture_click_new()!
      gtk_gesture_single_set_button(click, 1)
      SignalSource(click).onClick("released") { [weak self] count, _, _ in
        guard let self, count == 1 else { return }
        let modifiers = gtk_event_controller_get_current_event_state(click)
        if onClick(key, modifiers) { gtk_gesture_set_state(click, GTK_EVENT_SEQUENCE_CLAIMED) }
      }
      gtk_widget_add_controller(widget, click)
      // A finger that stays on a picture selects it, as Ctrl and a click do.
      let press = gtk_gesture_long_press_new()!
      gtk_gesture_single_set_touch_only(press, 1)
      SignalSource(press).on(
        "pressed",
        withDoubles: { [weak self] _, _, _ in
          guard let self else { return }
          onLongPress(key)
          gtk_gesture_set_state(press, GTK_EVENT_SEQUENCE_CLAIMED)
        })
      gtk_widget_add_controller(widget, press)
    }

    isolated deinit { g_object_unref(ObjectPointer(widget)) }

    /// The binding of the cell: it loads and shows pictures.
    var images: ImageBinding { view.images }

    /// Sets the length of the picture's side, in points.
    func setSide(_ side: Int) {
      gtk_widget_set_size_request(view.widget, gint(side), gint(side))
      if let folder { gtk_image_set_pixel_size(OpaquePointer(folder.icon), gint(side * 2 / 5)) }
    }

    /// Shows a picture.
    func show(
      _ item: PictureItem, key: String, style: PictureStyle, format: CacheFormat?, options: DisplayOptions
    ) {
      self.key = key
      if let folder { gtk_widget_set_visible(folder.content, 0) }
      gtk_picture_set_content_fit(OpaquePointer(view.view.widget), style.contentFit)
      toggle(view.widget, "rounded", style.hasRoundedCorners)
      view.view.alternativeText = item.name
      showName(style.showsNames ? item.name : nil)
      showStars(item.rating)
      images.cacheFormat = format
      images.setImage(style.request(for: item), options: options)
    }

    /// Shows a folder.
    func showFolder(_ item: PictureItem, key: String, side: Int) {
      self.key = key
      images.clear()
      view.view.alternativeText = nil
      setLabel(view.view.widget, item.name)
      showName(nil)
      showStars(0)
      let folder = folder ?? makeFolder(side)
      self.folder = folder
      gtk_label_set_text(OpaquePointer(folder.name), item.name)
      gtk_widget_set_tooltip_text(folder.content, item.name)
      gtk_widget_set_visible(folder.content, 1)
    }

    /// Ends what the cell shows.
    func clear() {
      images.clear()
      key = ""
      listItem = nil
    }

    /// Tells a screen reader what the cell is. GTK gives the focus to the widget of the list item around the cell.
    func setAccessibleName(_ name: String) {
      if let item = gtk_widget_get_parent(widget) { setLabel(item, name) }
    }

    private func makeFolder(_ side: Int) -> (content: Widget, icon: Widget, name: Widget) {
      let icon: Widget = gtk_image_new_from_icon_name("folder-symbolic")
      gtk_image_set_pixel_size(OpaquePointer(icon), gint(side * 2 / 5))
      let name = label("")
      gtk_label_set_ellipsize(OpaquePointer(name), PANGO_ELLIPSIZE_MIDDLE)
      gtk_label_set_max_width_chars(OpaquePointer(name), 8)
      let content = box(GTK_ORIENTATION_VERTICAL, spacing: 6, [icon, name])
      gtk_widget_add_css_class(content, "folder")
      gtk_widget_set_valign(content, GTK_ALIGN_CENTER)
      gtk_overlay_add_overlay(OpaquePointer(view.widget), content)
      return (content, icon, name)
    }

    private func showStars(_ rating: Int) {
      guard rating > 0 else {
        if let stars { gtk_widget_set_visible(stars, 0) }
        return
      }
      let stars = self.stars ?? makeStars()
      self.stars = stars
      gtk_label_set_text(OpaquePointer(stars), String(repeating: "★", count: rating))
      gtk_widget_set_visible(stars, 1)
    }

    private func makeStars() -> Widget {
      let stars = label("", "stars")
      gtk_widget_set_halign(stars, GTK_ALIGN_START)
      gtk_widget_set_valign(stars, GTK_ALIGN_END)
      gtk_widget_set_can_target(stars, 0)
      gtk_overlay_add_overlay(OpaquePointer(view.widget), stars)
      return stars
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

    private func makeName() -> Widget {
      let name = label("", "cell-name")
      // The end of a name, a number or an extension, tells more than its middle.
      gtk_label_set_ellipsize(OpaquePointer(name), PANGO_ELLIPSIZE_MIDDLE)
      gtk_label_set_max_width_chars(OpaquePointer(name), 8)
      gtk_box_append(cast(widget, to: GtkBox.self), name)
      return name
    }
  }
#endif
