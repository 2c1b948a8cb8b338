/// The treatment of a picture's colours in a request; part of the recipe.
struct RequestedColors: Hashable, Sendable {
  /// The treatment of colours that are not sRGB.
  var policy: ColorPolicy

  /// The HDR headroom for which a gain map is applied, in stops; `nil` for none.
  private(set) var headroomStops: Double?

  /// The headroom at which the brightest pixel has 64 times the light of white, which is beyond the maximum of PQ.
  static let mostStops = 6.0

  init(policy: ColorPolicy = .convertToSRGB) { self.policy = policy }

  /// Sets the headroom. A value that is not a positive number counts as none.
  mutating func setHeadroom(_ stops: Double?) {
    headroomStops = stops.flatMap { $0 > 0 ? min($0, Self.mostStops) : nil }
  }

  /// The same without a headroom, and in sRGB.
  static let converted = RequestedColors()

  /// The identity of the treatment, as steps of the recipe: none for converted colours.
  var steps: [String] {
    (policy == .convertToSRGB ? [] : ["colors(\(policy))"])
      + (headroomStops.map { ["headroom(\($0))"] } ?? [])
  }

  /// For reading a rendition: keeps the colours and the bits with which it was written.
  static let written = RequestedColors(policy: .keepForFile)

  /// The colours of the context of a decode.
  func apply(to context: DecodingContext) -> DecodingContext {
    headroomStops.map { context.brightened(toStops: $0) } ?? context
  }
}
