/// A row of the table of formats: the facts about a format apart from its codec.
///
/// Everything that tells formats apart reads this table: recognition by content, names and media types, negotiation with
/// servers and clients, isolation, the addresses of the image service, the formats of the command line, and the files that
/// the gallery lists. So a new format needs a row here and a codec, and no list anywhere else.
package struct ImageFormat: Sendable {
  /// How a format is decoded, which decides how it is isolated.
  package enum Decoding: Hashable, Sendable {
    /// By Swift, perhaps with a C library for a part. Preferred isolation leaves it in the process of the app.
    case own
    /// By a C library, which preferred isolation puts into a process of its own.
    case library(startsThreads: Bool)
    /// By a library that may end the process, so only in isolation, unless an app asks for it. It reads fonts, and starts
    /// threads.
    case drawing
    /// Not at all: the format is only recognised, so that an error can name it.
    case none

    /// By a C library that is asked to start no threads.
    static let library = Decoding.library(startsThreads: false)
  }

  /// Which programs read files of the format.
  package enum Audience: Hashable, Sendable {
    /// Browsers, some of them at least, and other programs.
    case browsers
    /// Programs other than browsers.
    case programs
    /// Ozu alone: files of caches.
    case ozu
  }

  package let type: ImageType
  /// The name in messages: `JPEG XL`.
  package let name: String
  /// The media types, the registered one first.
  package let mediaTypes: [String]
  /// The endings of file names in lower case, the usual one first.
  package let endings: [String]
  package let decoding: Decoding
  /// Whether Ozu writes the format, in builds with its library.
  package let isWritten: Bool
  /// The quality of the format in the `Accept` field of requests to servers, which choose formats by it; `nil` if it is not
  /// named.
  package let requestedQuality: Double?
  package let audience: Audience
  /// Whether files hold the pixels of a sensor, and previews, of which one is shown.
  package let isCameraRAW: Bool
  /// The looks of the beginning of a file. A file belongs to the first row of which one signature matches.
  let signatures: [ContentSignature]

  init(
    _ type: ImageType, _ name: String, mediaTypes: [String]? = nil, endings: [String]? = nil,
    _ decoding: Decoding, _ signatures: [ContentSignature], isWritten: Bool = false,
    audience: Audience = .programs, requestedQuality: Double? = nil, isCameraRAW: Bool = false
  ) {
    self.type = type
    self.name = name
    self.mediaTypes = mediaTypes ?? ["image/\(type.rawValue)"]
    self.endings = endings ?? [type.rawValue]
    self.decoding = decoding
    self.signatures = signatures
    self.isWritten = isWritten
    self.audience = audience
    self.requestedQuality = requestedQuality
    self.isCameraRAW = isCameraRAW
  }

  /// Whether the format is sent to clients whose `Accept` field names it.
  package var isNegotiated: Bool { isWritten && requestedQuality != nil }

  /// Whether Ozu reads the format, in builds with its library.
  package var isRead: Bool { decoding != .none }

  /// Whether its decoder may start threads in a process of its own.
  package var startsThreads: Bool { decoding == .drawing || decoding == .library(startsThreads: true) }

  /// The rows of the formats that programs exchange.
  package static let known = table.filter { $0.audience != .ozu }

  /// The rows of the formats that Ozu reads.
  package static let read = known.filter(\.isRead)

  /// The rows of the formats that Ozu writes.
  package static let written = known.filter(\.isWritten)

  /// The row of a type. A type of an app has none; its names follow from its short name.
  package static func of(_ type: ImageType) -> ImageFormat {
    byType[type] ?? ImageFormat(type, type.rawValue.uppercased(), .own, [])
  }

  /// The row with a file ending, in lower case, among formats that are read.
  package static func ofEnding(_ ending: String) -> ImageFormat? {
    read.first { $0.endings.contains(ending) }
  }

  /// The endings of all formats that Ozu reads.
  package static let readEndings = Set(read.flatMap(\.endings))

  private static let byType = Dictionary(uniqueKeysWithValues: table.map { ($0.type, $0) })
}
