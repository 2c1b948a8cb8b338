/// How much of a file a reduced decode reads.
///
/// It matters only if a decoder can leave detail out: today for a JPEG that becomes several times smaller.
public enum DecodingQuality: String, Hashable, Sendable, CaseIterable {
  /// As much as the result can show: no visible difference to a full decode.
  case balanced
  /// Less: thumbnails take about two thirds of the time and lose some sharpness.
  case fast
}
