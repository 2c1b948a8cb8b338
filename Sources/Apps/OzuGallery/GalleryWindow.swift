#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// A window: the grid, a view of one picture, and around them a header bar with search, messages and a line for developers.
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
    let status: StatusBar
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
    lazy var backButton = button("go-previous-symbolic", "All pictures") { [weak self] in
      self?.closeDetail()
    }
    /// The buttons of the header bar that belong to the large picture.
    lazy var tools = box(
      GTK_ORIENTATION_HORIZONTAL, spacing: 6,
      [
        button("zoom-out-symbolic", "Smaller") { [weak self] in self?.detail.zoomOut() },
        button("zoom-in-symbolic", "Larger") { [weak self] in self?.detail.zoomIn() },
        button("object-rotate-right-symbolic", "Turn clockwise") { [weak self] in self?.turn(by: 1) },
        button("view-fullscreen-symbolic", "Full screen") { [weak self] in self?.toggleFullscreen() },
      ])
    lazy var searchButton = button("edit-find-symbolic", "Search") { [weak self] in
      self?.startSearch()
    }
    /// The title of the pictures, such as the name of their folder.
    private(set) var title: String
    /// The position of the large picture in the list.
    public internal(set) var position = 0
    var slideshow: Task<Void, Never>?
    /// Counts the sources that were opened, so that a late answer for an older one is dropped.
    var showNumber = 0
    /// Whether the window is closing.
    private(set) var isClosing = false

    init(_ items: [PictureItem], title: String, pipeline: ImagePipeline, memoryFile: URL? = nil) {
      _ = Look.applied
      self.title = title
      self.pipeline = pipeline
      self.memoryFile = memoryFile
      memory = WindowMemory(from: memoryFile)
      window = cast(gtk_window_new()!, to: GtkWindow.self)
      var style = PictureStyle()
      style.showsNames = memory.showsNames
      style.mode = memory.fillsCells ? .aspectFill : .aspectFit
      grid = PictureGrid(items, style: style, pipeline: pipeline)
      filmstrip = Filmstrip(grid.model, pipeline: pipeline) { [grid] in grid.item(at: $0) }
      let places = Places()
      page = DetailPage(
        pipeline: pipeline, previous: { places.window?.step(-1) }, next: { places.window?.step(1) },
        leave: { places.window?.leaveFullscreen() })
      preferences = Preferences(pipeline: pipeline, style: style, memory: memory)
      status = StatusBar(pipeline: pipeline)
      places.window = self
      Look.appearance = memory.appearance
      layOut()
      addActions()
      connectSignals()
      acceptDrops()
      updateTitle()
      updateStart()
    }

    /// Lets closures that are made before the window know it.
    private final class Places { weak var window: GalleryWindow? }

    /// Shows the window.
    func present() {
      gtk_window_present(window)
      grid.focus()
    }

    /// Closes the window.
    public func close() { gtk_window_close(window) }

    /// Shows other pictures instead of its own.
    public func show(_ items: [PictureItem], title: String) {
      toast.finish()
      showNumber += 1
      closeDetail()
      self.title = title
      grid.show(items)
      updateTitle()
      updateStart()
    }

    /// Shows one picture large.
    ///
    /// - Parameter position: its position in the list.
    public func open(at position: Int) {
      guard let item = grid.item(at: position) else { return }
      self.position = position
      detail.show(item, style: grid.style, thumbnail: grid.thumbnail(of: item))
      page.setNeighbours(hasPrevious: position > 0, hasNext: position + 1 < grid.count)
      isShowingDetail = true
      filmstrip.select(position)
      detail.zoom.grabFocus()
    }

    /// Goes back to the grid, scrolled to the picture that was large.
    public func closeDetail() {
      endSlideshow()
      leaveFullscreen()
      guard isShowingDetail else { return }
      isShowingDetail = false
      detail.clear()
      grid.select(position)
      grid.focus()
    }

    /// Whether one picture is shown large.
    public private(set) var isShowingDetail = false {
      didSet {
        updateStart()
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
      guard !isShowingDetail, grid.count == 0 else { return }
      if grid.totalCount > 0 {
        say("Nothing Found", "No picture has such a name.")
      } else if title == PictureSource.nothing.title {
        say("Look at Pictures", "Open a folder or pictures, or drop them here.")
      } else {
        say("No Pictures Here", "“\(title)” has no pictures that this program can show.")
      }
    }

    func updateTitle() {
      let item = isShowingDetail ? grid.item(at: position) : nil
      let count = grid.count
      gtk_label_set_text(OpaquePointer(titleLabel), item?.name ?? title)
      let text =
        item != nil
        ? "\(position + 1) of \(count)" : count == 1 ? "1 picture" : count == 0 ? "" : "\(count) pictures"
      gtk_label_set_text(OpaquePointer(subtitleLabel), text)
      gtk_widget_set_visible(subtitleLabel, text.isEmpty ? 0 : 1)
      gtk_window_set_title(window, item?.name ?? title)
    }

    /// Ends pending work, and saves the size and the settings of the window.
    func remember() {
      isClosing = true
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
