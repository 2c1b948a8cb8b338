/// The content of a view: a row of the table of what views show.
///
/// The table stands on the page "Showing pictures", where users read it, and in `step(after:)`, by which the views of all
/// toolkits change their content. A test compares the two.
enum DisplayRow: CaseIterable {
  /// Nothing that its binding has shown.
  case nothing
  /// The placeholder of its source.
  case placeholder
  /// A preview of its picture.
  case preview
  /// Its picture, or a frame of it.
  case picture
  /// The picture in place of one that could not be loaded.
  case failure
  /// Content of another source that was left in the view on purpose (`DisplayPlaceholder.unchanged`).
  case former

  /// Whether it looks like the picture that follows, so that a fade would only blur it.
  var resemblesPicture: Bool { self == .preview || self == .picture }
}

/// An event that concerns the content of a view: a column of the table.
enum DisplayOccasion: CaseIterable {
  /// Another source is set, and its picture is not in memory.
  case otherSource
  /// The same source is set again, a failed load begins again, or the view needs another size of the picture; and it is
  /// not in memory.
  case sameSource
  /// A preview of the picture arrives.
  case preview
  /// The picture arrives, from memory or later.
  case picture
  /// The picture cannot be loaded.
  case failure
  /// `nil` is set in place of a source.
  case noSource
  /// The app clears the view.
  case clear
  /// The load is cancelled, or the view leaves the screen.
  case cancel
}

/// The step that follows: a cell of the table.
enum DisplayStep {
  /// It keeps its content.
  case keep
  /// It shows nothing.
  case empty
  /// It shows the placeholder, which is nothing by default.
  case placeholder
  /// It shows the preview.
  case preview
  /// It shows the picture.
  case picture
  /// It shows the failure picture; without one it keeps its content.
  case failureElseKeep
  /// It shows the failure picture; without one it shows nothing.
  case failureElseEmpty
}

extension DisplayRow {
  func step(after occasion: DisplayOccasion) -> DisplayStep {
    switch (occasion, self) {
    case (.otherSource, _), (.noSource, _): .placeholder
    case (.sameSource, .preview), (.sameSource, .picture): .keep
    case (.sameSource, _): .placeholder
    case (.preview, .picture): .keep
    case (.preview, _): .preview
    case (.picture, _): .picture
    case (.failure, .picture): .keep
    case (.failure, .former): .failureElseEmpty
    case (.failure, _): .failureElseKeep
    case (.clear, _): .empty
    case (.cancel, _): .keep
    }
  }
}
