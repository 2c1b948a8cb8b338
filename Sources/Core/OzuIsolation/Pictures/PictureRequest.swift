import OzuBase
import OzuCodecs
import OzuImaging

/// A request to a decoder in another process, about one file.
struct PictureRequest: Hashable, Sendable {
  enum Task: Hashable, Sendable {
    case header
    case metadata
    /// The picture of a recipe, upright.
    case picture(Resize?)
    /// The delays and the loop count of the animation of a recipe.
    case track(Resize?)
    /// One finished frame of it.
    case frame(Int, Resize?)
    /// The pixels as stored, at this size, which differs from the file's only for a drawing.
    case pixels(PixelSize)
    /// The file, stored upright without loss.
    case turned(Orientation)
    /// The file as another one that stores it without loss, by the decoder of a format.
    case transcoded(JPEGTranscoding, ImageType)
    /// The metadata of the file, written again.
    case rewritten(MetadataRewriting)
  }

  var task: Task
  var limits: DecodingLimits
  var colorPolicy = ColorPolicy.convertToSRGB
  var pixelFormats = PixelFormatPolicy.bgra8
  var allowsTruncation = false
  var headroom: Double?
  /// The most bytes that the render may take: the reservation in the process that asks.
  var allowance = 0

  init(_ task: Task, limits: DecodingLimits) {
    self.task = task
    self.limits = limits
  }

  init(_ task: Task, _ context: DecodingContext, allowance: Int) {
    self.task = task
    limits = context.limits
    colorPolicy = context.colorPolicy
    pixelFormats = context.pixelFormats
    allowsTruncation = context.allowsTruncation
    headroom = context.headroom
    self.allowance = allowance
  }
}

// MARK: The size of an answer

extension PictureRequest {
  /// The most bytes of an answer without its pixels, about a file of this size. A header may have the whole profile of
  /// the file, which some formats store compressed.
  func fieldByteCount(fileByteCount: Int) -> Int {
    let blocks =
      switch task {
      case .header, .picture: fileByteCount.saturatingSum(2 * ImageMetadata.largestBlock)
      // EXIF data, XMP, IPTC-IIM, a profile, and the values.
      case .metadata: 6 * ImageMetadata.largestBlock
      // Two numbers for each frame.
      case .track: 20.saturatingProduct(limits.frameCount)
      case .frame, .pixels: 0
      // Other tables of codes than those of the original; a file of several scans has longer ones.
      case .turned, .transcoded(.store, _): fileByteCount.saturatingProduct(2)
      case .transcoded(.restore, _): JPEGTranscoding.restoredByteLimit(fileByteCount)
      case .rewritten: fileByteCount.saturatingSum(6 * ImageMetadata.largestBlock)
      }
    return blocks.saturatingSum(2 << 20)
  }

  /// The most bytes of pixels in an answer: they are part of what the render may take.
  var pixelByteCount: Int {
    switch task {
    case .header, .metadata, .track, .turned, .transcoded, .rewritten: 0
    case .picture, .frame: max(0, allowance)
    case .pixels(let size): min(max(0, allowance), size.bitmapByteCount(as: .rgba16))
    }
  }
}

// MARK: As bytes

extension PictureRequest {
  /// The version of the form of requests and answers. Usually both processes are of one build; this number shows if
  /// they are not.
  static let version = 9

  var data: Data {
    var writer = FieldWriter()
    writer.append(Self.version)
    switch task {
    case .header: writer.append(0)
    case .metadata: writer.append(1)
    case .picture(let resize):
      writer.append(2)
      writer.append(resize) { $1.write(to: &$0) }
    case .track(let resize):
      writer.append(3)
      writer.append(resize) { $1.write(to: &$0) }
    case .frame(let index, let resize):
      writer.append(4)
      writer.append(index)
      writer.append(resize) { $1.write(to: &$0) }
    case .pixels(let size):
      writer.append(5)
      size.write(to: &writer)
    case .turned(let orientation):
      // No answer has this number, so the beginning of a request is never read as an answer.
      writer.append(9)
      writer.append(orientation.rawValue)
    case .transcoded(let way, let type):
      writer.append(10)
      writer.append(way.rawValue)
      writer.append(type.rawValue)
    case .rewritten(let task):
      writer.append(11)
      task.write(to: &writer)
    }
    limits.write(to: &writer)
    writer.append(colorPolicy.number)
    writer.append(pixelFormats == .asStored)
    writer.append(allowsTruncation)
    writer.append(headroom) { $0.append($1) }
    writer.append(allowance)
    return writer.data
  }

  /// Reads a request; `nil` for bytes that are not one of this version.
  init?(_ data: Data) {
    let request = FieldReader.record(data, version: Self.version, PictureRequest.init(from:))
    guard let request else { return nil }
    self = request
  }

  private init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    func resize(_ reader: inout FieldReader) throws(FieldReader.Damage) -> Resize? {
      try reader.optional(Resize.init(from:))
    }
    switch try reader.integer() {
    case 0: task = .header
    case 1: task = .metadata
    case 2: task = .picture(try resize(&reader))
    case 3: task = .track(try resize(&reader))
    case 4: task = .frame(try reader.integer(), try resize(&reader))
    case 5: task = .pixels(try PixelSize(from: &reader))
    case 9:
      guard let orientation = Orientation(rawValue: try reader.integer()) else { throw FieldReader.Damage() }
      task = .turned(orientation)
    case 10:
      guard let way = JPEGTranscoding(rawValue: try reader.integer()) else { throw FieldReader.Damage() }
      task = .transcoded(way, ImageType(rawValue: try reader.text()))
    case 11: task = .rewritten(try MetadataRewriting(from: &reader))
    default: throw FieldReader.Damage()
    }
    limits = try DecodingLimits(from: &reader)
    colorPolicy = try ColorPolicy(number: reader.integer())
    pixelFormats = try reader.flag() ? .asStored : .bgra8
    allowsTruncation = try reader.flag()
    headroom = try reader.optionalNumber()
    allowance = try reader.integer()
  }
}

extension ColorPolicy {
  fileprivate var number: Int {
    switch self {
    case .convertToSRGB: 0
    case .keep: 1
    case .keepProfile: 2
    case .keepForFile: 3
    }
  }

  fileprivate init(number: Int) throws(FieldReader.Damage) {
    switch number {
    case 0: self = .convertToSRGB
    case 1: self = .keep
    case 2: self = .keepProfile
    case 3: self = .keepForFile
    default: throw FieldReader.Damage()
    }
  }
}

extension DecodingLimits {
  private static var counts: [WritableKeyPath<DecodingLimits, Int>] {
    [
      \.pixelCount, \.side, \.decodedByteCount, \.frameCount, \.animationByteCount, \.scanCount,
      \.scannedPixelCount, \.encodedByteCount,
    ]
  }

  fileprivate func write(to writer: inout FieldWriter) {
    for path in Self.counts { writer.append(self[keyPath: path]) }
    cpuTime.write(to: &writer)
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init()
    for path in Self.counts { self[keyPath: path] = try reader.integer() }
    cpuTime = try Duration(from: &reader)
  }
}

extension Duration {
  func write(to writer: inout FieldWriter) {
    let (seconds, attoseconds) = components
    writer.append(seconds)
    writer.append(attoseconds)
  }

  /// Reads a value of `write`.
  init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init(
      secondsComponent: Int64(try reader.integer()), attosecondsComponent: Int64(try reader.integer()))
  }
}
