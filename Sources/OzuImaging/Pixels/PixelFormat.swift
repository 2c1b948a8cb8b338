/// How the bytes of a bitmap are laid out.
///
/// Everything works with `bgra8`. The others keep what a file has more, or less, of: they come out of decoders that are
/// asked for them (`DecodingContext.pixelFormats`), and go into encoders. `rgba16` is resized as it is, and processed by steps
/// that say so (`ImageProcessing.process(wide:context:)`); else they are converted first, by `Bitmap.converted(to:pool:)`.
public enum PixelFormat: String, Hashable, Sendable, CaseIterable {
  /// Four bytes a pixel, in memory blue, green, red, alpha; the colours are premultiplied by alpha. What GTK,
  /// Core Animation and cairo show without a copy.
  case bgra8
  /// Four 16-bit integers a pixel in the byte order of the machine: red, green, blue, alpha; the colours are
  /// premultiplied by alpha. Samples of 10 or 12 bits are spread over all 16.
  case rgba16
  /// One byte a pixel, from black to white; opaque.
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

/// In which formats decoders may hand out pixels.
public enum PixelFormatPolicy: Hashable, Sendable {
  /// `bgra8` always: what has more bits is rounded to 8 as its decoder does it, grey is repeated in three colours.
  case bgra8
  /// What the file has: `rgba16` for more than 8 bits, `gray8` for grey without alpha or a profile, `bgra8` otherwise.
  ///
  /// What is resized stays `rgba16`; grey becomes `bgra8` then. Frames of animations and previews are always `bgra8`.
  case asStored
}
