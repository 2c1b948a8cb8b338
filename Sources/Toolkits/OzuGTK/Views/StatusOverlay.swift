#if GTK
  import CGTK
  import Ozu

  /// The widgets over a picture that show its progress. Each is made when it is first needed: most cells of a list never
  /// need one.
  @MainActor
  final class StatusOverlay {
    /// The `GtkOverlay`. It may be gone before the picture, which an app can hold alone; see `isAttached`.
    private let overlay: OpaquePointer
    private let style: StatusImageView.Style
    private weak var images: ImageBinding?
    private weak var display: WidgetDisplay?
    private var progress: UnsafeMutablePointer<GtkWidget>?
    private var failure: FailurePage?
    private var playButton: UnsafeMutablePointer<GtkWidget>?
    /// Counts the loads, so that a delay knows that its load is over.
    private var loadNumber = 0

    /// The delay before the progress bar is shown: a quick load shows none.
    private static let failureDelay = Duration.milliseconds(400)

    init(_ overlay: OpaquePointer, _ picture: PictureWidget, _ style: StatusImageView.Style) {
      self.overlay = overlay
      self.style = style
      images = picture.images
      display = picture.display
    }

    isolated deinit {
      for widget in [progress, playButton] {
        if let widget { g_object_unref(ObjectPointer(widget)) }
      }
    }

    /// Whether the overlay is still the parent of the picture, and so exists.
    private var isAttached: Bool {
      guard let picture = display?.widget else { return false }
      return OpaquePointer(gtk_widget_get_parent(picture)) == overlay
    }

    func update(_ state: PictureState) {
      guard isAttached else { return }
      switch state {
      case .loading(let fraction):
        failure?.hide()
        if let progress, gtk_widget_get_visible(progress) != 0 {
          Self.set(progress, fraction)
        } else if loadNumber.isMultiple(of: 2) {
          loadNumber += 1
          showProgressLater(loadNumber)
        }
      case .failed(let error):
        endProgress()
        if failure == nil { failure = FailurePage(overlay, style) { [weak self] in self?.images?.retry() } }
        failure?.show(error)
      case .empty, .shown:
        endProgress()
        failure?.hide()
      }
      updatePlayButton(state)
    }

    // MARK: Progress

    private func endProgress() {
      if !loadNumber.isMultiple(of: 2) { loadNumber += 1 }
      if let progress { gtk_widget_set_visible(progress, 0) }
    }

    private func showProgressLater(_ number: Int) {
      Task { [weak self] in
        try? await Task.sleep(for: Self.failureDelay)
        guard let self, loadNumber == number, isAttached, let display,
          case .loading(let fraction) = display.state
        else { return }
        showProgress(fraction)
      }
    }

    private func showProgress(_ fraction: Double?) {
      let bar = progress ?? makeProgress()
      progress = bar
      Self.set(bar, fraction)
      gtk_widget_set_visible(bar, 1)
    }

    private func makeProgress() -> UnsafeMutablePointer<GtkWidget> {
      let bar: UnsafeMutablePointer<GtkWidget> = gtk_progress_bar_new()
      g_object_ref_sink(ObjectPointer(bar))
      gtk_widget_add_css_class(bar, "ozu-progress")
      gtk_widget_set_valign(bar, style == .large ? GTK_ALIGN_START : GTK_ALIGN_END)
      gtk_widget_set_can_target(bar, 0)
      gtk_overlay_add_overlay(overlay, bar)
      return bar
    }

    private static func set(_ bar: UnsafeMutablePointer<GtkWidget>, _ fraction: Double?) {
      guard let fraction else { return gtk_progress_bar_pulse(OpaquePointer(bar)) }
      gtk_progress_bar_set_fraction(OpaquePointer(bar), fraction)
    }

    // MARK: Animations

    private func updatePlayButton(_ state: PictureState) {
      var moves = false
      if style == .large, case .shown = state { moves = images?.picture?.animation != nil }
      guard moves else {
        if let playButton { gtk_widget_set_visible(playButton, 0) }
        return
      }
      let button = playButton ?? makePlayButton()
      playButton = button
      gtk_widget_set_visible(button, 1)
      updatePlayIcon()
    }

    private func makePlayButton() -> UnsafeMutablePointer<GtkWidget> {
      let button: UnsafeMutablePointer<GtkWidget> = gtk_button_new()
      g_object_ref_sink(ObjectPointer(button))
      for name in ["osd", "circular", "ozu-play"] { gtk_widget_add_css_class(button, name) }
      gtk_widget_set_halign(button, GTK_ALIGN_END)
      gtk_widget_set_valign(button, GTK_ALIGN_END)
      gtk_widget_set_margin_end(button, 18)
      gtk_widget_set_margin_bottom(button, 18)
      SignalSource(button).on("clicked") { [weak self] _ in self?.togglePlayback() }
      gtk_overlay_add_overlay(overlay, button)
      return button
    }

    private func togglePlayback() {
      guard let images else { return }
      display?.play(images.isPlaybackPaused)
      updatePlayIcon()
    }

    private func updatePlayIcon() {
      guard let playButton, let images else { return }
      let isPaused = images.isPlaybackPaused
      gtk_button_set_icon_name(
        UnsafeMutableRawPointer(playButton).assumingMemoryBound(to: GtkButton.self),
        isPaused ? "media-playback-start-symbolic" : "media-playback-pause-symbolic")
      let text = ToolkitTexts.text(isPaused ? "Play" : "Pause")
      gtk_widget_set_tooltip_text(playButton, text)
      AccessibleName.set(text, of: playButton)
    }
  }

  /// Shows over a view the reason why there is no picture, with a button that asks again.
  @MainActor
  final class FailurePage {
    private let page: UnsafeMutablePointer<GtkWidget>
    private let title: UnsafeMutablePointer<GtkWidget>
    private let reason: UnsafeMutablePointer<GtkWidget>?

    init(
      _ overlay: OpaquePointer, _ style: StatusImageView.Style, retry: @escaping @MainActor () -> Void
    ) {
      let isLarge = style == .large
      page = gtk_box_new(GTK_ORIENTATION_VERTICAL, isLarge ? 12 : 4)
      g_object_ref_sink(ObjectPointer(page))
      gtk_widget_add_css_class(page, "ozu-failure")
      gtk_widget_set_halign(page, GTK_ALIGN_CENTER)
      gtk_widget_set_valign(page, GTK_ALIGN_CENTER)
      title = Self.label(isLarge ? "title-2" : "caption-heading", wraps: isLarge)
      reason = isLarge ? Self.label("body", wraps: true) : nil
      let button = Self.button(isLarge)
      SignalSource(button).on("clicked") { _ in retry() }
      if isLarge {
        let icon: UnsafeMutablePointer<GtkWidget> = gtk_image_new_from_icon_name("image-missing-symbolic")
        gtk_image_set_pixel_size(OpaquePointer(icon), 64)
        gtk_widget_add_css_class(icon, "dim-label")
        for child in [icon, title, reason, button] { append(child) }
      } else {
        for child in [button, title] { append(child) }
      }
      gtk_overlay_add_overlay(overlay, page)
    }

    isolated deinit { g_object_unref(ObjectPointer(page)) }

    func show(_ error: ImageError) {
      gtk_label_set_text(OpaquePointer(title), error.title)
      if let reason {
        gtk_label_set_text(OpaquePointer(reason), Self.sentence(error.reason))
      } else {
        gtk_widget_set_tooltip_text(page, Self.sentence(error.reason))
      }
      gtk_widget_set_visible(page, 1)
    }

    func hide() { gtk_widget_set_visible(page, 0) }

    /// Explanations begin in lower case, because elsewhere they follow the name of a source.
    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    private func append(_ child: UnsafeMutablePointer<GtkWidget>?) {
      gtk_box_append(UnsafeMutableRawPointer(page).assumingMemoryBound(to: GtkBox.self), child)
    }

    private static func label(_ name: String, wraps: Bool) -> UnsafeMutablePointer<GtkWidget> {
      let label: UnsafeMutablePointer<GtkWidget> = gtk_label_new("")
      gtk_widget_add_css_class(label, name)
      gtk_label_set_justify(OpaquePointer(label), GTK_JUSTIFY_CENTER)
      if wraps {
        gtk_label_set_wrap(OpaquePointer(label), 1)
        gtk_label_set_wrap_mode(OpaquePointer(label), PANGO_WRAP_WORD_CHAR)
        gtk_label_set_max_width_chars(OpaquePointer(label), 50)
        gtk_label_set_selectable(OpaquePointer(label), 0)
      } else {
        gtk_label_set_ellipsize(OpaquePointer(label), PANGO_ELLIPSIZE_END)
        gtk_label_set_max_width_chars(OpaquePointer(label), 16)
      }
      return label
    }

    private static func button(_ isLarge: Bool) -> UnsafeMutablePointer<GtkWidget> {
      let button: UnsafeMutablePointer<GtkWidget>
      if isLarge {
        button = gtk_button_new_with_label(ToolkitTexts.text("Try Again"))
        gtk_widget_add_css_class(button, "pill")
      } else {
        button = gtk_button_new_from_icon_name("view-refresh-symbolic")
        gtk_widget_add_css_class(button, "flat")
        gtk_widget_add_css_class(button, "circular")
        gtk_widget_set_tooltip_text(button, ToolkitTexts.text("Try again"))
        AccessibleName.set(ToolkitTexts.text("Try again"), of: button)
      }
      gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
      return button
    }
  }

  extension ImageError {
    /// The kind of the error in a few words of the user's language (`ToolkitTexts`), for a heading; `reason` has the details.
    public var title: String { ToolkitTexts.text(words.title) }

    /// Why there is no picture, in the language of the user: `explanation` in English, and in other languages a sentence for the
    /// kind of the error, if there is one.
    public var reason: String {
      guard let sentence = words.sentence, let translated = ToolkitTexts.translated(sentence) else {
        return explanation
      }
      return TextCatalogue.fill(translated, [statusCode.map { "\($0)" } ?? ""])
    }

    private var words: (title: String, sentence: String?) {
      switch kind {
      case .noSuchFile: ("File Not Found", "There is no such file")
      case .isDirectory: ("This Is a Folder", "This is a folder, not a picture")
      case .unreadableFile: ("Cannot Be Read", "The file cannot be read")
      case .httpStatus where statusCode == 404 || statusCode == 410: ("Not Found", "The server answered %1")
      case .httpStatus: ("Server Trouble", "The server answered %1")
      case .nameNotResolved, .connectionRefused, .transport: ("No Connection", "The server cannot be reached")
      case .timedOut, .deadlineExceeded: ("Took Too Long", "The picture did not come in time")
      case .bodyTruncated: ("Connection Lost", "The connection broke off")
      case .invalidSource: ("Bad Address", "This is not the address of a picture")
      case .emptyData: ("Empty File", "The file is empty")
      case .notAnImage: ("Not a Picture", "The file is not a picture")
      case .unsupportedType: ("Unknown Format", "This program cannot read the format of the file")
      case .corruptData, .truncatedData: ("Damaged Picture", "The file is damaged")
      case .limitExceeded, .bodyTooLarge, .invalidSize:
        ("Too Large", "The picture is too large for this program")
      default: ("Cannot Be Shown", nil)
      }
    }
  }
#endif
