/// The values in which pixels are averaged.
public enum ResamplingLight: String, Hashable, Sendable, CaseIterable {
  /// The stored values, as in nearly all programs. Fast, and works with reduced decoding.
  case asStored
  /// Amounts of light: a fine pattern of black and white becomes the grey that one sees from a distance, which is
  /// lighter. The picture is decoded at full size, and dark lines on a light background become thinner.
  case linear
}
