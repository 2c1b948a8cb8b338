#if GTK
  import CGTK
  import Ozu

  /// A widget of GTK that shows pictures: a `GtkPicture`, a `GtkImage`, or a `GtkButton`, whose icon the picture becomes.
  ///
  /// ```swift
  /// PictureWidget(picture).setImage(from: url)
  /// ```
  ///
  /// Size, scale and mode come from the widget. The widget keeps everything about its picture, so that a value made later
  /// from the same pointer is the same. For CSS classes see `PictureState`.
  @MainActor
  public struct PictureWidget: ImagePresenting {
    /// The widget that draws; for a button, the image inside.
    public let widget: UnsafeMutablePointer<GtkWidget>
    let display: WidgetDisplay

    /// Takes a pointer as GTK's constructors return it.
    ///
    /// - Parameter pipeline: the pipeline for the widget's pictures. The first value made from a widget decides.
    /// - Precondition: the widget is a `GtkPicture`, a `GtkImage` or a `GtkButton`, or a class derived from these.
    public init(_ widget: UnsafeMutablePointer<GtkWidget>, pipeline: ImagePipeline = .shared) {
      display = WidgetDisplay.of(widget, pipeline: pipeline)
      self.widget = display.widget ?? widget
    }

    /// Takes a pointer to a button.
    public init(_ button: UnsafeMutablePointer<GtkButton>, pipeline: ImagePipeline = .shared) {
      self.init(UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkWidget.self), pipeline: pipeline)
    }

    /// Takes a pointer to a type whose structure GTK hides, such as `GtkPicture` and `GtkImage`.
    ///
    /// - Precondition: it points to one of the widgets that show pictures.
    public init(_ pointer: OpaquePointer, pipeline: ImagePipeline = .shared) {
      self.init(UnsafeMutablePointer<GtkWidget>(pointer), pipeline: pipeline)
    }

    /// The binding of the widget: it loads and shows pictures.
    public var images: ImageBinding { display.images }

    /// The state of the widget's picture.
    public var state: PictureState { display.state }

    /// Calls a closure after each change of `state`, progress included, for as long as the widget lives.
    public func onStateChange(_ handler: @escaping @MainActor (PictureState) -> Void) {
      display.observers.append(handler)
    }

    /// The state as a GObject, to bind properties of widgets to (`g_object_bind_property`). Its properties, all of which
    /// can only be read, and notify: `state` (a text: `empty`, `loading`, `shown` or `failed`), `progress` (a double: 0 to 1,
    /// and -1 while it is not known), `reason` (a text, or NULL), `is-loading` and `is-failed`. The widget owns it.
    public var stateObject: ObjectPointer { display.stateObject.pointer }

    /// Asks again for a picture that could not be loaded.
    public func retry() { images.retry() }

    /// The clockwise rotation of the picture in quarter turns. It changes only the view, not the file, the caches or copies.
    public var quarterTurns: Int {
      get { display.quarterTurns }
      nonmutating set { display.quarterTurns = newValue }
    }

    /// Whether animations play; set it to pause or play them. Until it is set, it is false if the desktop asks for less motion
    /// (`gtk-enable-animations`).
    public var isPlaying: Bool {
      get { !images.isPlaybackPaused }
      nonmutating set { display.play(newValue) }
    }

    /// The content of the picture in words, for assistive technologies.
    public var alternativeText: String? {
      get { display.alternativeText }
      nonmutating set { display.alternativeText = newValue }
    }
  }
#endif
