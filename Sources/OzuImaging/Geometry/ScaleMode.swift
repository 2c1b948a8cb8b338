/// How a picture is fitted to the requested size.
public enum ScaleMode: String, Hashable, Sendable, CaseIterable {
  /// Stretches the picture to the size and ignores its proportions.
  case fill
  /// Keeps the proportions; the result is the largest that fits inside the size.
  case aspectFit
  /// Keeps the proportions; the result is the smallest that covers the size, or with `Resize.crops` its centre, of
  /// exactly the size. A picture that would have to be enlarged stays as it is, or is cropped to the proportions of
  /// the size.
  case aspectFill
  /// Leaves the picture at its own size.
  case none
}
