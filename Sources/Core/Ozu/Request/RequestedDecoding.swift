/// How a request wants a file decoded: the treatment of its colours, and whether a part of it is enough. Part of the
/// recipe.
struct RequestedDecoding: Hashable, Sendable {
  /// The treatment of colours that are not sRGB; `nil` for that of the pipeline. A pipeline whose treatment is not the platform's
  /// standard puts its own in place of `nil` (`ImageRequest.keyed(by:)`), so that keys name what was done.
  var policy: ColorPolicy?

  /// The HDR headroom for which a gain map is applied, in stops; `nil` for none.
  private(set) var headroomStops: Double?

  /// Whether the part of a truncated file that is there will do.
  var allowsTruncation = false

  /// The headroom at which the brightest pixel has 64 times the light of white, which is beyond the maximum of PQ.
  static let mostStops = 6.0

  init(policy: ColorPolicy? = nil) { self.policy = policy }

  /// Sets the headroom. A value that is not a positive number counts as none.
  mutating func setHeadroom(_ stops: Double?) {
    headroomStops = stops.flatMap { $0 > 0 ? min($0, Self.mostStops) : nil }
  }

  /// A whole file in the colours of the pipeline, without a headroom.
  static let plain = RequestedDecoding()

  /// The treatment that keys name.
  private var keyPolicy: ColorPolicy { policy ?? .standard }

  /// The identity of the treatment, as steps of the recipe: none for a whole file in sRGB.
  var steps: [String] {
    (keyPolicy == .convertToSRGB ? [] : ["colors(\(keyPolicy))"])
      + (headroomStops.map { ["headroom(\($0))"] } ?? []) + (allowsTruncation ? ["partial"] : [])
  }

  /// Whether smaller pictures may be made from the decoded one: a whole file in 8 bits.
  var servesOthers: Bool {
    headroomStops == nil && !allowsTruncation && keyPolicy.pixelFormats == .bgra8
  }

  /// Whether a profile stays, in 8 bits.
  var keepsProfile: Bool { keyPolicy == .keepProfile }

  /// Whether a pipeline with this treatment of colours decodes so without being asked.
  func isPlain(under pipelinePolicy: ColorPolicy) -> Bool {
    var own = self
    if own.policy == pipelinePolicy { own.policy = nil }
    return own == .plain
  }

  /// For reading a rendition: keeps the colours and the bits with which it was written.
  static let written = RequestedDecoding(policy: .keepForFile)

  /// The context of a decode under this treatment and the limits of a pipeline.
  func context(
    _ pipeline: ImagePipeline.Configuration.Decoding, assistant: DecodingAssistant? = nil,
    isCancelled: @escaping () -> Bool = { false }
  ) -> DecodingContext {
    let policy = policy ?? pipeline.colorPolicy
    let context = DecodingContext(
      limits: pipeline.limits, pool: pipeline.pixelBufferPool,
      allowsTruncation: allowsTruncation, colorPolicy: policy, pixelFormats: policy.pixelFormats,
      budget: pipeline.decodedByteBudget, isCancelled: isCancelled
    ).assisted(by: assistant)
    guard let headroomStops else { return context }
    return context.brightened(toStops: headroomStops)
  }
}
