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

    /// The cells in use and their pictures, by the names of these.
    private var cells: [String: Widget] = [:]
    private var items: [String: PictureItem] = [:]

    /// The position of the picture that is shown large.
    private var current = 0
    /// The width of the view and of all cells for which the strip was last centred.
    private var centered = (0.0, 0.0)

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
      // When the strip appears or changes its width, and when pictures come and go.
      SignalSource(adjustment).on("changed") { [weak self] _ in
        guard let self else { return }
        let now = (gtk_adjustment_get_page_size(adjustment), gtk_adjustment_get_upper(adjustment))
        guard now != centered else { return }
        centered = now
        center()
      }
      SignalSource(factory).on("setup", withArgument: { _, item in Self.makeCell(item) })
      SignalSource(factory).on("bind", withArgument: { [weak self] _, item in self?.bind(item) })
      SignalSource(factory).on("unbind", withArgument: { [weak self] _, item in self?.unbind(item) })
      SignalSource(list).on("activate", withNumber: { [weak self] _, position in self?.onActivate(position) })
    }

    isolated deinit { g_object_unref(ObjectPointer(widget)) }

    /// Selects the picture that is shown large, and brings it to the middle.
    func select(_ position: Int) {
      current = position
      gtk_single_selection_set_selected(selection, guint(position))
      center()
    }

    /// Scrolls to the picture that is shown large.
    func center() {
      let count = Double(g_list_model_get_n_items(selection))
      let page = gtk_adjustment_get_page_size(adjustment)
      guard count > 0, page > 0 else { return }
      // All cells are equally wide. GTK estimates the widths of those that it has not made by the others.
      let width = gtk_adjustment_get_upper(adjustment) / count
      gtk_adjustment_set_value(adjustment, (Double(current) + 0.5) * width - page / 2)
    }

    private var adjustment: UnsafeMutablePointer<GtkAdjustment> {
      gtk_scrolled_window_get_hadjustment(OpaquePointer(widget))
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
      if let row = gtk_widget_get_parent(cell) { AccessibleName.set(item.name, of: row) }
      (cells[item.name], items[item.name]) = (cell, item)
      picture.images.setImage(ImageRequest(item.source), options: Self.options)
    }

    /// Loads a picture again, if it is in sight.
    func refresh(_ name: String) {
      guard let cell = cells[name], let item = items[name] else { return }
      let images = PictureWidget(cell, pipeline: pipeline).images
      images.clear()
      images.setImage(ImageRequest(item.source), options: Self.options)
    }

    private func unbind(_ listItem: ObjectPointer?) {
      guard let listItem, let cell = gtk_list_item_get_child(OpaquePointer(listItem)) else { return }
      PictureWidget(cell, pipeline: pipeline).images.clear()
      for name in cells.filter({ $0.value == cell }).keys { (cells[name], items[name]) = (nil, nil) }
    }
  }
#endif
