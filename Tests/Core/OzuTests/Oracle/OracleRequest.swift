import Foundation
import OzuHTTP
import OzuTesting

@testable import Ozu

/// Where a request of the oracle's runs takes its bytes from.
enum OracleSource: Hashable, Sendable, CustomStringConvertible {
  /// A web address, asked for with the credentials of an account; 0 for none. Account 2 is a header field that is named as part of
  /// the key. Requests of account 3 have a cache key of their own.
  case web(Int, account: Int)
  case fetcher(Int)
  /// A local file.
  case file(Int)
  /// The file of this index, within the request.
  case data(Int)

  static let webCount = 3
  static let fetcherCount = 2
  static let fileCount = 1

  /// The number of its origin; `nil` if it has none.
  var origin: Int? {
    switch self {
    case .web(let number, _): number
    case .fetcher(let number): Self.webCount + number
    case .file(let number): Self.webCount + Self.fetcherCount + number
    case .data: nil
    }
  }

  static func random(_ random: inout SeededGenerator) -> OracleSource {
    switch Int.random(in: 0..<16, using: &random) {
    case 0: .data([0, 1, 30][Int.random(in: 0..<3, using: &random)])
    case 1, 2: .fetcher(Int.random(in: 0..<fetcherCount, using: &random))
    case 3: .file(Int.random(in: 0..<fileCount, using: &random))
    case 4, 5: .web(0, account: Int.random(in: 1...3, using: &random))
    default: .web(Int.random(in: 0..<webCount, using: &random), account: 0)
    }
  }

  /// - Parameter token: what the key rules of a pipeline leave out.
  static func url(_ number: Int, token: Int? = nil) -> URL {
    URL(string: "https://origin\(number).example/picture" + (token.map { "?token=\($0)" } ?? ""))!
  }

  var hasOwnKey: Bool { if case .web(_, 3) = self { true } else { false } }

  var description: String {
    switch self {
    case .web(let number, let account): account == 0 ? "web\(number)" : "web\(number) of account \(account)"
    case .fetcher(let number): "fetcher\(number)"
    case .file(let number): "file\(number)"
    case .data(let index): "data\(index)"
    }
  }
}

/// What a request of the web asks of an origin that varies by it. It is no part of its key: it only chooses among the stored answers
/// of such an origin.
enum OracleVariant: String, Hashable, Sendable {
  case none = ""
  /// A language, by a header field.
  case german = "de"
  /// Formats of its own. Requests share no download with those of other formats.
  case compact = "image/compact"

  static let languageField = "Accept-Language"

  /// What a request asks for.
  init(_ headers: HTTPHeaders) {
    let isCompact = headers["Accept"] == Self.compact.rawValue
    self = isCompact ? .compact : Self(rawValue: headers[Self.languageField] ?? "") ?? .none
  }

  /// The number of files before that of other requests.
  var offset: Int {
    switch self {
    case .none: 0
    case .german: 1
    case .compact: 2
    }
  }
}

/// A request of the oracle's runs, as a value that is made by a seed and can be printed.
struct OracleRequest: Hashable, Sendable {
  var source: OracleSource
  var variant = OracleVariant.none
  var resize: Resize?
  var processors: [OracleStep] = []
  var colorPolicy = ColorPolicy.convertToSRGB
  var headroom: Double?
  var allowsTruncation = false
  var scale = 1.0
  var priority = ImagePriority.normal
  var cachePolicy = CachePolicy.useCaches
  var readLayers = ImagePipeline.CacheLayers.all
  var writeLayers = ImagePipeline.CacheLayers.all
  var storagePolicy: StoragePolicy?
  /// The lifetime of its own HTTP rules, in seconds; `nil` for those of the pipeline.
  var ownLifetime: Int?
  var format: OracleFormat?
  var alternatives: [OracleSource] = []
  /// The source to load while the user wants to save data.
  var lowDataSource: OracleSource?
  /// Whether it has a deadline, of ten seconds.
  var isUrgent = false
  /// Whether its download has time limits of its own, which an origin exceeds that is held.
  var isHasty = false
  /// A part of its address that changes nothing, by the key rules of the pipeline.
  var token = 0

  static let hastyTimeouts = HTTPTimeouts(connect: .seconds(3))

  /// All sources that may answer in place of its own.
  var substitutes: [OracleSource] { (lowDataSource.map { [$0] } ?? []) + alternatives }

  init(_ source: OracleSource) { self.source = source }

  /// The resize that counts: that of the format replaces the request's own.
  var effectiveResize: Resize? {
    let resize = format.map(\.format.resize) ?? resize
    return resize?.changesNothing == true ? nil : resize
  }

  /// Whether equal values make equal pictures, whatever the rules of the load are.
  var recipe: OracleRequest {
    var recipe = OracleRequest(source)
    recipe.resize = effectiveResize
    (recipe.processors, recipe.colorPolicy, recipe.headroom) = (processors, colorPolicy, headroom)
    (recipe.allowsTruncation, recipe.format) = (allowsTruncation, format)
    return recipe
  }

