#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// A scrolling grid of square cells over any number of pictures. GTK keeps a few hundred widgets and binds them to
  /// what comes into view.
  @MainActor
  public final class PictureGrid {
    /// The scrolled window, to be put into a container.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// Called with the place of the picture that was activated.
    public var onActivate: @MainActor (Int) -> Void = { _ in }
    /// Told how long each binding of a cell kept the main thread.
    public var onBind: (@MainActor (Duration) -> Void)?
    /// How pictures are brought to their cells. Setting it binds all cells anew.
    public var style = PictureStyle() {
      didSet {
        guard style != oldValue else { return }
        format = style.format
        rebind()
      }
    }

    private let items: [String: PictureItem]
    /// The cells in use, by the names of what they show.
    private var cells: [String: UnsafeMutablePointer<GtkWidget>] = [:]
    private var format: CacheFormat?
    private let names: OpaquePointer
    private let filter: OpaquePointer
    private let filtered: OpaquePointer
    private let grid: OpaquePointer
    private let pipeline: ImagePipeline

    /// Cells are reused: what a cell showed before must not be seen in it again. They are too small for previews.
    private static let options = DisplayOptions {
      $0.placeholder = .nothing
      $0.showsPreviews = false
    }

    /// The length of a cell's side, in points.
    public static let cellSide = 160

    init(_ items: [PictureItem], pipeline: ImagePipeline) {
      self.pipeline = pipeline
      self.items = Dictionary(items.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      names = gtk_string_list_new(nil)
      for item in items { gtk_string_list_append(names, item.name) }
      let text = gtk_property_expression_new(gtk_string_object_get_type(), nil, "string")
      filter = gtk_string_filter_new(text)
      filtered = gtk_filter_list_model_new(names, UnsafeMutablePointer(filter))
      let selection = gtk_single_selection_new(filtered)
      gtk_single_selection_set_autoselect(selection, 0)
      gtk_single_selection_set_can_unselect(selection, 1)
      let factory = gtk_signal_list_item_factory_new()!
      let grid: UnsafeMutablePointer<GtkWidget> = gtk_grid_view_new(selection, factory)
      self.grid = OpaquePointer(grid)
      gtk_grid_view_set_min_columns(self.grid, 2)
      gtk_grid_view_set_max_columns(self.grid, 16)
      gtk_grid_view_set_single_click_activate(self.grid, 1)
      widget = gtk_scrolled_window_new()
      gtk_scrolled_window_set_child(OpaquePointer(widget), grid)
      gtk_widget_set_vexpand(widget, 1)
      g_object_ref_sink(ObjectPointer(widget))

      connect(ObjectPointer(factory), "setup", withArgument: { _, item in Self.makeCell(item) })
      connect(ObjectPointer(factory), "bind", withArgument: { [weak self] _, item in self?.bind(item) })
      connect(ObjectPointer(factory), "unbind", withArgument: { [weak self] _, item in self?.unbind(item) })
      connect(
        ObjectPointer(grid), "activate",
        withNumber: { [weak self] _, position in
          self?.onActivate(position)
        })
    }

    isolated deinit {
      g_object_unref(ObjectPointer(widget))
    }

    /// Shows only pictures whose names contain a text; all for an empty one.
    public func search(_ text: String) {
      gtk_string_filter_set_search(filter, text)
    }

    /// How many pictures are to be seen.
    public var count: Int { Int(g_list_model_get_n_items(filtered)) }

    /// The picture at a place among those to be seen; `nil` before the first and after the last.
    public func item(at position: Int) -> PictureItem? {
      guard position >= 0, let object = g_list_model_get_item(filtered, guint(position)) else { return nil }
      defer { g_object_unref(object) }
      return gtk_string_object_get_string(OpaquePointer(object)).flatMap { items[String(cString: $0)] }
    }

    /// What the grid shows of a picture; `nil` while it is out of sight or loading.
    func thumbnail(of item: PictureItem) -> Picture? {
      cells[item.name]?.images.picture
    }

    /// Gives the keyboard to the grid.
    func focus() {
      gtk_widget_grab_focus(UnsafeMutablePointer(grid))
    }

    // MARK: Cells

    private static func makeCell(_ item: ObjectPointer?) {
      guard let item, let picture = gtk_picture_new() else { return }
      gtk_widget_set_size_request(picture, gint(cellSide), gint(cellSide))
      gtk_widget_set_overflow(picture, GTK_OVERFLOW_HIDDEN)
      gtk_widget_add_css_class(picture, "cell")
      gtk_list_item_set_child(OpaquePointer(item), picture)
    }

    private static func cell(of item: ObjectPointer?) -> UnsafeMutablePointer<GtkWidget>? {
      item.flatMap { gtk_list_item_get_child(OpaquePointer($0)) }
    }

    private func item(of listItem: ObjectPointer?) -> PictureItem? {
      guard let listItem, let object = gtk_list_item_get_item(OpaquePointer(listItem)),
        let text = gtk_string_object_get_string(OpaquePointer(object))
      else { return nil }
      return items[String(cString: text)]
    }

    private func bind(_ listItem: ObjectPointer?) {
      guard let cell = Self.cell(of: listItem), let item = item(of: listItem) else { return }
      let start = ContinuousClock.now
      gtk_picture_set_content_fit(OpaquePointer(cell), style.contentFit)
      toggle(cell, "rounded", style.hasRoundedCorners)
      gtk_picture_set_alternative_text(OpaquePointer(cell), item.name)
      let images = cell.images(pipeline)
      images.cacheFormat = format
      images.setImage(style.request(for: item), options: Self.options)
      cells[item.name] = cell
      onBind?(ContinuousClock.now - start)
    }

    private func unbind(_ listItem: ObjectPointer?) {
      guard let cell = Self.cell(of: listItem) else { return }
      cell.images.clear()
      if let item = item(of: listItem), cells[item.name] == cell { cells[item.name] = nil }
    }

    private func rebind() {
      // What was taken away and put back is bound anew, and the grid stays where it is.
      let model = gtk_grid_view_get_model(grid)
      g_object_ref(ObjectPointer(model!))
      gtk_grid_view_set_model(grid, nil)
      gtk_grid_view_set_model(grid, model)
      g_object_unref(ObjectPointer(model!))
    }
  }
#endif
