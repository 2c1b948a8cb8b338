/// In which values the mean of two pixels is taken.
public enum ResamplingLight: String, Hashable, Sendable, CaseIterable {
  /// In those of the file, as nearly all programs do. Fast, and what reduced decoding is made for.
  case asStored
  /// In amounts of light: a fine pattern of black and white becomes the grey that one sees from afar, which is
  /// lighter. The picture is decoded in whole, and dark lines on a light ground come out thinner.
  case linear
}
