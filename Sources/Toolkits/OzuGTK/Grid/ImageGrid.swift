#if GTK
  import CGTK
  import Foundation
  import Ozu

  /// A scrolling grid of square cells for any number of pictures, with a selection of several.
  ///
  /// ```swift
  /// let files = [URL(filePath: "/srv/photos/1.jpg"), URL(filePath: "/srv/photos/2.jpg")]
  /// let grid = ImageGrid(ImageGridList(files.map { ImageGridItem(id: $0.path(), request: ImageRequest(url: $0)) }))
  /// grid.onActivate = { position in print(files[position].lastPathComponent) }
  /// gtk_window_set_child(window, grid.widget)
  /// ```
  ///
  /// GTK keeps a few hundred widgets and binds them to what is visible. Pictures are loaded at the size of their cells when they
  /// are in sight, and those of the next screenful ahead (`prefetchesAhead`). A screen reader hears the name and the position of
  /// each cell. A click opens a picture; Ctrl or Shift and a click, a long press, Shift and the arrows and Ctrl+A select several,
  /// and then a click selects one more.
  ///
  /// The object holds a reference to its widget; keep it as long as the widget is used. CSS classes: `ozu-cell` and `ozu-cell-name`.
  @MainActor
  public final class ImageGrid {
    /// The `GtkScrolledWindow`, to be put into a container.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// Called with the position of the item that was activated, by a click or by Return.
    public var onActivate: @MainActor (Int) -> Void = { _ in }
    /// Called when other items are selected.
    public var onSelection: @MainActor () -> Void = {}
    /// Called with the position of a picture, a widget and a place on it when the user asks for the menu.
    public var onMenu: @MainActor (Int, UnsafeMutablePointer<GtkWidget>, Double, Double) -> Void = {
      _, _, _, _ in
    }
    /// Called when a cell begins to show an item, before its picture is set. The app may add widgets to the cell, and must
    /// reset those that it has added for an earlier item.
    public var onCell: @MainActor (ImageGridCell, ImageGridItem) -> Void = { _, _ in }
    /// What a screen reader says for an item at a position: `harbour.jpg, 3 of 20` by default.
    public var accessibleName: @MainActor (_ item: ImageGridItem, _ position: Int, _ count: Int) -> String = {
      item, position, count in ToolkitTexts.text("%1, %2 of %3", item.name, "\(position + 1)", "\(count)")
    }
    /// How pictures fill their cells; `.aspectFill` by default. A change binds all cells again.
    public var contentMode = ScaleMode.aspectFill { didSet { if contentMode != oldValue { rebind() } } }
    /// Whether names stand below the pictures; off by default. A change binds all cells again.
    public var showsNames = false { didSet { if showsNames != oldValue { rebind() } } }
    /// The cache format of the pictures; `nil` (the default) for one of the cells' own size. It takes effect when cells are bound.
    public var cacheFormat: CacheFormat?
    /// The options of the pictures; without previews by default, for which cells are too small.
    public var options = DisplayOptions { $0.showsPreviews = false }
    /// Whether the next screenful of pictures is loaded ahead when the user has scrolled; on by default.
    public var prefetchesAhead = true

    /// Called with the time that each binding of a cell took on the main thread.
    package var onBind: (@MainActor (Duration) -> Void)?

    /// All cells, by their widgets; GTK decides when they are made and removed.
    private var cells: [UnsafeMutablePointer<GtkWidget>: ImageGridCell] = [:]
    /// The cells in use, by the identities of their items.
    private var shown: [String: ImageGridCell] = [:]
    private let grid: OpaquePointer
    private let model: OpaquePointer
    private let selection: OpaquePointer
    private let pipeline: ImagePipeline
    private let find: @MainActor (String) -> ImageGridItem?
    private var isNaming = false
    private let ahead: GridPrefetching

    /// Makes a grid of the items of a list.
    public convenience init(_ list: ImageGridList, pipeline: ImagePipeline = .shared) {
      self.init(list.model, pipeline: pipeline) { list[$0] }
    }

    /// Makes a grid over a list of GTK with identities of items.
    ///
    /// - Parameters:
    ///   - model: a `GListModel` of `GtkStringObject`; each identity is in it once.
    ///   - item: the item with an identity.
    public init(
      _ model: OpaquePointer, pipeline: ImagePipeline = .shared,
      item: @escaping @MainActor (String) -> ImageGridItem?
    ) {
      (self.model, self.pipeline, find) = (model, pipeline, item)
      g_object_ref(ObjectPointer(model))
      selection = gtk_multi_selection_new(model)
      let factory = gtk_signal_list_item_factory_new()!
      let grid: UnsafeMutablePointer<GtkWidget> = gtk_grid_view_new(selection, factory)
      self.grid = OpaquePointer(grid)
      widget = gtk_scrolled_window_new()
      ahead = GridPrefetching(pipeline)
      gtk_scrolled_window_set_child(OpaquePointer(widget), grid)
      gtk_widget_set_vexpand(widget, 1)
      g_object_ref_sink(ObjectPointer(widget))
      setColumns()
      AccessibleName.set(ToolkitTexts.text("Pictures"), of: grid)

      SignalSource(factory).on("setup", withArgument: { [weak self] _, item in self?.makeCell(item) })
      SignalSource(factory).on("bind", withArgument: { [weak self] _, item in self?.bind(item) })
      SignalSource(factory).on("unbind", withArgument: { [weak self] _, item in self?.unbind(item) })
      SignalSource(factory).on("teardown", withArgument: { [weak self] _, item in self?.removeCell(item) })
      SignalSource(grid).on("activate", withNumber: { [weak self] _, place in self?.onActivate(place) })
      SignalSource(selection).on("selection-changed") { [weak self] _ in self?.selectionChanged() }
      // It passes on those of the list, which may live longer than the grid.
      SignalSource(selection).on("items-changed") { [weak self] _ in self?.nameCells() }
      let scroll = gtk_scrolled_window_get_vadjustment(OpaquePointer(widget))!
      SignalSource(scroll).on("value-changed") { [weak self] _ in self?.prefetchSoon() }
      SignalSource(scroll).on("changed") { [weak self] _ in self?.prefetchSoon() }
    }

    isolated deinit { g_object_unref(ObjectPointer(widget)) }

    // MARK: Cells

    /// The length of a cell's side at first, in points.
    public nonisolated static let standardCellSide = 160

    /// The length of the cells' sides, in points; 160 by default.
    ///
    /// - Precondition: it is more than 0.
    public var cellSide = ImageGrid.standardCellSide {
      didSet {
        precondition(cellSide > 0, "a cell has a side of a point at least")
        guard cellSide != oldValue else { return }
        for cell in cells.values { cell.setSide(cellSide) }
        setColumns()
      }
    }

    private func setColumns() {
      // Two columns of large cells would make the window wider.
      gtk_grid_view_set_min_columns(grid, cellSide > Self.standardCellSide ? 1 : 2)
      // GTK keeps thirty rows of as many cells as there may be columns. These fill 2,688 points.
      gtk_grid_view_set_max_columns(grid, guint(max(2_688 / (cellSide + 8), 2)))
    }

    /// The number of items.
    public var count: Int { Int(g_list_model_get_n_items(model)) }

    /// The item at a position; `nil` before the first and after the last.
    public func item(at position: Int) -> ImageGridItem? {
      ImageGridList.id(at: position, of: model).flatMap(find)
    }

    /// The cell that shows an item; `nil` while none does.
    public func cell(of id: String) -> ImageGridCell? { shown[id] }

    /// Calls a closure with every cell that shows an item.
    package func forEachCell(_ body: (ImageGridCell) -> Void) { shown.values.forEach(body) }

    /// Shows an item anew, whose request or name has changed, if it has a cell.
    public func refresh(_ id: String) {
      guard let item = find(id), let cell = shown[id] else { return }
      cell.status.images.clear()
      show(item, in: cell)
      name(cell, item)
    }

    /// Binds all cells again; the grid keeps its position.
    public func rebind() {
      // Removing and inserting items binds them again.
      let model = gtk_grid_view_get_model(grid)
      g_object_ref(ObjectPointer(model!))
      gtk_grid_view_set_model(grid, nil)
      gtk_grid_view_set_model(grid, model)
      g_object_unref(ObjectPointer(model!))
    }

    /// Gives the grid the keyboard focus.
    public func grabFocus() { gtk_widget_grab_focus(UnsafeMutablePointer(grid)) }

    private func makeCell(_ item: ObjectPointer?) {
      guard let item else { return }
      let cell = ImageGridCell(pipeline: pipeline, side: cellSide)
      cell.onMenu = { [weak self] id, widget, x, y in
        guard let self, find(id)?.request != nil, let position = shown[id]?.position else { return }
        onMenu(position, widget, x, y)
      }
      cell.onClick = { [weak self] id, modifiers in self?.click(id, modifiers) ?? false }
      cell.onLongPress = { [weak self] id in
        guard let self, find(id)?.request != nil, let position = shown[id]?.position else { return }
        isSelecting = true
        toggle(position)
      }
      cells[cell.widget] = cell
      gtk_list_item_set_child(OpaquePointer(item), cell.widget)
    }

    private func removeCell(_ item: ObjectPointer?) {
      guard let item, let widget = gtk_list_item_get_child(OpaquePointer(item)) else { return }
      cells[widget] = nil
    }

    private func cell(ofItem item: ObjectPointer?) -> ImageGridCell? {
      item.flatMap { gtk_list_item_get_child(OpaquePointer($0)) }.flatMap { cells[$0] }
    }

    private func id(of listItem: ObjectPointer?) -> String? {
      guard let listItem, let object = gtk_list_item_get_item(OpaquePointer(listItem)) else { return nil }
      return gtk_string_object_get_string(OpaquePointer(object)).map { String(cString: $0) }
    }

    private func bind(_ listItem: ObjectPointer?) {
      guard let listItem, let cell = cell(ofItem: listItem), let id = id(of: listItem), let item = find(id)
      else { return }
      let start = ContinuousClock.now
      cell.listItem = OpaquePointer(listItem)
      show(item, in: cell)
      name(cell, item)
      shown[id] = cell
      onBind?(ContinuousClock.now - start)
    }

    private func show(_ item: ImageGridItem, in cell: ImageGridCell) {
      cell.show(item, mode: contentMode, showsName: showsNames)
      onCell(cell, item)
      guard let request = item.request else { return cell.status.images.clear() }
      cell.status.images.cacheFormat = cacheFormat
      // Pictures are loaded ahead by the same options.
      cell.status.images.options = options
      cell.status.images.setImage(request)
    }

    private func unbind(_ listItem: ObjectPointer?) {
      guard let cell = cell(ofItem: listItem) else { return }
      cell.clear()
      if let id = id(of: listItem), shown[id] === cell { shown[id] = nil }
    }

    private func name(_ cell: ImageGridCell, _ item: ImageGridItem) {
      cell.setAccessibleName(accessibleName(item, cell.position ?? 0, count))
    }

    /// Names the cells in use again, after the list has changed.
    private func nameCells() {
      guard !shown.isEmpty, !isNaming else { return }
      isNaming = true
      // After GTK has bound and moved the cells.
      Task { [weak self] in
        guard let self else { return }
        isNaming = false
        for (id, cell) in shown where cell.listItem != nil {
          if let item = find(id) { name(cell, item) }
        }
      }
    }

    // MARK: Selection

    /// Whether a click selects an item instead of opening it: since one was selected by Ctrl, Shift or a long press, until none
    /// is selected any more.
    public private(set) var isSelecting = false

    /// The positions of the selected items, in the order of the list.
    public var selectedPositions: [Int] {
      guard let set = gtk_selection_model_get_selection(selection) else { return [] }
      defer { gtk_bitset_unref(set) }
      return (0..<guint(gtk_bitset_get_size(set))).map { Int(gtk_bitset_get_nth(set, $0)) }
    }

    /// Whether an item is selected.
    public func isSelected(_ position: Int) -> Bool {
      position >= 0 && gtk_selection_model_is_selected(selection, guint(clamping: position)) != 0
    }

    /// Selects an item alone, and scrolls to it.
    public func select(_ position: Int) {
      guard position >= 0, position < count else { return }
      isSelecting = false
      gtk_selection_model_select_item(selection, guint(position), 1)
      gtk_widget_activate_action_variant(
        UnsafeMutablePointer<GtkWidget>(grid), "list.scroll-to-item", g_variant_new_uint32(guint(position)))
    }

    /// Selects items alone, without scrolling.
    public func select(_ positions: [Int]) {
      gtk_selection_model_unselect_all(selection)
      for position in positions where position >= 0 && position < count {
        gtk_selection_model_select_item(selection, guint(position), 0)
      }
    }

    /// Selects all items of a range alone.
    public func select(_ range: Range<Int>) {
      gtk_selection_model_unselect_all(selection)
      let range = range.clamped(to: 0..<count)
      gtk_selection_model_select_range(selection, guint(range.lowerBound), guint(range.count), 1)
    }

    /// Selects nothing.
    public func unselectAll() { gtk_selection_model_unselect_all(selection) }

    /// A click opens an item, or selects one more while several are selected. Ctrl and Shift are left to GTK, except on an item
    /// without a picture, which is not selected by clicks.
    private func click(_ id: String, _ modifiers: GdkModifierType) -> Bool {
      let isModified = modifiers.rawValue & (GDK_CONTROL_MASK.rawValue | GDK_SHIFT_MASK.rawValue) != 0
      guard let item = find(id), let position = shown[id]?.position else { return false }
      if item.request == nil {
        if !isModified { onActivate(position) }
        return true
      }
      if isModified {
        isSelecting = true
        return false
      }
      if isSelecting { toggle(position) } else { onActivate(position) }
      return true
    }

    /// Selects an item in addition, or no longer.
    private func toggle(_ position: Int) {
      if isSelected(position) {
        gtk_selection_model_unselect_item(selection, guint(position))
      } else {
        gtk_selection_model_select_item(selection, guint(position), 0)
      }
    }

    private func selectionChanged() {
      // Two are enough to know.
      let count = selectedPositions.lazy.filter { self.item(at: $0)?.request != nil }.prefix(2).count
      if count == 0 { isSelecting = false } else if count > 1 { isSelecting = true }
      onSelection()
    }

    // MARK: Loading ahead

    private func prefetchSoon() {
      guard prefetchesAhead else { return }
      ahead.wait { [weak self] in self?.prefetch() }
    }

    private func prefetch() {
      let page = gtk_widget_get_height(widget)
      let visible = shown.values.filter { cell in
        var bounds = graphene_rect_t()
        return gtk_widget_compute_bounds(cell.widget, widget, &bounds) != 0 && bounds.size.height > 0
          && bounds.origin.y < Float(page) && bounds.origin.y + bounds.size.height > 0
      }
      let positions = visible.compactMap { $0.position }
      // Most cells are out of sight and were never drawn. They have no size, and pictures would be loaded in their own.
      guard let first = positions.min(), let last = positions.max(),
        let view = visible.first(where: {
          $0.status.images.request != nil && $0.status.images.view?.displaySize != nil
        })?.status.view
      else { return }
      let next = ahead.next(first...last, of: count)
      ahead.load(next.compactMap { item(at: $0)?.request }, in: view)
    }
  }
#endif
