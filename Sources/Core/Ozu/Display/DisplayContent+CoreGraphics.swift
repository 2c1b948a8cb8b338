#if canImport(CoreGraphics)
  import CoreGraphics

  extension DisplayContent {
    /// The pixels to show as an image of Core Graphics, tagged with the profile of a picture that has one; `nil` for nothing, and for an
    /// image of the toolkit.
    package var cgImage: CGImage? { shownPicture?.cgImage }
  }
#endif
