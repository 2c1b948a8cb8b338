#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// A window: the grid, one picture large, a search field, preferences and the status line.
  ///
  /// Keys: Return or a click opens a picture, Escape goes back, left and right go on, + − 0 zoom, Ctrl+C copies,
  /// Ctrl+F searches.
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
      detail.show(item, style: grid.style)
      gtk_stack_set_visible_child_name(stack, "detail")
    }

    /// Goes back to the grid.
    public func closeDetail() {
      gtk_stack_set_visible_child_name(stack, "grid")
      detail.clear()
    }

    private var isShowingDetail: Bool {
      gtk_stack_get_visible_child_name(stack).map { String(cString: $0) } == "detail"
    }

    private func layOut() {
      let header: UnsafeMutablePointer<GtkWidget> = gtk_header_bar_new()
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
      case (GDK_KEY_f, true, _): gtk_widget_grab_focus(search)
      case (GDK_KEY_c, true, true): Task { try? await detail.copy() }
      case (GDK_KEY_Escape, _, true): closeDetail()
      case (GDK_KEY_Left, _, true): open(at: position - 1)
      case (GDK_KEY_Right, _, true): open(at: position + 1)
      case (GDK_KEY_plus, _, true), (GDK_KEY_equal, _, true): detail.zoom(by: 1.5)
      case (GDK_KEY_minus, _, true): detail.zoom(by: 1 / 1.5)
      case (GDK_KEY_0, _, true): detail.resetZoom()
      default: return false
      }
      return true
    }
  }
#endif
