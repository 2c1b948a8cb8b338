/// How the bytes of a bitmap are laid out.
///
/// Everything works with `bgra8`. The other formats preserve 16-bit or grey sources: decoders return them if they
/// are asked to (`DecodingContext.pixelFormats`), and encoders accept them. `rgba16` is resized without conversion,
/// and processed by steps that support it (`ImageProcessing.process(wide:context:)`); in all other cases, bitmaps
/// are converted first with `Bitmap.converted(to:pool:)`.
public enum PixelFormat: String, Hashable, Sendable, CaseIterable {
  /// Four bytes for each pixel, in memory blue, green, red, alpha; premultiplied. GTK, Core Animation and cairo
  /// show it without a copy.
  case bgra8
  /// Four 16-bit integers for each pixel in the byte order of the machine: red, green, blue, alpha; premultiplied.
  /// Samples of 10 or 12 bits are scaled to all 16.
  case rgba16
  /// One byte for each pixel, from black to white; opaque.
  case gray8

  /// The number of bytes one pixel takes.
  public var bytesPerPixel: Int {
    switch self {
    case .bgra8: 4
    case .rgba16: 8
    case .gray8: 1
    }
  }
}

/// The formats in which decoders may return pixels.
public enum PixelFormatPolicy: Hashable, Sendable {
  /// Always `bgra8`: samples with more bits are rounded to 8 by the decoder, grey is repeated in all three colours.
  case bgra8
  /// The format of the file: `rgba16` for more than 8 bits, `gray8` for grey without alpha or a profile, `bgra8` otherwise.
  ///
  /// A resized picture stays `rgba16`, but grey becomes `bgra8`. Frames of animations and previews are always `bgra8`.
  case asStored
}
