import Foundation
import Ozu

/// The names of results as a text with fields: `out/{dir}/{name}-{width}.{ext}`.
///
/// A field can only be a part of a name: text from the address of a source has no slash and does not begin with a dot
/// (`OutputNames`), and `dir` has only names of existing folders. So no source can choose a folder above those in the
/// template.
struct OutputTemplate: Sendable {
  enum Field: String, CaseIterable, Sendable {
    /// The last part of the source's address without its ending.
    case name
    /// The folder of the source relative to the one that was named, for `--recursive`; empty otherwise.
    case dir
    /// The number of the source, from 1, with zeros in front so that names sort.
    case index
    /// The number of the source, from 1, with as many digits as the form behind a colon says; as it is without one.
    case counter
    /// The width of the result in pixels.
    case width
    /// Its height.
    case height
    /// The usual ending of its format.
    case ext
    /// 16 hexadecimal digits made from its bytes.
    case hash
    /// The ending of the source's address.
    case sourceExt = "source-ext"
    /// When the photograph was taken, in the form behind a colon; `%Y-%m-%d` without one.
    case date
    /// The model of the camera.
    case camera

    /// Whether its value is known only after the result is made.
    var isOfResult: Bool { [.width, .height, .ext, .hash, .date, .camera].contains(self) }
  }

  /// The values of the fields for one result. A missing field stays a field.
  typealias Values = [Field: String]

  let text: String
  private let parts: [FieldText<Field>.Part]

  static func isTemplate(_ text: String) -> Bool { text.contains("{") || text.contains("}") }

  init(_ text: String) throws(UsageError) {
    self.text = text
    parts = try FieldText(text, of: "-o", fields: Field.allCases) { $0 == .date || $0 == .counter }.parts
    for case .field(.counter, let form?) in parts where Self.digitCount(form) == nil {
      throw UsageError(
        "-o \(text): {counter:\(form)} has no number of digits", hint: "For example: {counter:03}")
    }
    for case .field(.date, let form?) in parts where CaptureDate(form: form) == nil {
      throw UsageError(
        "-o \(text): {date:\(form)} has a letter that stands for nothing",
        hint: "For example: {date:%Y-%m-%d} or {date:%H%M%S}")
    }
    guard let last = text.last, last != "/" else {
      throw UsageError(
        "-o \(text): this names a folder; the name of a file must follow",
        hint: "For example: -o '\(text){name}-{index}.{ext}'")
    }
  }

  func has(_ field: Field) -> Bool {
    parts.contains { if case .field(field, _) = $0 { true } else { false } }
  }

  /// The ending after the last dot of the text; `nil` when a field makes it, or when there is none.
  var ending: String? {
    guard case .text(let text)? = parts.last, let dot = text.lastIndex(of: "."), !text[dot...].contains("/")
    else { return nil }
    return String(text[text.index(after: dot)...])
  }

  /// The folder that all results are in or below.
  var folder: String {
    guard case .text(let text)? = parts.first else { return "." }
    guard let slash = text.lastIndex(of: "/") else { return "." }
    return slash == text.startIndex ? "/" : String(text[..<slash])
  }

  /// The path of a result. Fields without a value are written as they are in the template.
  func path(_ values: Values) -> String {
    var path = ""
    var dropsSlash = false
    for part in parts {
      switch part {
      case .text(let text):
        path += dropsSlash && text.hasPrefix("/") ? text.dropFirst() : text[...]
        dropsSlash = false
      case .field(let field, let form):
        var value = values[field] ?? "{\(field.rawValue)\(form.map { ":" + $0 } ?? "")}"
        if field == .date, let date = values[field] {
          value = CaptureDate(form: form ?? "%Y-%m-%d")?.text(date) ?? value
        }
        if field == .counter, let form, let number = values[field] {
          value = String(repeating: "0", count: max(0, (Self.digitCount(form) ?? 0) - number.count)) + number
        }
        path += value
        // The slash after an empty folder is dropped: "{dir}/{name}" must not begin at the root.
        dropsSlash = value.isEmpty && (path.isEmpty || path.hasSuffix("/"))
      }
    }
    return path
  }
}

