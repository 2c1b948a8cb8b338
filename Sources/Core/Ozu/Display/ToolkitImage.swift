/// An image of a view's toolkit, such as a `UIImage`. A view shows it as it is: a symbol keeps its tint, and an asset its
/// variant for dark appearance. The modules for toolkits make it.
public struct ToolkitImage: Sendable {
  package let image: any Sendable

  package init(_ image: any Sendable) { self.image = image }
}

/// An image that a view can show in place of a picture that could not be loaded: a `Picture`, `UIImage` or `NSImage`.
public protocol FailureImage {
  /// The content of the view.
  var ozuContent: DisplayContent { get }
}

extension Picture: FailureImage {
  /// The picture as the content of a view.
  public var ozuContent: DisplayContent { .failure(self) }
}
