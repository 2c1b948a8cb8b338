#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// The preferences about the appearance of pictures.
  public struct PictureStyle: Equatable, Sendable {
    /// The mode in which pictures fill their cells.
    public var mode = ScaleMode.aspectFill
    /// Whether cells have round corners. GTK clips them; the pictures are the same.
    public var hasRoundedCorners = false
    /// Whether names are shown below the pictures.
    public var showsNames = false

    /// Makes the style of a new gallery.
    public init() {}
  }

  /// The pictures of a window in an `ImageGrid`, with the folders before them, and with stars.
  ///
  /// `PictureList` tells positions from places.
  @MainActor
  public final class PictureGrid {
    /// Called with the position of the picture that was activated.
    public var onActivate: @MainActor (Int) -> Void = { _ in }
    /// Called with the time that each binding of a cell took on the main thread.
    public var onBind: (@MainActor (Duration) -> Void)? {
      get { grid.onBind }
      set { grid.onBind = newValue }
    }
    /// The style of the pictures in their cells. Setting it binds all cells again.
    public var style: PictureStyle {
      didSet {
        guard style != oldValue else { return }
        apply(style)
        // The grid does so itself for these.
        if style.mode == oldValue.mode, style.showsNames == oldValue.showsNames { grid.rebind() }
      }
    }

    var onFolder: @MainActor (URL) -> Void = { _ in }
    /// Called with the position of a picture, a widget and a place when the user asks for the menu.
    var onMenu: @MainActor (Int, Widget, Double, Double) -> Void = { _, _, _, _ in }
    /// Called when other pictures are selected.
    var onSelection: @MainActor () -> Void = {}

    let list = PictureList()
    private let grid: ImageGrid

    /// The length of a cell's side at first, in points.
    public static let cellSide = ImageGrid.standardCellSide
    /// The sides among which users choose.
    nonisolated static let cellSides = [96, 128, 160, 208, 256, 320, 416, 512]

    /// The length of the cells' sides, in points.
    public var cellSide: Int {
      get { grid.cellSide }
      set {
        grid.cellSide = newValue
        grid.forEachCell { ($0.attachment as? CellDecoration)?.setSide(newValue) }
      }
    }

    init(_ items: [PictureItem], style: PictureStyle, pipeline: ImagePipeline) {
      let list = list
      grid = ImageGrid(list.both, pipeline: pipeline) { key in
        list[key].map { item in
          ImageGridItem(id: key, request: item.folder == nil ? item.request : nil, name: item.name)
        }
      }
      self.style = style
      // The files of a folder are read as fast as they are scrolled to, and no cell that is out of sight is loaded.
      grid.prefetchesAhead = false
      apply(style)
      grid.accessibleName = { [weak self] item, place, _ in self?.accessibleName(item, place) ?? item.name }
      grid.onCell = { [weak self] cell, item in self?.decorate(cell, item) }
      grid.onActivate = { [weak self] place in self?.activate(place) }
      grid.onSelection = { [weak self] in self?.onSelection() }
      grid.onMenu = { [weak self] place, widget, x, y in
        guard let self else { return }
        onMenu(place - list.folderCount, widget, x, y)
      }
      show(Listing(pictures: items))
    }

    /// The scrolled window, to be put into a container.
    public var widget: UnsafeMutablePointer<GtkWidget> { grid.widget }

    private func apply(_ style: PictureStyle) {
      grid.contentMode = style.mode
      grid.showsNames = style.showsNames
    }

    // MARK: Cells

    private func decorate(_ cell: ImageGridCell, _ item: ImageGridItem) {
      guard let picture = list[item.id] else { return }
      let decoration = cell.attachment as? CellDecoration ?? CellDecoration(cell)
      cell.attachment = decoration
      decoration.show(picture, side: cellSide)
      toggle(cell.status.widget, "rounded", style.hasRoundedCorners && picture.folder == nil)
      if picture.folder != nil { AccessibleName.set(picture.name, of: cell.status.view.widget) }
    }

    /// What a screen reader says: the name of a picture and where it is in the list.
    private func accessibleName(_ item: ImageGridItem, _ place: Int) -> String {
      guard item.request != nil else { return tr("Folder %1", item.name) }
      let text = tr("%1, %2 of %3", item.name, "\(place - list.folderCount + 1)", "\(count)")
      let rating = list[item.id]?.rating ?? 0
      return rating > 0 ? text + ", " + tr("%1 stars", "\(rating)") : text
    }

    // MARK: Pictures

    /// Shows other pictures and folders instead of its own.
    func show(_ new: Listing) {
      grid.unselectAll()
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
    func refresh(_ name: String) { grid.refresh(name) }

    /// Shows only pictures and folders whose names contain a text; all for an empty one.
    public func search(_ text: String) { list.search(text) }

    /// The number of pictures that the search leaves.
    public var count: Int { list.count }

    /// The picture at a position of the list; `nil` before the first and after the last.
    public func item(at position: Int) -> PictureItem? { list.item(at: position) }

    /// The thumbnail that the grid shows; `nil` while the picture is not visible or is loading.
    func thumbnail(of item: PictureItem) -> Picture? { grid.cell(of: item.name)?.status.images.picture }

    // MARK: Selection

    /// Whether a click selects a picture instead of opening it.
    var isSelecting: Bool { grid.isSelecting }

    /// The positions of the selected pictures, in the order of the list.
    private var selectedPositions: [Int] {
      grid.selectedPositions.map { $0 - list.folderCount }.filter { $0 >= 0 }
    }

    /// The selected pictures, in the order of the list.
    var selectedItems: [PictureItem] { selectedPositions.compactMap(item) }

    var selected: Int? { selectedPositions.first }

    func isSelected(_ position: Int) -> Bool { grid.isSelected(position + list.folderCount) }

    /// Selects a picture alone, and scrolls to it.
    func select(_ position: Int) {
      if position >= 0, position < count { grid.select(position + list.folderCount) }
    }

    /// Selects the pictures with these names alone.
    private func select(names: Set<String>) {
      let positions =
        names.isEmpty ? [] : (0..<count).filter { item(at: $0).map { names.contains($0.name) } ?? false }
      grid.select(positions.map { $0 + list.folderCount })
    }

    /// Selects all pictures, and no folders.
    func selectAll() { grid.select(list.folderCount..<list.folderCount + count) }

    func unselectAll() { grid.unselectAll() }

    /// The cell of the selected picture; `nil` while it is not visible.
    var selectedCell: Widget? { selected.flatMap { item(at: $0) }.flatMap { grid.cell(of: $0.name)?.widget } }

    func focus() { grid.grabFocus() }

    private func activate(_ place: Int) {
      if let folder = list.folder(atPlace: place)?.folder {
        onFolder(folder)
      } else {
        onActivate(place - list.folderCount)
      }
    }
  }

  /// What the gallery puts over the cells of its grid: the stars of a picture, or the symbol and the name of a folder.
  @MainActor
  final class CellDecoration {
    /// The symbol of a folder with its name, over the place of the picture.
    private var folder: (content: Widget, icon: Widget, name: Widget)?
    /// The stars, in a corner of the picture.
    private var stars: Widget?
    private let overlay: OpaquePointer

    init(_ cell: ImageGridCell) { overlay = OpaquePointer(cell.status.widget) }

    /// Shows what belongs to an item.
    ///
    /// - Parameter side: the length of the cell's side, in points.
    func show(_ item: PictureItem, side: Int) {
      showStars(item.rating)
      if item.folder != nil { showFolder(item.name, side) } else { hideFolder() }
    }

    /// Sets the length of the cell's side, in points.
    func setSide(_ side: Int) {
      if let folder { gtk_image_set_pixel_size(OpaquePointer(folder.icon), gint(side * 2 / 5)) }
    }

    private func hideFolder() {
      if let folder { gtk_widget_set_visible(folder.content, 0) }
    }

    private func showFolder(_ name: String, _ side: Int) {
      let folder = folder ?? makeFolder()
      self.folder = folder
      setSide(side)
      gtk_label_set_text(OpaquePointer(folder.name), name)
      gtk_widget_set_tooltip_text(folder.content, name)
      gtk_widget_set_visible(folder.content, 1)
    }

    private func makeFolder() -> (content: Widget, icon: Widget, name: Widget) {
      let icon: Widget = gtk_image_new_from_icon_name("folder-symbolic")
      let name = label("")
      gtk_label_set_ellipsize(OpaquePointer(name), PANGO_ELLIPSIZE_MIDDLE)
      gtk_label_set_max_width_chars(OpaquePointer(name), 8)
      let content = box(GTK_ORIENTATION_VERTICAL, spacing: 6, [icon, name])
      gtk_widget_add_css_class(content, "folder")
      gtk_widget_set_valign(content, GTK_ALIGN_CENTER)
      gtk_overlay_add_overlay(overlay, content)
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
      gtk_overlay_add_overlay(overlay, stars)
      return stars
    }
  }
#endif
