/// How a picture is brought to the size that was asked for.
public enum ScaleMode: String, Hashable, Sendable, CaseIterable {
  /// Stretches the picture to the size, whatever becomes of its proportions.
  case fill
  /// Keeps the proportions; the result is the largest that lies inside the size.
  case aspectFit
  /// Keeps the proportions; the result is the smallest that covers the size, or with `Resize.crops` the centre of that,
  /// of exactly the size. A picture that would have to be enlarged stays as it is, or is cut to the shape of the size.
  case aspectFill
  /// Leaves the picture at its own size.
  case none
}
