#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// One picture, as large as the window: previews are shown while it loads, and it can be zoomed, moved and turned.
  @MainActor
  public final class DetailView {
    /// The picture with its progress and errors.
    public let zoom: ZoomView
    /// The response with the picture, for its properties.
    private(set) var response: ImageResponse?

    /// The factor by which one press of a button or a key zooms.
    private static let step = 1.5

    init(pipeline: ImagePipeline) {
      zoom = ZoomView(pipeline: pipeline)
      gtk_widget_add_css_class(widget, "detail")
      zoom.status.view.isDraggable = true
      // A picture that is visible as a whole cannot be moved, so a drag takes it to another program.
      zoom.onChange = { [weak self] in
        if let self { zoom.status.view.isDraggable = zoom.isFitted }
      }
    }

    /// The widget, to be put into a container.
    public var widget: UnsafeMutablePointer<GtkWidget> { zoom.widget }

    /// The binding of the picture.
    public var images: ImageBinding { zoom.images }

    /// The zoom factor: 1 when the whole picture fits the window.
    public var zoomFactor: Double { zoom.model.geometry.map { $0.scale / $0.fittingScale } ?? 1 }

    /// The clockwise rotation of the picture in quarter turns.
    public var quarterTurns: Int {
      get { zoom.quarterTurns }
      set { zoom.quarterTurns = newValue }
    }

    /// Shows a picture: first its thumbnail, then previews, then all of it.
    func show(_ item: PictureItem, style: PictureStyle, thumbnail: Picture?) {
      quarterTurns = 0
      response = nil
      zoom.alternativeText = item.name
      let options = DisplayOptions {
        if let thumbnail { $0.placeholder = .picture(thumbnail) }
      }
      let handlers = DisplayHandlers(completion: { [weak self] outcome in self?.response = try? outcome.get()
      })
      zoom.setImage(style.request(for: item), options: options, handlers: handlers)
    }

    /// Removes the picture.
    func clear() {
      images.clear()
      response = nil
    }

    /// Puts the original on the clipboard.
    func copy() async throws(ImageError) {
      try await zoom.status.view.copyToClipboard()
    }

    /// Makes the picture larger by half.
    func zoomIn() { zoom.zoom(by: Self.step) }

    /// Makes the picture smaller, as much as `zoomIn` makes it larger.
    func zoomOut() { zoom.zoom(by: 1 / Self.step) }

    /// Fits the picture to the window.
    func resetZoom() { zoom.fit() }

    /// Shows each pixel of the picture as one of the screen.
    func showPixels() { zoom.showPixels() }
  }
#endif
