/// What becomes of the colours of a picture, as a request says it: part of the recipe.
struct RequestedColors: Hashable, Sendable {
  /// What becomes of colours that are not sRGB.
  var policy: ColorPolicy

  /// The HDR headroom for which a gain map is applied, in stops; `nil` for none.
  private(set) var headroomStops: Double?

  /// The headroom at which the brightest pixel has the 64-fold light of white, which is over the end of PQ.
  static let mostStops = 6.0

  init(policy: ColorPolicy = .convertToSRGB) { self.policy = policy }

  /// Sets the headroom. One that is no number, or no more than white, counts as none.
  mutating func setHeadroom(_ stops: Double?) {
    headroomStops = stops.flatMap { $0 > 0 ? min($0, Self.mostStops) : nil }
  }

  /// The same without a headroom, and in sRGB.
  static let converted = RequestedColors()

  /// What tells the recipe from others, as steps: none for colours that are converted.
  var steps: [String] {
    (policy == .convertToSRGB ? [] : ["colors(\(policy))"])
      + (headroomStops.map { ["headroom(\($0))"] } ?? [])
  }

  /// Those of a finished picture that is read again: the colours, and all the bits, that it was written with.
  static let written = RequestedColors(policy: .keepForFile)

  /// The colours of the context of a decode.
  func apply(to context: DecodingContext) -> DecodingContext {
    headroomStops.map { context.brightened(toStops: $0) } ?? context
  }
}
