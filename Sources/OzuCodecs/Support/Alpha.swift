/// Whether a decoder premultiplies the colours of transparent pixels.
package enum Alpha: Sendable {
  /// Multiplied by alpha, as in all bitmaps.
  case premultiplied
  /// As stored. Such a bitmap must not be shown: it is for tests that compare a decoder bit by bit, because the
  /// multiplication would hide differences.
  case straight
}
