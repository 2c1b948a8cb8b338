#if canImport(CoreGraphics)
  import CoreGraphics

  extension DisplayContent {
    /// The pixels to show as an image of Core Graphics, tagged with the profile of a picture that has one; `nil` for nothing, and for an
    /// image of the toolkit.
    package var cgImage: CGImage? {
      switch self {
      case .nothing, .toolkitImage: nil
      case .placeholder(let picture), .preview(let picture), .picture(let picture), .frame(let picture),
        .failure(let picture):
        picture.cgImage
      }
    }
  }
#endif