  /// The request for one of its alternatives.
  func alternative(_ source: OracleSource) -> OracleRequest {
    var request = self
    (request.source, request.alternatives, request.lowDataSource) = (source, [], nil)
    // These belong to the address; the formats do not.
    (request.isHasty, request.token) = (false, 0)
    if variant == .german { request.variant = .none }
    return request
  }
}

// MARK: Chance

extension OracleRequest {
  static func random(_ random: inout SeededGenerator) -> OracleRequest {
    var request = OracleRequest(.random(&random))
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    if chance(75) { request.resize = randomResize(&random) }
    if chance(25) {
      request.processors = (0...Int.random(in: 0...1, using: &random)).map { _ in .random(&random) }
    }
    if chance(12) {
      request.colorPolicy = [.keep, .keepForFile, .keepProfile].randomElement(using: &random)!
    }
    if chance(5) { request.headroom = 1 }
    if chance(12) { request.allowsTruncation = true }
    if chance(10) { request.scale = 2 }
    request.priority = ImagePriority.allCases.randomElement(using: &random)!
    if chance(25) { request.cachePolicy = [.reload, .cacheOnly, .bypass].randomElement(using: &random)! }
    let layers: [ImagePipeline.CacheLayers] = [.memory, .disk, .originals, .renditions, []]
    if chance(10) { request.readLayers = layers.randomElement(using: &random)! }
    if chance(10) { request.writeLayers = layers.randomElement(using: &random)! }
    if chance(15) { request.storagePolicy = StoragePolicy.allCases.randomElement(using: &random)! }
    if chance(6) { request.ownLifetime = [0, 100].randomElement(using: &random)! }
    if chance(15) { request.format = OracleFormat.allCases.randomElement(using: &random)! }
    request.isUrgent = chance(5)
    let alternative = OracleSource.random(&random)
    if chance(8), !alternative.hasOwnKey, !request.source.hasOwnKey { request.alternatives = [alternative] }
    return request
  }

  private static func randomResize(_ random: inout SeededGenerator) -> Resize {
    let sizes = [
      (8, 6), (16, 12), (20, 20), (24, 18), (32, 24), (32, 24), (48, 36), (48, 36), (12, 16), (90, 70),
    ]
    let (width, height) = sizes.randomElement(using: &random)!
    var resize = Resize(PixelSize(width, height))
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    if chance(40) { resize.mode = ScaleMode.allCases.randomElement(using: &random)! }
    if chance(15) { resize.crops = false }
    if chance(20) { resize.allowsUpscaling = true }
    if chance(20) { resize.kernel = ResamplingKernel.allCases.randomElement(using: &random)! }
    if chance(12) { resize.quality = .fast }
    if chance(20) { resize.light = .linear }
    if chance(5) { resize.allowsEmbeddedThumbnail = true }
    if chance(3) { (resize.size, resize.allowsUpscaling) = (PixelSize(9000, 9000), true) }
    if chance(2) { resize.size = PixelSize(0, 5) }
    if chance(15) {
      let places = [(0, 0), (5, 3), (10, 10), (-8, -8), (500, 0), (-500, 2), (64, 0)]
      let (x, y) = places.randomElement(using: &random)!
      resize.region = PixelRectangle(x: x, y: y, width: 20, height: 14)
    }
    return resize
  }
}

// MARK: Steps and formats

/// A step that changes every pixel, fails, or makes the picture larger.
enum OracleStep: Hashable, Sendable, ImageProcessing {
  case invert
  case swap
  case fail
  case resize(Int)

  static func random(_ random: inout SeededGenerator) -> OracleStep {
    [.invert, .invert, .swap, .swap, .resize(10), .resize(40), .resize(9000), .fail].randomElement(
      using: &random)!
  }

  private var step: Resize? {
    if case .resize(let side) = self {
      Resize(PixelSize(side, side), mode: .fill, allowsUpscaling: true)
    } else {
      nil
    }
  }

  var identifier: String { step?.identifier ?? "oracle.\(self)" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    if let step { return try step.process(bitmap, context: context) }
    if self == .fail { throw .failed(identifier, reason: "as always") }
    let old = bitmap.bitmap
    let isInverting = self == .invert
    return BGRABitmap(
      Bitmap(size: old.size, isOpaque: old.isOpaque) { x, y in
        let pixel = old[x, y]
        return isInverting
          ? Pixel(
            red: pixel.alpha - pixel.red, green: pixel.alpha - pixel.green, blue: pixel.alpha - pixel.blue,
            alpha: pixel.alpha)
          : Pixel(red: pixel.green, green: pixel.blue, blue: pixel.red, alpha: pixel.alpha)
      }.withColorSpace(old.colorSpace), pool: context.pool)
  }
}

/// The named formats of a run.
enum OracleFormat: Hashable, Sendable, CaseIterable {
  case small
  case memoryOnly
  case hooked
  /// In memory when a process begins.
  case preloaded

