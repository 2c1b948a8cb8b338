#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// A scrolling grid of square cells for any number of pictures. GTK keeps a few hundred widgets and binds them to the
  /// visible pictures.
  @MainActor
  public final class PictureGrid {
    /// The scrolled window, to be put into a container.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// Called with the position of the picture that was activated.
    public var onActivate: @MainActor (Int) -> Void = { _ in }
    /// Called with the time that each binding of a cell took on the main thread.
    public var onBind: (@MainActor (Duration) -> Void)?
    /// The style of the pictures in their cells. Setting it binds all cells again.
    public var style = PictureStyle() {
      didSet {
        guard style != oldValue else { return }
        format = style.format
        rebind()
      }
    }

    /// Called with the position of a picture, a widget and a place when the user asks for the menu.
    var onMenu: @MainActor (Int, Widget, Double, Double) -> Void = { _, _, _, _ in }

    private var items: [String: PictureItem] = [:]
    /// All names, in the order of the list.
    private var order: [String] = []
    /// All cells, by their widgets; GTK decides when they are made and removed.
    private var cells: [Widget: GridCell] = [:]
    /// The cells in use, by the names of their pictures.
    private var shown: [String: GridCell] = [:]
    private var format: CacheFormat?
    private let names: OpaquePointer
    private let filter: OpaquePointer
    private let filtered: OpaquePointer
    private let grid: OpaquePointer
    private let selection: OpaquePointer
    private let pipeline: ImagePipeline

    /// Cells are too small for previews.
    private static let options = DisplayOptions { $0.showsPreviews = false }

    /// The length of a cell's side, in points.
    public static let cellSide = 160

    init(_ items: [PictureItem], style: PictureStyle = PictureStyle(), pipeline: ImagePipeline) {
      self.style = style
      self.pipeline = pipeline
      names = gtk_string_list_new(nil)
      let text = gtk_property_expression_new(gtk_string_object_get_type(), nil, "string")
      filter = gtk_string_filter_new(text)
      filtered = gtk_filter_list_model_new(names, UnsafeMutablePointer(filter))
      selection = gtk_single_selection_new(filtered)
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

      SignalSource(factory).on("setup", withArgument: { [weak self] _, item in self?.makeCell(item) })
      SignalSource(factory).on("bind", withArgument: { [weak self] _, item in self?.bind(item) })
      SignalSource(factory).on("unbind", withArgument: { [weak self] _, item in self?.unbind(item) })
      SignalSource(factory).on("teardown", withArgument: { [weak self] _, item in self?.removeCell(item) })
      SignalSource(grid).on("activate", withNumber: { [weak self] _, position in self?.onActivate(position) })
      show(items)
    }

    /// Shows other pictures instead of its own.
    func show(_ new: [PictureItem]) {
      let count = order.count
      items = Dictionary(new.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      order = new.map(\.name)
      replace(0, count, order)
    }

    /// Removes a picture from the grid.
    ///
    /// - Returns: its position among all pictures, for `insert`; `nil` when the grid does not have it.
    func remove(_ name: String) -> Int? {
      guard let index = order.firstIndex(of: name) else { return nil }
      order.remove(at: index)
      replace(index, 1, [])
      return index
    }

    /// Puts a picture back where it was.
    func insert(_ item: PictureItem, at index: Int) {
      items[item.name] = item
      let index = min(index, order.count)
      order.insert(item.name, at: index)
      replace(index, 0, [item.name])
    }

    private func replace(_ index: Int, _ count: Int, _ names: [String]) {
      var pointers: [UnsafePointer<CChar>?] = names.map { UnsafePointer(strdup($0)) } + [nil]
      gtk_string_list_splice(self.names, guint(index), guint(count), &pointers)
      for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) }
    }

    isolated deinit {
      g_object_unref(ObjectPointer(widget))
    }

    /// Shows only pictures whose names contain a text; all for an empty one.
    public func search(_ text: String) {
      gtk_string_filter_set_search(filter, text)
    }

    /// The number of pictures that the search leaves.
    public var count: Int { Int(g_list_model_get_n_items(filtered)) }

    /// The number of all pictures, without regard to the search.
    var totalCount: Int { order.count }

    /// The cell of the selected picture; `nil` while it is not visible.
    var selectedCell: Widget? { selected.flatMap { item(at: $0) }.flatMap { shown[$0.name]?.widget } }

    /// The picture at a position of the list; `nil` before the first and after the last.
    public func item(at position: Int) -> PictureItem? {
      guard position >= 0, let object = g_list_model_get_item(filtered, guint(position)) else { return nil }
      defer { g_object_unref(object) }
      return gtk_string_object_get_string(OpaquePointer(object)).flatMap { items[String(cString: $0)] }
    }

    /// The thumbnail that the grid shows; `nil` while the picture is not visible or is loading.
    func thumbnail(of item: PictureItem) -> Picture? {
      shown[item.name]?.images.picture
    }

    /// The position of a picture in the list; `nil` when the list does not have it.
    func position(of name: String) -> Int? {
      if count == order.count { return order.firstIndex(of: name) }
      return (0..<count).first { item(at: $0)?.name == name }
    }

    /// The position of the selected picture.
    var selected: Int? {
      let position = gtk_single_selection_get_selected(selection)
      return position == guint.max ? nil : Int(position)
    }

    /// Selects a picture, and scrolls to it.
    func select(_ position: Int) {
      guard position >= 0, position < count else { return }
      gtk_single_selection_set_selected(selection, guint(position))
      gtk_widget_activate_action_variant(
        Widget(grid), "list.scroll-to-item", g_variant_new_uint32(guint(position)))
    }

    /// The list of the pictures, for other widgets.
    var model: OpaquePointer { filtered }

    /// Gives the grid the keyboard focus.
    func focus() {
      gtk_widget_grab_focus(UnsafeMutablePointer(grid))
    }

    // MARK: Cells

    private func makeCell(_ item: ObjectPointer?) {
      guard let item else { return }
      let cell = GridCell(pipeline: pipeline)
      cell.onMenu = { [weak self] name, widget, x, y in
        guard let self, let position = position(of: name) else { return }
        onMenu(position, widget, x, y)
      }
      cells[cell.widget] = cell
      gtk_list_item_set_child(OpaquePointer(item), cell.widget)
    }

    private func removeCell(_ item: ObjectPointer?) {
      guard let item, let widget = gtk_list_item_get_child(OpaquePointer(item)) else { return }
      cells[widget] = nil
    }

    private func cell(of item: ObjectPointer?) -> GridCell? {
      item.flatMap { gtk_list_item_get_child(OpaquePointer($0)) }.flatMap { cells[$0] }
    }

    private func item(of listItem: ObjectPointer?) -> PictureItem? {
      guard let listItem, let object = gtk_list_item_get_item(OpaquePointer(listItem)),
        let text = gtk_string_object_get_string(OpaquePointer(object))
      else { return nil }
      return items[String(cString: text)]
    }

    private func bind(_ listItem: ObjectPointer?) {
      guard let cell = cell(of: listItem), let item = item(of: listItem) else { return }
      let start = ContinuousClock.now
      cell.show(item, style: style, format: format, options: Self.options)
      shown[item.name] = cell
      onBind?(ContinuousClock.now - start)
    }

    private func unbind(_ listItem: ObjectPointer?) {
      guard let cell = cell(of: listItem) else { return }
      cell.images.clear()
      if let item = item(of: listItem), shown[item.name] === cell { shown[item.name] = nil }
    }

    private func rebind() {
      // Removing and inserting items binds them again, and the grid keeps its position.
      let model = gtk_grid_view_get_model(grid)
      g_object_ref(ObjectPointer(model!))
      gtk_grid_view_set_model(grid, nil)
      gtk_grid_view_set_model(grid, model)
      g_object_unref(ObjectPointer(model!))
    }
  }

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
