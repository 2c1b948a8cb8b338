import Foundation
import Ozu

/// An HTML element `picture`: the same picture in several formats and widths, of which a browser takes the best that it
/// reads (HTML Standard §4.8.1).
struct PictureElement: Sendable {
  /// A file that may be shown.
  struct File: Sendable {
    /// The path, as the page will name it.
    let path: String
    let size: PixelSize
  }

  /// The files of one format, the narrowest first. Not empty.
  struct Format: Sendable {
    let type: ImageType
    let files: [File]
  }

  /// The best first. The last is what is shown by browsers that know no other.
  let formats: [Format]
  /// How wide the picture is shown, by conditions on the window: the attribute `sizes`.
  let sizes: String
  /// What the picture shows, in words.
  let alternative: String
  /// A small picture that is seen until another is there: its type and bytes.
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

  /// A path as an address relative to the page. Spaces and commas would end it within `srcset`, a colon would make a scheme
  /// of what is in front, and two slashes at the beginning a host of what is behind.
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

  /// The value of an attribute in quotation marks: nothing in it can end it, and nothing gives a terminal orders.
  private static func escaped(_ value: String) -> String {
    value.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case _ where scalar.properties.generalCategory == .control: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
