import OzuBase
import OzuCodecs
import OzuImaging

/// The answer of a decoder in another process. Its pixels follow separately.
enum PictureAnswer: Sendable {
  /// The requested value, or the reason why there is none.
  case header(ImageHeader)
  case metadata(ImageMetadata)
  /// The time is that of the resize stage.
  case picture(ImageHeader, BitmapForm, notes: [String], resizeTime: Duration = .zero)
  /// `nil` if the picture is shown without its frames.
  case track(FrameTrack?)
  case bitmap(BitmapForm)
  case failure(ImageDecodingError)
  /// The library of the format was missing when the worker was started.
  case lacking(ImageDecodingError)
  case file(Data)
  case rewritten(MetadataRewriting.Outcome)
  /// The render would take this number of bytes, which is more than it may.
  case needs(byteCount: Int)
}

/// The facts about a bitmap, without its pixels.
struct BitmapForm: Hashable, Sendable {
  let size: PixelSize
  let format: PixelFormat
  let isOpaque: Bool
  let colorSpace: ColorSpaceTag

  init(_ bitmap: Bitmap) {
    (size, format) = (bitmap.size, bitmap.format)
    (isOpaque, colorSpace) = (bitmap.isOpaque, bitmap.colorSpace)
  }

  /// The bytes of the pixels as they are sent: the distance between rows is that of every bitmap.
  var byteCount: Int { size.bitmapByteCount(as: format) }
}

/// The delays and the loop count of an animation; each frame is a finished picture.
struct FrameTrack: Hashable, Sendable {
  let delays: [Duration]
  let loopCount: Int
  /// The most memory that making one frame takes.
  let workingByteCount: Int
}

// MARK: Possible answers

extension BitmapForm {
  /// Why the facts are impossible, in words; `nil` if they are possible. Size and format are compared with the request.
  var flaw: String? {
    if size.isEmpty { return "a picture of \(size)" }
    switch colorSpace {
    case .sRGB: return nil
    case .icc(let name), .encoded(let name):
      return name.utf8.count > PictureAnswer.longestText ? "colours with a long name" : nil
    case .coded(let primaries, let transfer):
      let range = 0...Int(UInt16.max)
      return range ~= primaries && range ~= transfer ? nil : "colours by the numbers \(primaries)/\(transfer)"
    }
  }
}

extension FrameTrack {
  /// More than any format can say, and few enough to add them up.
  private static let longestDelay = Duration.seconds(1 << 40)
  private static let mostMemory = 1 << 40

  /// Why the track is impossible under these limits, in words; `nil` if it is possible.
  func flaw(_ limits: DecodingLimits) -> String? {
    if !(2...max(2, limits.frameCount) ~= delays.count) { return "\(delays.count) frames" }
    if !delays.allSatisfy({ .zero...Self.longestDelay ~= $0 }) { return "a frame of an impossible time" }
    if loopCount < 0 { return "\(loopCount) rounds" }
    if !(0...Self.mostMemory ~= workingByteCount) { return "frames that take \(workingByteCount) bytes" }
    return nil
  }
}

extension PictureAnswer {
  /// The most bytes of a text in an answer, in UTF-8, and the most notes.
  static let longestText = 4096
  static let mostNotes = 256
}

extension FieldWriter {
  /// Writes notes, as far as an answer may have them.
  mutating func append(notes: [String]) {
    append(notes.prefix(PictureAnswer.mostNotes)) {
      // A character that is cut becomes a sign of three bytes.
      $0.append(String(decoding: $1.utf8.prefix(PictureAnswer.longestText - 3), as: UTF8.self))
    }
  }
}

extension FieldReader {
  mutating func shortText() throws(Damage) -> String {
    let text = try text()
    guard text.utf8.count <= PictureAnswer.longestText else { throw Damage() }
    return text
  }

  mutating func notes() throws(Damage) -> [String] {
    try list(atMost: PictureAnswer.mostNotes) { (reader) throws(Damage) in try reader.shortText() }
  }
}

// MARK: As bytes

extension PictureAnswer {
  var data: Data {
    var writer = FieldWriter()
    write(to: &writer)
    return writer.data
  }

  func write(to writer: inout FieldWriter) {
    writer.append(PictureRequest.version)
    switch self {
    case .header(let header):
      writer.append(0)
      header.writeWhole(to: &writer)
    case .metadata(let metadata):
      writer.append(1)
      metadata.write(to: &writer)
    case .picture(let header, let form, let notes, let resizeTime):
      writer.append(2)
      header.writeWhole(to: &writer)
      form.write(to: &writer)
      writer.append(notes: notes)
      resizeTime.write(to: &writer)
    case .track(let track):
      writer.append(3)
      writer.append(track) { $1.write(to: &$0) }
    case .bitmap(let form):
      writer.append(4)
      form.write(to: &writer)
    case .failure(let error):
      writer.append(5)
      error.write(to: &writer)
    case .needs(let byteCount):
      writer.append(6)
      writer.append(byteCount)
    case .lacking(let error):
      writer.append(7)
      error.write(to: &writer)
    case .file(let data):
      writer.append(8)
      writer.append(data)
    case .rewritten(let outcome):
      // No request has this number.
      writer.append(12)
      outcome.write(to: &writer)
    }
  }

  /// Reads an answer; `nil` for other bytes. The sender is not trusted: the code that uses the values checks them.
  init?(_ data: Data) {
    let answer = FieldReader.record(data, version: PictureRequest.version, PictureAnswer.init(from:))
    guard let answer else { return nil }
    self = answer
  }

  private init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    switch try reader.integer() {
    case 0: self = .header(try ImageHeader(whole: &reader))
    case 1: self = .metadata(try ImageMetadata(from: &reader))
    case 2:
      self = .picture(
        try ImageHeader(whole: &reader), try BitmapForm(from: &reader),
        notes: try reader.notes(),
        resizeTime: try Duration(from: &reader))
    case 3:
      self = .track(try reader.optional(FrameTrack.init(from:)))
    case 4: self = .bitmap(try BitmapForm(from: &reader))
    case 5: self = .failure(try ImageDecodingError(from: &reader))
    case 6: self = .needs(byteCount: try reader.integer())
    case 7: self = .lacking(try ImageDecodingError(from: &reader))
    case 8: self = .file(try reader.data())
    case 12: self = .rewritten(try MetadataRewriting.Outcome(from: &reader))
    default: throw FieldReader.Damage()
    }
  }
}

extension BitmapForm {
  fileprivate func write(to writer: inout FieldWriter) {
    size.write(to: &writer)
    writer.append(format.rawValue)
    writer.append(isOpaque)
    colorSpace.write(to: &writer)
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    size = try PixelSize(from: &reader)
    guard let format = PixelFormat(rawValue: try reader.text()) else { throw FieldReader.Damage() }
    self.format = format
    isOpaque = try reader.flag()
    colorSpace = try ColorSpaceTag(from: &reader)
  }
}

extension FrameTrack {
  fileprivate func write(to writer: inout FieldWriter) {
    writer.append(delays) { $1.write(to: &$0) }
    writer.append(loopCount)
    writer.append(workingByteCount)
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    delays = try reader.list(atMost: ImageHeader.largestFrameCount, Duration.init(from:))
    loopCount = try reader.integer()
    workingByteCount = try reader.integer()
  }
}
