#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// The large picture with the buttons over it: previous, next, and out of the full screen. In full screen they disappear
  /// when the pointer does not move.
  @MainActor
  final class DetailPage {
    /// A `GtkOverlay`, to be put into a container.
    let widget: Widget
    let detail: DetailView
    private let previous: Widget
    private let next: Widget
    private let leave: Widget
    private var restNumber = 0

    init(
      pipeline: ImagePipeline, previous goBack: @escaping @MainActor () -> Void,
      next goOn: @escaping @MainActor () -> Void, leave end: @escaping @MainActor () -> Void
    ) {
      detail = DetailView(pipeline: pipeline)
      widget = gtk_overlay_new()
      g_object_ref_sink(ObjectPointer(widget))
      previous = Self.floating(button("go-previous-symbolic", "Previous picture", goBack), GTK_ALIGN_START)
      next = Self.floating(button("go-next-symbolic", "Next picture", goOn), GTK_ALIGN_END)
      leave = Self.floating(button("view-restore-symbolic", "Leave full screen", end), GTK_ALIGN_END)
      gtk_widget_set_valign(leave, GTK_ALIGN_START)
      gtk_widget_set_visible(leave, 0)
      gtk_overlay_set_child(OpaquePointer(widget), detail.widget)
      for button in [previous, next, leave] { gtk_overlay_add_overlay(OpaquePointer(widget), button) }
      let motion = gtk_event_controller_motion_new()!
      SignalSource(motion).on("motion") { [weak self] _ in self?.pointerMoved() }
      gtk_widget_add_controller(widget, motion)
    }

    isolated deinit { g_object_unref(ObjectPointer(widget)) }

    /// Whether the window fills its screen.
    var isFullscreen = false {
      didSet {
        gtk_widget_set_visible(leave, isFullscreen ? 1 : 0)
        pointerMoved()
      }
    }

    /// Sets whether there is a picture before and after this one.
    func setNeighbours(hasPrevious: Bool, hasNext: Bool) {
      gtk_widget_set_sensitive(previous, hasPrevious ? 1 : 0)
      gtk_widget_set_sensitive(next, hasNext ? 1 : 0)
    }

    private func pointerMoved() {
      restNumber += 1
      setButtons(areSeen: true)
      guard isFullscreen else { return }
      let number = restNumber
      Task { [weak self] in
        try? await Task.sleep(for: .seconds(2))
        guard let self, restNumber == number, isFullscreen else { return }
        setButtons(areSeen: false)
      }
    }

    private func setButtons(areSeen: Bool) {
      for button in [previous, next, leave] {
        gtk_widget_set_opacity(button, areSeen ? 1 : 0)
        gtk_widget_set_can_target(button, areSeen ? 1 : 0)
      }
      gtk_widget_set_cursor_from_name(widget, areSeen ? nil : "none")
    }

    private static func floating(_ button: Widget, _ align: GtkAlign) -> Widget {
      for name in ["osd", "circular", "floating"] { gtk_widget_add_css_class(button, name) }
      gtk_widget_set_halign(button, align)
      gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
      return button
    }
  }
#endif
