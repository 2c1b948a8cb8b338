#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// A row of small pictures below the large one, for all pictures of the list. GTK keeps only widgets for those that fit.
  @MainActor
  final class Filmstrip {
    /// A `GtkScrolledWindow`, to be put into a container.
    let widget: Widget
    /// Called with the position of the picture that was activated.
    var onActivate: @MainActor (Int) -> Void = { _ in }

    private let list: Widget
    private let selection: OpaquePointer
    private let pipeline: ImagePipeline
    /// The picture at a position of the list.
    private let item: @MainActor (Int) -> PictureItem?

    private static let height = 64
    private static let options = DisplayOptions {
      $0.placeholder = .otherSize()
      $0.showsPreviews = false
    }

    /// - Parameter model: the list of the pictures; `item` gives the picture at a position of it.
    init(_ model: OpaquePointer, pipeline: ImagePipeline, item: @escaping @MainActor (Int) -> PictureItem?) {
      self.pipeline = pipeline
      self.item = item
      g_object_ref(ObjectPointer(model))
      selection = gtk_single_selection_new(model)
      let factory = gtk_signal_list_item_factory_new()!
      list = gtk_list_view_new(selection, factory)
      gtk_orientable_set_orientation(OpaquePointer(list), GTK_ORIENTATION_HORIZONTAL)
      gtk_list_view_set_single_click_activate(OpaquePointer(list), 1)
      gtk_widget_add_css_class(list, "filmstrip")
      widget = gtk_scrolled_window_new()
      g_object_ref_sink(ObjectPointer(widget))
      gtk_scrolled_window_set_policy(OpaquePointer(widget), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER)
      gtk_scrolled_window_set_child(OpaquePointer(widget), list)
      gtk_widget_set_visible(widget, 0)
      SignalSource(factory).on("setup", withArgument: { _, item in Self.makeCell(item) })
      SignalSource(factory).on("bind", withArgument: { [weak self] _, item in self?.bind(item) })
      SignalSource(factory).on("unbind", withArgument: { [weak self] _, item in self?.unbind(item) })
      SignalSource(list).on("activate", withNumber: { [weak self] _, position in self?.onActivate(position) })
    }

    isolated deinit { g_object_unref(ObjectPointer(widget)) }

    /// Selects the picture that is shown large, and scrolls to it.
    func select(_ position: Int) {
      gtk_single_selection_set_selected(selection, guint(position))
      gtk_widget_activate_action_variant(list, "list.scroll-to-item", g_variant_new_uint32(guint(position)))
    }

    private static func makeCell(_ item: ObjectPointer?) {
      guard let item, let picture = gtk_picture_new() else { return }
      gtk_widget_set_size_request(picture, gint(height * 4 / 3), gint(height))
      gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_COVER)
      gtk_list_item_set_child(OpaquePointer(item), picture)
    }

    private func bind(_ listItem: ObjectPointer?) {
      guard let listItem, let cell = gtk_list_item_get_child(OpaquePointer(listItem)),
        let item = item(Int(gtk_list_item_get_position(OpaquePointer(listItem))))
      else { return }
      let picture = PictureWidget(cell, pipeline: pipeline)
      picture.alternativeText = item.name
      picture.images.setImage(ImageRequest(item.source), options: Self.options)
    }

    private func unbind(_ listItem: ObjectPointer?) {
      guard let listItem, let cell = gtk_list_item_get_child(OpaquePointer(listItem)) else { return }
      PictureWidget(cell, pipeline: pipeline).images.clear()
    }
  }
#endif
