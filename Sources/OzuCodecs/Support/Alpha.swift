/// How a decoder leaves the colours of transparent pixels.
package enum Alpha: Sendable {
  /// Multiplied by alpha, as bitmaps are.
  case premultiplied
  /// As stored. Such a bitmap is not fit to be shown: it is for checking decoders to the last bit, which
  /// multiplication would hide.
  case straight
}
