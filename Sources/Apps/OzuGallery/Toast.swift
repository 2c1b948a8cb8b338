#if GTK
  import CGTK
  import OzuGTK

  /// A short message at the bottom of a window that disappears after a while, with a button to undo an action.
  @MainActor
  final class Toast {
    /// A `GtkRevealer`, to be laid over the window's content.
    let widget: Widget
    private let text: Widget
    private let button: Widget
    private var undo: (@MainActor () -> Void)?
    private var end: (@MainActor () -> Void)?
    private var timer: Task<Void, Never>?

    init() {
      text = label("")
      gtk_label_set_ellipsize(OpaquePointer(text), PANGO_ELLIPSIZE_MIDDLE)
      gtk_label_set_max_width_chars(OpaquePointer(text), 40)
      // Without it GTK finds a text such as "★★★" narrower than an ellipsis, and complains.
      gtk_label_set_width_chars(OpaquePointer(text), 8)
      // A reason is as long as it is.
      gtk_label_set_wrap(OpaquePointer(text), 1)
      gtk_label_set_wrap_mode(OpaquePointer(text), PANGO_WRAP_WORD_CHAR)
      gtk_label_set_lines(OpaquePointer(text), 3)
      button = gtk_button_new_with_label(tr("Undo"))
      gtk_widget_add_css_class(button, "flat")
      let content = box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [text, button])
      gtk_widget_add_css_class(content, "toast-box")
      widget = gtk_revealer_new()
      g_object_ref_sink(ObjectPointer(widget))
      gtk_revealer_set_child(OpaquePointer(widget), content)
      gtk_revealer_set_transition_type(OpaquePointer(widget), GTK_REVEALER_TRANSITION_TYPE_SLIDE_UP)
      gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
      gtk_widget_set_valign(widget, GTK_ALIGN_END)
      gtk_widget_set_can_target(widget, 0)
      SignalSource(button).on("clicked") { [weak self] _ in self?.undoNow() }
    }

    isolated deinit {
      timer?.cancel()
      g_object_unref(ObjectPointer(widget))
    }

    /// Shows a message instead of the current one, whose time to undo then ends.
    ///
    /// - Parameters:
    ///   - undo: the action of the button; `nil` for no button.
    ///   - end: called when the time to undo is over, unless the user has undone it.
    func show(
      _ message: String, undo: (@MainActor () -> Void)? = nil, end: (@MainActor () -> Void)? = nil
    ) {
      finish()
      (self.undo, self.end) = (undo, end)
      gtk_label_set_text(OpaquePointer(text), message)
      gtk_widget_set_visible(button, undo == nil ? 0 : 1)
      gtk_widget_set_margin_end(text, undo == nil ? 10 : 0)
      gtk_widget_set_can_target(widget, 1)
      gtk_revealer_set_reveal_child(OpaquePointer(widget), 1)
      timer = Task { [weak self] in
        try? await Task.sleep(for: Gallery.noticeDuration)
        if !Task.isCancelled { self?.finish() }
      }
    }

    /// Whether something waits for the time to undo to be over.
    var holdsFiles: Bool { end != nil }

    func undoNow() {
      guard let undo else { return }
      (self.undo, end) = (nil, nil)
      finish()
      undo()
    }

    /// Ends the message and the time to undo.
    func finish() {
      timer?.cancel()
      timer = nil
      let end = self.end
      (undo, self.end) = (nil, nil)
      gtk_revealer_set_reveal_child(OpaquePointer(widget), 0)
      gtk_widget_set_can_target(widget, 0)
      end?()
    }
  }
#endif
