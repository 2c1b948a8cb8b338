#if canImport(ObjectiveC)
  /// A place of a view that shows pictures: what `view.ozu` is (`imageView.ozu.setImage(from: url)`), or one of several, such as
  /// the background of a button's state.
  @MainActor
  public struct ImagePlace: ImagePresenting {
    /// The binding of the place: it loads and shows pictures.
    public let images: ImageBinding

    package init(images: ImageBinding) { self.images = images }
  }

  /// A view that had the members of `ozu` itself, before they stood behind this prefix.
  ///
  /// Its extension has the old names, and not the view, so that a subclass may have members with these names.
  @MainActor
  public protocol UnprefixedImagePresenting: ImagePresenting {
    /// The type of `ozu`.
    associatedtype Place: ImagePresenting
    /// Loads and shows pictures.
    var ozu: Place { get }
  }

  extension UnprefixedImagePresenting {
    /// The binding of the view.
    @available(*, deprecated, renamed: "ozu.images")
    public var images: ImageBinding { ozu.images }
  }
#endif
