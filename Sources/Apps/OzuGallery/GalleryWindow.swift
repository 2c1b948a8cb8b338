#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// A window: the grid, a view of one picture, and around them a header bar with search and messages.
  ///
  /// `GalleryWindow+Actions.swift` has its actions, which keys, menus and buttons share. `Shortcut` lists the keys.
  @MainActor
  public final class GalleryWindow {
    /// The `GtkWindow`.
    public let window: UnsafeMutablePointer<GtkWindow>
    /// All pictures.
    public let grid: PictureGrid
    /// One picture.
    public var detail: DetailView { page.detail }
    /// Called when the window is gone.
    var onClose: @MainActor () -> Void = {}

    let pipeline: ImagePipeline
    let page: DetailPage
    let search = gtk_search_entry_new()!
    let preferences: Preferences
    let toast = Toast()
    let filmstrip: Filmstrip
    let actions = WindowActions()
    var memory: WindowMemory
    private let memoryFile: URL?
    let stack = OpaquePointer(gtk_stack_new()!)
    let searchBar = gtk_search_bar_new()!
    let startPage = StartPage()
    let titleLabel = label("", "title", "window-title")
    let subtitleLabel = label("", "subtitle", "window-subtitle", "dim-label")
    lazy var backButton = button("go-previous-symbolic", tr("All pictures")) { [weak self] in
      self?.closeDetail()
    }
    /// The buttons of the header bar that belong to the large picture.
    lazy var tools = box(
      GTK_ORIENTATION_HORIZONTAL, spacing: 6,
      [
        wideTools[0], zoomControl.widget, wideTools[1],
        button("object-rotate-right-symbolic", tr("Turn clockwise")) { [weak self] in self?.turns.turn(by: 1)
        },
        wideTools[2],
      ])
    /// Those for which a narrow window has no room; the menu behind the percentage and the keys do the same.
    private lazy var wideTools = [
      button("zoom-out-symbolic", tr("Smaller")) { [weak self] in self?.detail.zoomOut() },
      button("zoom-in-symbolic", tr("Larger")) { [weak self] in self?.detail.zoomIn() },
      button("view-fullscreen-symbolic", tr("Full screen")) { [weak self] in self?.toggleFullscreen() },
    ]
    /// The width from which all buttons have room beside a title.
    private static let wideWidth = 600

    /// Shows the buttons for which the window has room.
    func fitTools(to width: Int) {
      isNarrow = width < Self.wideWidth
      for tool in wideTools { gtk_widget_set_visible(tool, isNarrow ? 0 : 1) }
      gtk_widget_set_visible(openButton, isNarrow && isShowingDetail ? 0 : 1)
    }

    private var isNarrow = false
    lazy var openButton = button("document-open-symbolic", tr("Open pictures")) { [weak self] in
      self?.chooseFiles()
    }

    let zoomControl = ZoomControl()
    lazy var searchButton = button("edit-find-symbolic", tr("Search")) { [weak self] in
      self?.startSearch()
    }
    lazy var upButton = button("go-up-symbolic", tr("Folder above")) { [weak self] in self?.goUp() }
    /// The bar with the actions on selected pictures.
    lazy var actionBar = selectionBar()
    let selectionLabel = label("")
    /// The number of the cells' size among those that there are.
    let sizeAdjustment = gtk_adjustment_new(0, 0, Double(PictureGrid.cellSides.count - 1), 1, 1, 0)!
    /// What is shown, to be read again; `nil` for pictures that were passed one by one.
    var source: PictureSource?
    /// All pictures and folders, also those that are hidden.
    var listing = Listing()
    var watch: FolderWatch?
    /// When the pictures of the folders were taken that were shown by date.
    var captureDates = CaptureDates()
    var dateReading: Task<Void, Never>?
    var reloadNumber = 0
    /// The new names of pictures that were renamed and have not been read again, by their old ones.
    var renamed: [String: String] = [:]
    /// The files that go to the trash when the time to undo is over.
    var leaving: Set<URL> = []
    var showsOnlyRated = false
    /// The writing of stars that was begun last.
    var starWriting: Task<Void, Never>?
    lazy var turns = PictureTurns(self)
    lazy var exported = ExportedWindow(window)
    /// The title of the pictures, such as the name of their folder.
    var title: String
    /// The position of the large picture in the list.
    public internal(set) var position = 0
    var slideshow: Task<Void, Never>?
    /// Counts the sources that were opened, so that a late answer for an older one is dropped.
    var showNumber = 0
    private(set) var isClosing = false

    init(_ items: [PictureItem], title: String, pipeline: ImagePipeline, memoryFile: URL? = nil) {
      _ = Look.applied
      self.title = title
      self.pipeline = pipeline
      self.memoryFile = memoryFile
      memory = WindowMemory(from: memoryFile)
      window = cast(gtk_window_new()!, to: GtkWindow.self)
      grid = PictureGrid(items, style: memory.style, pipeline: pipeline)
      grid.cellSide = memory.cellSide ?? PictureGrid.cellSide
      listing.pictures = items
      g_object_ref_sink(ObjectPointer(sizeAdjustment))
      gtk_adjustment_set_value(
        sizeAdjustment, Double(PictureGrid.cellSides.firstIndex(of: grid.cellSide) ?? 0))
      filmstrip = Filmstrip(grid.list.pictures, pipeline: pipeline) { [grid] in grid.item(at: $0) }
      let places = Places()
      page = DetailPage(
        pipeline: pipeline, previous: { places.window?.step(-1) }, next: { places.window?.step(1) },
        leave: { places.window?.leaveFullscreen() })
      preferences = Preferences(memory: memory)
      places.window = self
      Look.appearance = memory.appearance
      layOut()
      addActions()
      connectSignals()
      acceptDrops()
      updateTitle()
      updateStart()
    }

    isolated deinit { g_object_unref(ObjectPointer(sizeAdjustment)) }

    /// Lets closures that are made before the window know it.
    private final class Places { weak var window: GalleryWindow? }

    func present() {
      gtk_window_present(window)
      grid.focus()
    }

    /// Closes the window.
    public func close() { gtk_window_close(window) }

    /// Shows other pictures instead of its own.
    public func show(_ items: [PictureItem], title: String) {
      show(Listing(pictures: items), title: title, of: nil)
    }

    /// Shows one picture large.
    ///
    /// - Parameter position: its position in the list.
    public func open(at position: Int) {
      guard let item = grid.item(at: position) else { return }
      turns.finish()
      self.position = position
      detail.show(item, thumbnail: grid.thumbnail(of: item))
      isShowingDetail = true
      showPlace()
      detail.zoom.grabFocus()
    }

    /// Changes the list of the grid. Actions find the large picture by its place, so that follows.
    ///
    /// - Returns: whether the list has the large picture afterwards; true without one.
    @discardableResult
    func keepingPlace(_ change: () -> Void) -> Bool {
      let large = isShowingDetail ? grid.item(at: position)?.name : nil
      change()
      guard let name = large else { return true }
      guard let place = grid.list.position(of: name) else { return false }
      position = place
      showPlace()
      return true
    }

    /// Keeps only pictures whose names contain the text of the search.
    func followSearch() {
      guard let characters = gtk_editable_get_text(OpaquePointer(search)) else { return }
      let text = String(cString: characters)
      if !keepingPlace({ grid.search(text) }) { closeDetail() }
      updateTitle()
      updateStart()
    }

    /// Shows where the large picture is in the list.
    func showPlace() {
      page.setNeighbours(hasPrevious: position > 0, hasNext: position + 1 < grid.count)
      filmstrip.select(position)
      zoomControl.show(detail.zoom.scale)
      updateTitle()
    }

    /// Goes back to the grid, scrolled to the picture that was large.
    public func closeDetail() {
      endSlideshow()
      leaveFullscreen()
      guard isShowingDetail else { return }
      turns.finish()
      isShowingDetail = false
      detail.clear()
      grid.select(position)
      grid.focus()
    }

    /// Whether one picture is shown large.
    public private(set) var isShowingDetail = false {
      didSet {
        updateStart()
        updateSelection()
        gtk_widget_set_visible(upButton, canGoUp && !isShowingDetail ? 1 : 0)
        gtk_widget_set_visible(openButton, isNarrow && isShowingDetail ? 0 : 1)
        for (widget, isDetails) in [
          (backButton, true), (tools, true), (searchButton, false), (searchBar, false),
        ] {
          gtk_widget_set_visible(widget, isShowingDetail == isDetails ? 1 : 0)
        }
        updateTitle()
      }
    }

    /// The picture for actions: the large one, else the selected one.
    var subject: PictureItem? {
      grid.item(at: isShowingDetail ? position : grid.selected ?? -1)
    }

    func startSearch() {
      closeDetail()
      gtk_search_bar_set_search_mode(OpaquePointer(searchBar), 1)
      gtk_widget_grab_focus(search)
    }

    func endSearch() {
      gtk_editable_set_text(OpaquePointer(search), "")
      gtk_search_bar_set_search_mode(OpaquePointer(searchBar), 0)
      grid.focus()
    }

    /// Shows the reason why there are no pictures, instead of them.
    func say(_ title: String, _ text: String) {
      startPage.say(title, text)
      gtk_stack_set_visible_child_name(stack, "start")
    }

    func updateStart() {
      gtk_stack_set_visible_child_name(stack, isShowingDetail ? "detail" : "grid")
      guard !isShowingDetail, grid.count == 0, grid.list.folderCount == 0 else { return }
      if grid.list.totalCount > 0 {
        say(tr("Nothing Found"), tr("No picture has such a name."))
      } else if showsOnlyRated, !listing.pictures.isEmpty {
        say(tr("Nothing Found"), tr("No picture here has stars."))
      } else if source == nil || source == .nothing, listing.pictures.isEmpty,
        title == PictureSource.nothing.title
      {
        say(tr("Look at Pictures"), tr("Open a folder or pictures, or drop them here."))
      } else {
        say(tr("No Pictures Here"), tr("“%1” has no pictures that this program can show.", title))
      }
    }

    func updateTitle() {
      let item = isShowingDetail ? grid.item(at: position) : nil
      let count = grid.count
      gtk_label_set_text(OpaquePointer(titleLabel), item?.name ?? title)
      let text =
        item != nil
        ? tr("%1 of %2", "\(position + 1)", "\(count)")
        : count == 1
          ? tr("1 picture")
          : count == 0 ? "" : tr("%1 pictures", count.formatted(.number.locale(Texts.locale)))
      gtk_label_set_text(OpaquePointer(subtitleLabel), text)
      gtk_widget_set_visible(subtitleLabel, text.isEmpty ? 0 : 1)
      gtk_window_set_title(window, item?.name ?? title)
    }

    /// Ends pending work, and saves the size and the settings of the window.
    func remember() {
      isClosing = true
      turns.finish()
      toast.finish()
      let isMaximized = gtk_window_is_maximized(window) != 0
      if !isMaximized, gtk_window_is_fullscreen(window) == 0 {
        var (width, height) = (gint(0), gint(0))
        gtk_window_get_default_size(window, &width, &height)
        (memory.width, memory.height) = (Int(width), Int(height))
      }
      memory.isMaximized = isMaximized
      memory.save(to: memoryFile)
    }
  }
#endif
