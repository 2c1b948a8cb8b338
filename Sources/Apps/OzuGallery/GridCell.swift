#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// A cell of the grid: a picture, or the reason why there is none, and its name if names are shown.
  @MainActor
  final class GridCell {
    /// The cell, to be put into a list item.
    let widget: Widget
    private let view: StatusImageView
    private var name: Widget?
    /// Called with the name of the cell's picture and a place when the user asks for its menu.
    var onMenu: @MainActor (String, Widget, Double, Double) -> Void = { _, _, _, _ in }
    private var itemName = ""

    init(pipeline: ImagePipeline) {
      view = StatusImageView(pipeline: pipeline, style: .compact)
      let side = gint(PictureGrid.cellSide)
      gtk_widget_set_size_request(view.widget, side, side)
      gtk_widget_set_overflow(view.widget, GTK_OVERFLOW_HIDDEN)
      gtk_widget_add_css_class(view.widget, "cell")
      widget = box(GTK_ORIENTATION_VERTICAL, [view.widget])
      g_object_ref_sink(ObjectPointer(widget))
      gtk_widget_set_vexpand(view.widget, 1)
      view.view.isDraggable = true
      let click = gtk_gesture_click_new()!
      gtk_gesture_single_set_button(click, 3)
      SignalSource(click).onClick { [weak self] _, x, y in
        if let self { onMenu(itemName, widget, x, y) }
      }
      gtk_widget_add_controller(widget, click)
    }

    isolated deinit { g_object_unref(ObjectPointer(widget)) }

    /// The binding of the cell: it loads and shows pictures.
    var images: ImageBinding { view.images }

    /// Shows a picture.
    func show(_ item: PictureItem, style: PictureStyle, format: CacheFormat?, options: DisplayOptions) {
      itemName = item.name
      gtk_picture_set_content_fit(OpaquePointer(view.view.widget), style.contentFit)
      toggle(view.widget, "rounded", style.hasRoundedCorners)
      view.view.alternativeText = item.name
      showName(style.showsNames ? item.name : nil)
      images.cacheFormat = format
      images.setImage(style.request(for: item), options: options)
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
