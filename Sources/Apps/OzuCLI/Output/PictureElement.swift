import Foundation
import Ozu

/// An HTML element `picture`: the same picture in several formats and widths. A browser takes the first format that it
/// reads (HTML Standard §4.8.1).
struct PictureElement: Sendable {
  /// A file that may be shown.
  struct File: Sendable {
    /// The path that the page names.
    let path: String
    let size: PixelSize
  }

  /// The files of one format, the narrowest first. Not empty.
  struct Format: Sendable {
    let type: ImageType
    let files: [File]
  }

  /// The best first. Browsers that read none of the others show the last.
  let formats: [Format]
  /// The attribute `sizes`: the width of the picture on the page, by conditions on the window.
  let sizes: String
  /// The attribute `alt`: the content of the picture in words.
  let alternative: String
  /// A small picture that is shown until another is loaded: its type and bytes.
  let placeholder: (type: ImageType, data: Data)?

  /// The element; empty without files.
  var html: String {
    guard let fallback = formats.last, let largest = fallback.files.last else { return "" }
    var lines = formats.map { format in
      Self.tag(
        "source",
        [("type", format.type.mediaType), ("srcset", Self.sourceSet(format.files)), ("sizes", sizes)])
    }
    var attributes = [
      ("src", Self.address(largest.path)), ("srcset", Self.sourceSet(fallback.files)), ("sizes", sizes),
      ("width", "\(largest.size.width)"), ("height", "\(largest.size.height)"), ("loading", "lazy"),
      ("decoding", "async"), ("alt", alternative),
    ]
    if let placeholder {
      let data = "data:\(placeholder.type.mediaType);base64,\(placeholder.data.base64EncodedString())"
      attributes.append(("style", "background: url(\(data)) center / cover no-repeat"))
    }
    lines.append(Self.tag("img", attributes))
    return (["<picture>"] + lines.map { "  " + $0 } + ["</picture>"]).joined(separator: "\n")
  }

  private static func sourceSet(_ files: [File]) -> String {
    files.map { "\(address($0.path)) \($0.size.width)w" }.joined(separator: ", ")
  }

  /// A path as an address relative to the page. Spaces and commas would end it within `srcset`; the text before a colon
  /// would be a scheme, and the text after two slashes at the beginning a host.
  static func address(_ path: String) -> String {
    let slashes = path.prefix { $0 == "/" }.count
    let unambiguous = slashes > 1 ? "/" + path.dropFirst(slashes) : path
    return unambiguous.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }

  /// The unreserved characters of RFC 3986 §2.3, and the slash between folders.
  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")

  private static func tag(_ name: String, _ attributes: [(String, String)]) -> String {
    "<\(name)" + attributes.map { " \($0.0)=\"\(escaped($0.1))\"" }.joined() + ">"
  }

  /// A text that is safe as the value of an attribute in quotation marks, and without control characters.
  private static func escaped(_ value: String) -> String {
    let scalars = value.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
    return Label.escaped(String(String.UnicodeScalarView(scalars)))
  }
}
