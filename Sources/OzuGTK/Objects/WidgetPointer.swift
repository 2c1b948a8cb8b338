#if GTK
  import CGTK

  /// A structure of GTK that begins with a `GtkWidget`, so that a pointer to it is a pointer to a widget.
  public protocol WidgetInstance {}
  extension GtkWidget: WidgetInstance {}
  extension GtkButton: WidgetInstance {}

  /// A pointer of C that may point to a widget: `UnsafeMutablePointer<GtkWidget>` as GTK's constructors return it,
  /// `UnsafeMutablePointer<GtkButton>`, and the `OpaquePointer` of types whose structure GTK hides, as `GtkPicture` and
  /// `GtkImage`.
  public protocol WidgetPointing {
    /// The same pointer, as that of a widget.
    var widget: UnsafeMutablePointer<GtkWidget> { get }
  }

  extension UnsafeMutablePointer: WidgetPointing where Pointee: WidgetInstance {
    /// The same pointer, as that of a widget.
    public var widget: UnsafeMutablePointer<GtkWidget> {
      UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkWidget.self)
    }
  }

  extension OpaquePointer: WidgetPointing {
    /// The same pointer, as that of a widget.
    public var widget: UnsafeMutablePointer<GtkWidget> { UnsafeMutablePointer(self) }
  }
#endif
