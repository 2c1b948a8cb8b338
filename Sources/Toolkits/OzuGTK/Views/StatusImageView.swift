#if GTK
  import CGTK
  import Ozu

  /// An image view that shows its progress: a bar while its picture loads, and when it cannot be loaded the reason in words
  /// with a button that asks again. Animations can be paused.
  ///
  /// ```swift
  /// let view = StatusImageView()
  /// view.setImage(from: url)
  /// gtk_box_append(box, view.widget)
  /// ```
  ///
  /// Its widget has the CSS class `ozu-status-view`; in it are `ozu-progress`, `ozu-failure` and `ozu-play`. The object
  /// holds a reference to its widget. The widget can live longer than the object, in its window.
  @MainActor
  public final class StatusImageView: ImagePresenting {
    /// The layout of the message about a failure.
    public enum Style: Sendable {
      /// An icon, a heading, the reason and a labelled button: for a view that fills a window.
      case large
      /// An icon that asks again when it is clicked, and the heading; the reason is its tooltip: for a cell of a list.
      case compact
    }

    /// A `GtkOverlay`, to be put into a container.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// The image view inside, without bar and message.
    public let view: ImageView
    private let overlay: StatusOverlay

    /// Makes a view whose pictures come through a pipeline.
    public init(pipeline: ImagePipeline = .shared, style: Style = .large) {
      view = ImageView(pipeline: pipeline)
      widget = gtk_overlay_new()
      g_object_ref_sink(ObjectPointer(widget))
      gtk_widget_add_css_class(widget, "ozu-status-view")
      gtk_overlay_set_child(OpaquePointer(widget), view.widget)
      let overlay = StatusOverlay(OpaquePointer(widget), view.picture, style)
      self.overlay = overlay
      // The display keeps the overlay alive as long as the picture's widget.
      view.picture.onStateChange { overlay.update($0) }
    }

    isolated deinit {
      g_object_unref(ObjectPointer(widget))
    }

    /// The binding of the view: it loads and shows pictures.
    public var images: ImageBinding { view.images }

    /// The state of the view's picture.
    public var state: PictureState { view.picture.state }
  }
#endif
