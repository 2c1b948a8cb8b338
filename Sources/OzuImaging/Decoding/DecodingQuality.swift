/// How much of a file a reduced decode looks at.
///
/// It matters only where a decoder can leave detail out: today for JPEG that becomes several times smaller.
public enum DecodingQuality: String, Hashable, Sendable, CaseIterable {
  /// As much as the result can show: no difference to a full decode that an eye would find.
  case balanced
  /// Less: about two thirds of the time for thumbnails, at the price of some sharpness.
  case fast
}