extension OutputTemplate {
  /// How many digits `{counter:03}` writes at least, with zeros in front; `nil` for a form that is no number from 1 to 9, with or
  /// without a zero in front.
  private static func digitCount(_ form: String) -> Int? {
    let digits = form.hasPrefix("0") ? form.dropFirst() : form[...]
    return digits.count == 1 ? Int(digits).flatMap { $0 > 0 ? $0 : nil } : nil
  }
}

/// The names of results in a folder, one for each source, without their endings.
///
/// Each follows from its own source alone: it stays the same when a neighbour comes or goes. So two may be equal; the target
/// refuses them then.
struct OutputNames: Sendable {
  /// The name of each source, with the folder that it was found in.
  let stems: [String]

  /// The most bytes that file systems take for a name.
  private static let maximumByteCount = 255

  /// - Parameter room: the bytes that will be between a name and its ending.
  init(_ listed: [ListedSource], room: Int = 0) {
    stems = listed.map { source in
      (source.folder.isEmpty ? "" : source.folder + "/")
        + Self.shortened(Self.baseName(of: source), room: room)
    }
  }

  /// The name by which two names are compared: Apple's file systems ignore case.
  static func folded(_ name: String) -> String {
    #if canImport(Darwin)
      name.lowercased()
    #else
      name
    #endif
  }

  /// The name that a list gives the source, else the last part of its address without its ending.
  static func baseName(of listed: ListedSource) -> String {
    listed.name ?? baseName(of: listed.source)
  }

  /// The last part of an address without its ending, made safe as a file name.
  static func baseName(of source: ImageSource) -> String {
    guard case .url(let url) = source, url.scheme?.lowercased() != "data" else { return "image" }
    let name = harmless(url.deletingPathExtension().lastPathComponent)
    return name.isEmpty || name.allSatisfy({ $0 == "-" }) ? (url.host() ?? "image") : name
  }

  /// A number with as many zeros in front that all up to `count` sort as texts.
  static func index(_ number: Int, of count: Int) -> String {
    String(repeating: "0", count: "\(count)".count - "\(number)".count) + "\(number)"
  }

  /// The ending of an address, made safe as a part of a file name; empty without one.
  static func ending(of source: ImageSource) -> String {
    guard case .url(let url) = source, url.scheme?.lowercased() != "data" else { return "" }
    return harmless(url.pathExtension)
  }

  /// A stranger's text as a part of a name: without slashes, control characters and dots at its beginning.
  static func harmless(_ text: String) -> String {
    String(text.map { $0 == "/" || $0 == "\\" || $0.isControl ? "-" : $0 }.drop { $0 == "." })
  }

  /// The name, shortened so that the longest ending fits. Cut between characters.
  private static func shortened(_ name: String, room: Int) -> String {
    let room = maximumByteCount - room - OutputFormats.longestEnding.utf8.count - 1
    guard name.utf8.count > room else { return name }
    var count = 0
    let part = name.prefix { character in
      count += character.utf8.count
      return count <= room
    }
    // A single character with many combining marks may be longer than a name.
    return part.isEmpty ? "image" : String(part)
  }
}

extension Character {
  /// Whether it is a line end, an escape or another control character, which no name should have.
  fileprivate var isControl: Bool {
    isNewline || unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

/// Writes the date of a photograph in a form of letters behind `%`, as `strftime` does: `%Y`, `%m`, `%d`, `%H`, `%M`, `%S`.
struct CaptureDate {
  private let form: String
  private static let letters: [Character] = ["Y", "m", "d", "H", "M", "S"]

  /// `nil` for a letter that stands for nothing.
  init?(form: String) {
    var rest = form[...]
    while let percent = rest.firstIndex(of: "%") {
      rest = rest[percent...].dropFirst()
      guard let letter = rest.popFirst(), Self.letters.contains(letter) else { return nil }
    }
    self.form = form
  }

  /// - Parameter date: of EXIF, `2026:11:29 14:05:09`. A text without a day gives `undated`.
  func text(_ date: String) -> String {
    guard let date = MetadataDate(date), let month = date.month, let day = date.day else { return "undated" }
    let numbers = [date.year, month, day, date.hour ?? 0, date.minute ?? 0, date.second ?? 0]
    return zip(Self.letters, numbers).reduce(form) { text, part in
      let digits = "\(part.1)"
      let zeros = String(repeating: "0", count: max(0, (part.0 == "Y" ? 4 : 2) - digits.count))
      return text.replacing("%\(part.0)", with: zeros + digits)
    }
  }
}
