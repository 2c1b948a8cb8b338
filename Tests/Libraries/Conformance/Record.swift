/// One line of a corpus's `INDEX.json`: a file and its right answer. The corpus documents the fields.
struct Record: Decodable {
  var path: String
  var set: String
  var format: String
  var expect: Expectation
  /// The size of the upright picture.
  var width: Int?
  var height: Int?
  var sizeIfDecoded: [Int]?
  var headerSize: [Int]?
  var orientation: Int?
  var orientationAny: [Int]?
  var rgba8SHA256: String?
  var grid: String?
  var gridSize: [Int]?
  var gridTolerance: Int?
  var references: [String]?
  var referenceTolerance: Int?
  var referencesAreFrames: Bool?
  var toleranceAfterConversion: Int?
  var frames: Int?
  var delays: [Double]?
  var loop: Int?
  /// The size at which a drawing was drawn for its reference.
  var referenceSize: [Int]?
  /// The digests of the composited frames with straight colours, perhaps of the first frames only; `nil` where
  /// decoders disagree.
  var frameDigests: [String?]?

  enum Expectation: String, Decodable {
    case decode
    case reject
    case decodeOrReject = "decode-or-reject"
    case decodeOrUnsupported = "decode-or-unsupported"
    case truncated
    case limit
    case limitOrReject = "limit-or-reject"
    case noCrash = "no-crash"
  }

  enum CodingKeys: String, CodingKey {
    case path, set, format, expect, width, height, orientation, grid, frames, loop
    case sizeIfDecoded = "size_if_decoded"
    case headerSize = "header_size"
    case orientationAny = "orientation_any"
    case rgba8SHA256 = "rgba8_sha256"
    case gridSize = "grid_size"
    case gridTolerance = "grid_tol"
    case references = "refs"
    case referenceTolerance = "ref_tol"
    case referencesAreFrames = "refs_are_frames"
    case toleranceAfterConversion = "ref_tol_after_srgb_conversion"
    case delays = "delays_ms"
    case referenceSize = "ref_render_size"
    case frameDigests = "frame_sha256"
  }
}

/// A file that is known to fail, and why that is right or cannot be changed.
struct KnownException: Decodable {
  var path: String
  var reason: String
}

/// The result for one file, in the form of the report.
struct Finding: Encodable {
  enum Outcome: String, Encodable {
    case pass, fail, exception
    /// No decoder for the format in this build.
    case unsupported
  }

  var path: String
  var expect: String
  var outcome: Outcome
  var detail: String
  var ms: Double
  var peakBytes: Int
}
