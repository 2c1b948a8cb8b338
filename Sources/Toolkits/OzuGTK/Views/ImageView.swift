#if GTK
  import CGTK
  import Foundation
  import Ozu

  /// A view for Swift code: a `GtkPicture` with its binding, a content mode, dragging and copying.
  ///
  /// ```swift
  /// let view = ImageView()
  /// view.contentMode = .aspectFill
  /// view.alternativeText = "The harbour in the morning"
  /// view.setImage(from: url)
  /// gtk_box_append(box, view.widget)
  /// ```
  ///
  /// The object holds a reference to its widget. The widget can live longer than the object, in its window.
  @MainActor
  public final class ImageView: ImagePresenting {
    /// The `GtkPicture`, to be put into a container.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// The binding of the view: it loads and shows pictures.
    public let images: ImageBinding
    /// The same widget as a `PictureWidget`, with its state.
    public let picture: PictureWidget

    /// The `GtkDragSource`, which the widget holds.
    private var dragSource: OpaquePointer?

    /// Makes a view whose pictures come through a pipeline.
    public init(pipeline: ImagePipeline = .shared) {
      widget = gtk_picture_new()
      g_object_ref_sink(ObjectPointer(widget))
      picture = PictureWidget(widget, pipeline: pipeline)
      images = picture.images
      contentMode = .aspectFit
    }

    isolated deinit {
      g_object_unref(ObjectPointer(widget))
    }

    /// The mode in which a picture fills the view; `.aspectFit` by default. `.none` is the same but never enlarges.
    public var contentMode: ScaleMode {
      get {
        switch gtk_picture_get_content_fit(OpaquePointer(widget)) {
        case GTK_CONTENT_FIT_FILL: .fill
        case GTK_CONTENT_FIT_COVER: .aspectFill
        case GTK_CONTENT_FIT_SCALE_DOWN: .none
        default: .aspectFit
        }
      }
      set {
        let fit =
          switch newValue {
          case .fill: GTK_CONTENT_FIT_FILL
          case .aspectFill: GTK_CONTENT_FIT_COVER
          case .none: GTK_CONTENT_FIT_SCALE_DOWN
          default: GTK_CONTENT_FIT_CONTAIN
          }
        gtk_picture_set_content_fit(OpaquePointer(widget), fit)
      }
    }

    /// The content of the picture in words, for assistive technologies.
    public var alternativeText: String? {
      get { picture.alternativeText }
      set { picture.alternativeText = newValue }
    }

    /// Whether the user can drag the original out of the view: its file if it is local, its bytes, its address and the
    /// pixels. Off by default.
    public var isDraggable: Bool {
      get { dragSource != nil }
      set {
        guard newValue != isDraggable else { return }
        if let dragSource { gtk_widget_remove_controller(widget, dragSource) }
        dragSource = newValue ? DragSource.add(to: widget, images) : nil
      }
    }

    /// Puts the original on the clipboard: its file if it is local, its bytes, its address, and its pixels at their own
    /// size.
    ///
    /// - Throws: `ImageError` when the original cannot be loaded.
    public func copyToClipboard() async throws(ImageError) {
      guard let request = images.request else { return }
      try await Clipboard.copy(request, from: images.pipeline, to: gtk_widget_get_clipboard(widget))
    }
  }

  /// Lets the user drag the original of a view's picture to other programs.
  @MainActor
  enum DragSource {
    /// Adds a `GtkDragSource` to a widget, which owns it from then on.
    static func add(to widget: UnsafeMutablePointer<GtkWidget>, _ images: ImageBinding) -> OpaquePointer {
      let controller: OpaquePointer = gtk_drag_source_new()
      SignalSource(controller).connect("prepare", [ozu_type_double(), ozu_type_double()]) {
        [weak images] _, answer in
        guard let answer, let content = images.flatMap(content) else { return }
        g_value_take_object(answer, content)
      }
      gtk_widget_add_controller(widget, controller)
      return controller
    }

    /// The pixels are those of the whole picture if memory has it, else those that are shown, because a drag does not wait.
    private static func content(of images: ImageBinding) -> UnsafeMutablePointer<GdkContentProvider>? {
      guard let request = images.request?.original, let shown = images.picture else { return nil }
      let original = images.pipeline.cachedImage(for: request)
      return ClipboardContent.provider(for: request, original ?? shown, images.pipeline)
    }
  }
#endif
