/// How a picture is fitted to the requested size.
public enum ScaleMode: String, Hashable, Sendable, CaseIterable {
  /// Stretches the picture to the size and ignores its proportions.
  case fill
  /// Keeps the proportions; the result is the largest that fits inside the size.
  case aspectFit
  /// Keeps the proportions and cuts off the parts outside the size, so that the result has exactly the size. A picture that would
  /// have to be enlarged is cut to the proportions of the size. With `crops: false` (`Resize.crops`) nothing is cut off: the
  /// result is the smallest that covers the size.
  case aspectFill
  /// Leaves the picture at its own size.
  case none
}