  /// One object for each, as an app keeps them.
  var format: CacheFormat {
    switch self {
    case .small: Self.smallFormat
    case .memoryOnly: Self.memoryFormat
    case .hooked: Self.hookedFormat
    case .preloaded: Self.preloadedFormat
    }
  }

  /// The steps before and after the resize.
  var hooks: (before: OracleStep?, after: OracleStep?) { self == .hooked ? (.swap, .invert) : (nil, nil) }

  private static let smallFormat = CacheFormat(
    "small", size: PixelSize(24, 18), mode: .aspectFill, diskCapacity: 1 << 20)
  private static let preloadedFormat = CacheFormat(
    "preloaded", size: PixelSize(32, 24), mode: .aspectFill, diskCapacity: 1 << 20
  ) { $0.preloadPolicy = .all }
  private static let memoryFormat = CacheFormat("memory", size: PixelSize(16, 12))
  private static let hookedFormat = CacheFormat("hooked", size: PixelSize(60, 45), diskCapacity: 1 << 20) {
    $0.preResize = { _, picture in try picture.processed(by: [OracleStep.swap]) }
    $0.postResize = { _, picture in try picture.processed(by: [OracleStep.invert]) }
  }
}

// MARK: For the pipeline

extension OracleSource {
  func imageSource(
    _ origins: OracleOrigins, _ variant: OracleVariant = .none, token: Int = 0
  ) -> ImageSource {
    switch self {
    case .web(let number, let account):
      Self.imageSource(Self.url(number, token: origins.settings.hasKeyRules ? token : nil), account, variant)
    case .fetcher(let number): ImageSource(key: "fetcher\(number)") { try await origins.fetch(number) }
    case .file(let number): .url(origins.file(number))
    case .data(let index): .data(OracleBody.all[index].data, key: "data\(index)")
    }
  }

  static let accountField = "X-Account"

  private static func imageSource(_ url: URL, _ account: Int, _ variant: OracleVariant) -> ImageSource {
    if account == 0, variant != .german { return .url(url) }
    var request = ImageURLRequest(url: url)
    if account == 2 { request.keyHeaders = [accountField] }
    if account != 0 { request.headers[account == 2 ? accountField : "Authorization"] = "\(account)" }
    if variant == .german { request.headers[OracleVariant.languageField] = variant.rawValue }
    return .request(request)
  }
}

extension OracleRequest {
  func request(_ origins: OracleOrigins) -> ImageRequest {
    var request = ImageRequest(
      source.imageSource(origins, variant, token: token), resize: resize, processors: processors,
      priority: priority,
      cachePolicy: cachePolicy, cacheKey: source.hasOwnKey ? "\(source)" : nil, format: format?.format)
    if colorPolicy != origins.settings.colorPolicy { request.colorPolicy = colorPolicy }
    request.headroomStops = headroom
    request.allowsTruncation = allowsTruncation
    request.scale = scale
    (request.readLayers, request.writeLayers, request.storagePolicy) = (
      readLayers, writeLayers, storagePolicy
    )
    request.httpPolicy = ownLifetime.map { .ignoring(lifetime: .seconds($0)) }
    request.alternatives = alternatives.map { $0.imageSource(origins) }
    request.lowDataSource = lowDataSource?.imageSource(origins)
    if variant == .compact { request.acceptance = .field(variant.rawValue) }
    if isHasty { request.timeouts = Self.hastyTimeouts }
    if isUrgent { request.deadline = .seconds(10) }
    return request
  }
}

extension OracleRequest: CustomStringConvertible {
  var description: String {
    let plain = OracleRequest(source)
    var parts = ["\(source)"]
    if variant != .none { parts.append("in \(variant)") }
    if token != 0 { parts.append("token \(token)") }
    if let resize { parts.append(resize.identifier) }
    parts += processors.map(\.identifier)
    if let format { parts.append("format \(format)") }
    if colorPolicy != plain.colorPolicy { parts.append("colours \(colorPolicy)") }
    if let headroom { parts.append("headroom \(headroom)") }
    if allowsTruncation { parts.append("truncation") }
    if scale != 1 { parts.append("scale \(scale)") }
    if cachePolicy != plain.cachePolicy { parts.append("\(cachePolicy)") }
    if readLayers != .all { parts.append("reads \(readLayers.rawValue)") }
    if writeLayers != .all { parts.append("writes \(writeLayers.rawValue)") }
    if let storagePolicy { parts.append("stores \(storagePolicy.rawValue)") }
    if let ownLifetime { parts.append("own lifetime \(ownLifetime)") }
    if isUrgent { parts.append("within 10 s") }
    if isHasty { parts.append("with time limits") }
    if let lowDataSource { parts.append("or \(lowDataSource) to save data") }
    if !alternatives.isEmpty { parts.append("or \(alternatives)") }
    return parts.joined(separator: " ")
  }
}
