#if GTK
  import CGTK
  import Ozu

  /// A view that shows a picture of any size, and zooms and moves it by wheel, pinch, drag, double click and keys.
  ///
  /// ```swift
  /// let view = ZoomView()
  /// view.alternativeText = "A map of the harbour"
  /// view.setImage(from: url)
  /// gtk_box_append(box, view.widget)
  /// ```
  ///
  /// It does all that `StatusImageView` does: placeholders, progress, animations, and errors in words. The visible part is as
  /// sharp as the screen, and the rest is not decoded, if the file allows that (`ZoomModel`). Keys, when the view has the
  /// focus: plus and minus, 0 for the whole picture, 1 for its own pixels, and arrows.
  ///
  /// The object holds a reference to its widget. After the object is freed, the widget shows the whole picture.
  @MainActor
  public final class ZoomView: ImagePresenting {
    /// The view inside, with its state and the picture's widget.
    public let status: StatusImageView
    /// The position of the picture, and its parts. It follows the view's binding.
    public let model: ZoomModel
    /// Called when pixels have arrived or the picture has moved.
    public var onChange: @MainActor () -> Void = {}

    private let hands: ZoomHands

    /// Makes a view whose pictures come through a pipeline.
    public init(pipeline: ImagePipeline = .shared) {
      status = StatusImageView(pipeline: pipeline)
      model = ZoomModel(pipeline: pipeline)
      let display = status.view.picture.display
      hands = ZoomHands(status.widget, model, display)
      gtk_picture_set_content_fit(OpaquePointer(status.view.widget), GTK_CONTENT_FIT_FILL)
      display.zoom = model
      gtk_widget_set_hexpand(widget, 1)
      gtk_widget_set_vexpand(widget, 1)
      gtk_widget_set_focusable(status.view.widget, 1)
      gtk_widget_add_css_class(widget, "ozu-zoom")
      model.onChange = { [weak self, weak display] in
        display?.zoomDidChange()
        self?.onChange()
      }
    }

    isolated deinit {
      // The widget may live longer and then shows the whole picture.
      model.change { $0.fit() }
    }

    /// The `GtkOverlay`, to be put into a container.
    public var widget: UnsafeMutablePointer<GtkWidget> { status.widget }

    /// The binding of the view: it loads and shows pictures.
    public var images: ImageBinding { status.images }

    /// Gives the view the keyboard focus.
    public func grabFocus() { gtk_widget_grab_focus(status.view.widget) }

    /// The state of the view's picture.
    public var state: PictureState { status.state }

    /// The content of the picture in words, for assistive technologies.
    public var alternativeText: String? {
      get { status.view.alternativeText }
      set { status.view.alternativeText = newValue }
    }

    /// The clockwise rotation of the picture in quarter turns.
    public var quarterTurns: Int {
      get { status.view.picture.quarterTurns }
      set { status.view.picture.quarterTurns = newValue }
    }

    /// Shows another picture, as a whole at first.
    ///
    /// - Returns: whether the picture was there at once.
    @discardableResult
    public func setImage(
      _ request: ImageRequest, options: DisplayOptions? = nil, handlers: DisplayHandlers = DisplayHandlers()
    ) -> Bool {
      hands.stopGliding()
      fit()
      return images.setImage(request, options: options, handlers: handlers)
    }

    /// The pixels of the screen per pixel of the picture; `nil` before there is a picture.
    public var scale: Double? { model.geometry?.scale }

    /// Whether the whole picture is visible; also true without a picture.
    public var isFitted: Bool { model.geometry?.isFitted ?? true }

    /// Whether the picture is wider than the view. The arrows to the left and right then move it.
    public var isWiderThanView: Bool { hands.isWiderThanView }

    /// Makes the picture larger, around the middle of the view.
    public func zoomIn() { zoom(by: ZoomHands.step) }

    /// Makes the picture smaller, around the middle of the view.
    public func zoomOut() { zoom(by: 1 / ZoomHands.step) }

    /// Makes the picture larger by a factor, or smaller by one below 1, around the middle of the view.
    public func zoom(by factor: Double) { model.change { $0.zoom(by: factor, at: $0.viewCenter) } }

    /// Shows the whole picture.
    public func fit() { model.change { $0.fit() } }

    /// Shows each pixel of the picture as one of the screen.
    public func showPixels() { model.change { $0.zoom(to: 1, at: $0.viewCenter) } }
  }
#endif
