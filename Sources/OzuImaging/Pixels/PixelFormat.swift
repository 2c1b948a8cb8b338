/// How the bytes of a bitmap are laid out.
public enum PixelFormat: String, Hashable, Sendable {
  /// Four bytes a pixel, in memory blue, green, red, alpha; the colours are premultiplied by alpha. What GTK,
  /// Core Animation and cairo show without a copy.
  case bgra8

  /// The number of bytes one pixel takes.
  public var bytesPerPixel: Int { 4 }
}
