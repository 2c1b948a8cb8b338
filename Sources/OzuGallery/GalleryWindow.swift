#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// A window: the grid, one picture large, a search field, preferences and the status line.
  ///
  /// Keys: arrows and Return, or a click, open a picture; Escape goes back, left and right go on, + − 0 zoom, Ctrl+C
  /// copies. Ctrl+F searches, Return opens what is found, Escape ends the search.
  @MainActor
  public final class GalleryWindow {
    /// The `GtkWindow`.
    public let window: UnsafeMutablePointer<GtkWindow>
    /// All pictures.
    public let grid: PictureGrid
    /// One picture.
    public let detail: DetailView
    /// Called when the window is gone.
    var onClose: @MainActor () -> Void = {}

    private let stack: OpaquePointer
    private let search: UnsafeMutablePointer<GtkWidget>
    /// The buttons of the header bar that belong to the large picture.
    private lazy var tools = box(
      GTK_ORIENTATION_HORIZONTAL, spacing: 6,
      [
        button("go-previous-symbolic", "Back") { [weak self] in self?.closeDetail() },
        button("zoom-out-symbolic", "Smaller") { [weak self] in self?.detail.zoomOut() },
        button("zoom-in-symbolic", "Larger") { [weak self] in self?.detail.zoomIn() },
      ])
    private let preferences: Preferences
    private let status: StatusBar
    private var position = 0

    init(_ items: [PictureItem], title: String, pipeline: ImagePipeline) {
      _ = Look.applied
      let widget: UnsafeMutablePointer<GtkWidget> = gtk_window_new()
      window = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
      grid = PictureGrid(items, pipeline: pipeline)
      detail = DetailView(pipeline: pipeline)
      preferences = Preferences(pipeline: pipeline)
      status = StatusBar(pipeline: pipeline)
      search = gtk_search_entry_new()
      stack = OpaquePointer(gtk_stack_new())
      gtk_window_set_title(window, title)
      gtk_window_set_default_size(window, 1100, 760)
      layOut()
      connectSignals()
    }

    /// Shows the window.
    func present() {
      gtk_window_present(window)
      grid.focus()
    }

    /// Closes the window.
    public func close() {
      gtk_window_close(window)
    }

    /// Shows one picture large.
    ///
    /// - Parameter position: its place among those to be seen.
    public func open(at position: Int) {
      guard let item = grid.item(at: position) else { return }
      self.position = position
      detail.show(item, style: grid.style, thumbnail: grid.thumbnail(of: item))
      isShowingDetail = true
      gtk_widget_grab_focus(detail.widget)
    }

    /// Goes back to the grid.
    public func closeDetail() {
      isShowingDetail = false
      detail.clear()
      grid.focus()
    }

    /// Whether one picture is shown large.
    public private(set) var isShowingDetail = false {
      didSet {
        gtk_stack_set_visible_child_name(stack, isShowingDetail ? "detail" : "grid")
        gtk_widget_set_visible(search, isShowingDetail ? 0 : 1)
        gtk_widget_set_visible(tools, isShowingDetail ? 1 : 0)
      }
    }

    private func layOut() {
      let header: UnsafeMutablePointer<GtkWidget> = gtk_header_bar_new()
      gtk_widget_set_visible(tools, 0)
      gtk_header_bar_pack_start(OpaquePointer(header), tools)
      gtk_header_bar_pack_start(OpaquePointer(header), search)
      gtk_header_bar_pack_end(OpaquePointer(header), preferences.widget)
      gtk_window_set_titlebar(window, header)
      gtk_stack_add_named(stack, grid.widget, "grid")
      gtk_stack_add_named(stack, detail.widget, "detail")
      gtk_stack_set_transition_type(stack, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
      gtk_window_set_child(
        window, box(GTK_ORIENTATION_VERTICAL, [UnsafeMutablePointer(stack), status.widget]))
    }

    private func connectSignals() {
      connect(ObjectPointer(search), "search-changed") { [weak self] search in
        guard let text = gtk_editable_get_text(OpaquePointer(search)) else { return }
        self?.grid.search(String(cString: text))
      }
      connect(ObjectPointer(search), "activate") { [weak self] _ in self?.open(at: 0) }
      connect(ObjectPointer(search), "stop-search") { [weak self] search in
        gtk_editable_set_text(OpaquePointer(search), "")
        self?.grid.focus()
      }
      grid.onActivate = { [weak self] position in self?.open(at: position) }
      preferences.onChange = { [weak self] style in self?.grid.style = style }
      connect(ObjectPointer(window), "destroy") { [weak self] _ in self?.onClose() }
      let keys = gtk_event_controller_key_new()!
      gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
      connectKeys(ObjectPointer(keys)) { [weak self] key, modifiers in
        self?.press(key, modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0) ?? false
      }
      gtk_widget_add_controller(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self), keys)
    }

    /// - Returns: whether the key meant something.
    private func press(_ key: guint, _ hasControl: Bool) -> Bool {
      switch (Int32(key), hasControl, isShowingDetail) {
      case (GDK_KEY_f, true, _):
        if isShowingDetail { closeDetail() }
        gtk_widget_grab_focus(search)
      case (GDK_KEY_c, true, true): Task { try? await detail.copy() }
      case (GDK_KEY_Escape, _, true): closeDetail()
      case (GDK_KEY_Left, _, true): open(at: position - 1)
      case (GDK_KEY_Right, _, true): open(at: position + 1)
      case (GDK_KEY_plus, _, true), (GDK_KEY_equal, _, true): detail.zoomIn()
      case (GDK_KEY_minus, _, true): detail.zoomOut()
      case (GDK_KEY_0, _, true): detail.resetZoom()
      default: return false
      }
      return true
    }
  }
#endif
