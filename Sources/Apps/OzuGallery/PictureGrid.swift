#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// A scrolling grid of square cells for any number of pictures, with the folders before them. GTK keeps a few hundred
  /// widgets and binds them to the visible pictures.
  ///
  /// `PictureList` tells positions from places.
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

    /// Called with the folder that was activated.
    var onFolder: @MainActor (URL) -> Void = { _ in }
    /// Called with the position of a picture, a widget and a place when the user asks for the menu.
    var onMenu: @MainActor (Int, Widget, Double, Double) -> Void = { _, _, _, _ in }
    /// Called when other pictures are selected.
    var onSelection: @MainActor () -> Void = {}

    private let list = PictureList()
    /// All cells, by their widgets; GTK decides when they are made and removed.
    private var cells: [Widget: GridCell] = [:]
    /// The cells in use, by the keys of their items.
    private var shown: [String: GridCell] = [:]
    private var format: CacheFormat?
    private let grid: OpaquePointer
    private let selection: OpaquePointer
    private let pipeline: ImagePipeline
    private var isNaming = false

    /// Cells are too small for previews.
    private static let options = DisplayOptions { $0.showsPreviews = false }
    /// The length of a cell's side at first, in points.
    public static let cellSide = 160
    /// The sides among which users choose.
    nonisolated static let cellSides = [96, 128, 160, 208, 256, 320, 416, 512]

    /// The length of the cells' sides, in points.
    public var cellSide = PictureGrid.cellSide {
      didSet {
        guard cellSide != oldValue else { return }
        for cell in cells.values { cell.setSide(cellSide) }
        setColumns()
      }
    }

    init(_ items: [PictureItem], style: PictureStyle = PictureStyle(), pipeline: ImagePipeline) {
      self.style = style
      self.pipeline = pipeline
      g_object_ref(ObjectPointer(list.both))
      selection = gtk_multi_selection_new(list.both)
      let factory = gtk_signal_list_item_factory_new()!
      let grid: UnsafeMutablePointer<GtkWidget> = gtk_grid_view_new(selection, factory)
      self.grid = OpaquePointer(grid)
      widget = gtk_scrolled_window_new()
      gtk_scrolled_window_set_child(OpaquePointer(widget), grid)
      gtk_widget_set_vexpand(widget, 1)
      g_object_ref_sink(ObjectPointer(widget))
      setColumns()
      setLabel(grid, tr("Pictures"))

      SignalSource(factory).on("setup", withArgument: { [weak self] _, item in self?.makeCell(item) })
      SignalSource(factory).on("bind", withArgument: { [weak self] _, item in self?.bind(item) })
      SignalSource(factory).on("unbind", withArgument: { [weak self] _, item in self?.unbind(item) })
      SignalSource(factory).on("teardown", withArgument: { [weak self] _, item in self?.removeCell(item) })
      SignalSource(grid).on("activate", withNumber: { [weak self] _, place in self?.activate(place) })
      SignalSource(selection).on("selection-changed") { [weak self] _ in self?.selectionChanged() }
      SignalSource(list.pictures).on("items-changed") { [weak self] _ in self?.nameCells() }
      show(Listing(pictures: items))
    }

    isolated deinit {
      g_object_unref(ObjectPointer(widget))
    }

    private func setColumns() {
      // Two columns of large cells would make the window wider.
      gtk_grid_view_set_min_columns(grid, cellSide > Self.cellSide ? 1 : 2)
      // GTK keeps thirty rows of as many cells as there may be columns. These fill 2,688 points.
      gtk_grid_view_set_max_columns(grid, guint(2_688 / (cellSide + 8)))
    }

    // MARK: Pictures

    /// Shows other pictures and folders instead of its own.
    func show(_ new: Listing) {
      gtk_selection_model_unselect_all(selection)
      _ = list.show(Listing())
      _ = list.show(new)
    }

    /// Shows a newer state of the same pictures: cells of which nothing changed stay as they are, and so does the selection.
    func update(_ new: Listing) {
      let selected = Set(selectedItems.map(\.name))
      for name in list.show(new) { refresh(name) }
      if selected != Set(selectedItems.map(\.name)) { select(names: selected) }
    }

    /// Binds the cell of a picture again, if it is in use.
    func refresh(_ name: String) {
      guard let item = list[name], let cell = shown[name] else { return }
      cell.images.clear()
      cell.show(item, key: name, style: style, format: format, options: Self.options)
    }

    /// Changes what is known about a picture.
    func change(_ name: String, _ change: (inout PictureItem) -> Void) { list.change(name, change) }

    /// Removes a picture from the grid.
    ///
    /// - Returns: its position among all pictures, for `insert`; `nil` when the grid does not have it.
    func remove(_ name: String) -> Int? { list.remove(name) }

    /// Puts a picture back where it was.
    func insert(_ item: PictureItem, at index: Int) { list.insert(item, at: index) }

    /// Shows only pictures and folders whose names contain a text; all for an empty one.
    public func search(_ text: String) { list.search(text) }

    /// The number of pictures that the search leaves.
    public var count: Int { list.count }

    /// The number of folders that the search leaves.
    var folderCount: Int { list.folderCount }

    /// The number of all pictures and folders, without regard to the search.
    var totalCount: Int { list.totalCount }

    /// The picture at a position of the list; `nil` before the first and after the last.
    public func item(at position: Int) -> PictureItem? { list.item(at: position) }

    /// The thumbnail that the grid shows; `nil` while the picture is not visible or is loading.
    func thumbnail(of item: PictureItem) -> Picture? {
      shown[item.name]?.images.picture
    }

    /// The position of a picture in the list; `nil` when the list does not have it.
    func position(of name: String) -> Int? { list.position(of: name) }

    /// The list of the pictures, for other widgets.
    var model: OpaquePointer { list.pictures }

    // MARK: Selection

    /// Whether a click selects a picture instead of opening it: since one was selected by Ctrl, Shift or a long press, until
    /// none is selected any more.
    private(set) var isSelecting = false

    /// The positions of the selected pictures, in the order of the list.
    private var selectedPositions: [Int] {
      guard let set = gtk_selection_model_get_selection(selection) else { return [] }
      defer { gtk_bitset_unref(set) }
      return (0..<guint(gtk_bitset_get_size(set))).map { Int(gtk_bitset_get_nth(set, $0)) - folderCount }
        .filter { $0 >= 0 }
    }

    /// The selected pictures, in the order of the list.
    var selectedItems: [PictureItem] { selectedPositions.compactMap(item) }

    /// The position of the first selected picture.
    var selected: Int? { selectedPositions.first }

    /// Whether a picture is selected.
    func isSelected(_ position: Int) -> Bool {
      gtk_selection_model_is_selected(selection, guint(position + folderCount)) != 0
    }

    /// Selects a picture alone, and scrolls to it.
    func select(_ position: Int) {
      guard position >= 0, position < count else { return }
      isSelecting = false
      let place = guint(position + folderCount)
      gtk_selection_model_select_item(selection, place, 1)
      gtk_widget_activate_action_variant(Widget(grid), "list.scroll-to-item", g_variant_new_uint32(place))
    }

    /// Selects the pictures with these names alone.
    private func select(names: Set<String>) {
      gtk_selection_model_unselect_all(selection)
      guard !names.isEmpty else { return }
      for position in 0..<count where item(at: position).map({ names.contains($0.name) }) ?? false {
        gtk_selection_model_select_item(selection, guint(position + folderCount), 0)
      }
    }

    /// Selects all pictures, and no folders.
    func selectAll() {
      gtk_selection_model_unselect_all(selection)
      gtk_selection_model_select_range(selection, guint(folderCount), guint(count), 1)
    }

    /// Selects nothing.
    func unselectAll() { gtk_selection_model_unselect_all(selection) }

    /// The cell of the selected picture; `nil` while it is not visible.
    var selectedCell: Widget? { selected.flatMap { item(at: $0) }.flatMap { shown[$0.name]?.widget } }

    /// Gives the grid the keyboard focus.
    func focus() {
      gtk_widget_grab_focus(UnsafeMutablePointer(grid))
    }

    private func activate(_ place: Int) {
      if let folder = list.folder(atPlace: place)?.folder {
        onFolder(folder)
      } else {
        onActivate(place - folderCount)
      }
    }

    /// A click opens a picture, or selects one more while several are selected. Ctrl and Shift are left to GTK.
    private func click(_ key: String, _ modifiers: GdkModifierType) -> Bool {
      let isModified = modifiers.rawValue & (GDK_CONTROL_MASK.rawValue | GDK_SHIFT_MASK.rawValue) != 0
      if let folder = list[key]?.folder {
        if !isModified { onFolder(folder) }
        return true
      }
      if isModified {
        isSelecting = true
        return false
      }
      guard let position = position(of: key) else { return false }
      if isSelecting { toggle(position) } else { onActivate(position) }
      return true
    }

    /// Selects a picture in addition, or no longer.
    private func toggle(_ position: Int) {
      let place = guint(position + folderCount)
      if isSelected(position) {
        gtk_selection_model_unselect_item(selection, place)
      } else {
        gtk_selection_model_select_item(selection, place, 0)
      }
    }

    private func selectionChanged() {
      let count = selectedPositions.count
      if count == 0 { isSelecting = false } else if count > 1 { isSelecting = true }
      onSelection()
    }

    // MARK: Cells

    private func makeCell(_ item: ObjectPointer?) {
      guard let item else { return }
      let cell = GridCell(pipeline: pipeline, side: cellSide)
      cell.onMenu = { [weak self] name, widget, x, y in
        guard let self, let position = position(of: name) else { return }
        onMenu(position, widget, x, y)
      }
      cell.onClick = { [weak self] key, modifiers in self?.click(key, modifiers) ?? false }
      cell.onLongPress = { [weak self] key in
        guard let self, list[key]?.folder == nil, let position = position(of: key) else { return }
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

    private func cell(of item: ObjectPointer?) -> GridCell? {
      item.flatMap { gtk_list_item_get_child(OpaquePointer($0)) }.flatMap { cells[$0] }
    }

    private func key(of listItem: ObjectPointer?) -> String? {
      guard let listItem, let object = gtk_list_item_get_item(OpaquePointer(listItem)) else { return nil }
      return gtk_string_object_get_string(OpaquePointer(object)).map { String(cString: $0) }
    }

    private func bind(_ listItem: ObjectPointer?) {
      guard let listItem, let cell = cell(of: listItem), let key = key(of: listItem), let item = list[key]
      else { return }
      let start = ContinuousClock.now
      cell.listItem = OpaquePointer(listItem)
      if item.folder != nil {
        cell.showFolder(item, key: key, side: cellSide)
        cell.setAccessibleName(tr("Folder %1", item.name))
      } else {
        cell.show(item, key: key, style: style, format: format, options: Self.options)
        name(cell, item, (cell.place ?? 0) - folderCount)
      }
      shown[key] = cell
      onBind?(ContinuousClock.now - start)
    }

    private func unbind(_ listItem: ObjectPointer?) {
      guard let cell = cell(of: listItem) else { return }
      cell.clear()
      if let key = key(of: listItem), shown[key] === cell { shown[key] = nil }
    }

    /// Tells a screen reader the name of a picture and where it is in the list.
    private func name(_ cell: GridCell, _ item: PictureItem, _ position: Int) {
      var text = tr("%1, %2 of %3", item.name, "\(position + 1)", "\(count)")
      if item.rating > 0 { text += ", " + tr("%1 stars", "\(item.rating)") }
      cell.setAccessibleName(text)
    }

    /// Names the cells in use again, after the list has changed.
    private func nameCells() {
      guard !shown.isEmpty, !isNaming else { return }
      isNaming = true
      // After GTK has bound and moved the cells.
      Task { [weak self] in
        guard let self else { return }
        isNaming = false
        for (key, cell) in shown {
          guard let item = list[key], item.folder == nil, let place = cell.place else { continue }
          name(cell, item, place - folderCount)
        }
      }
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
#endif
