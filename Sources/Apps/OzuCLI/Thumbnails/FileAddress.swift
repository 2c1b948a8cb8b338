/// The address of a local file, spelled as desktops spell it: programs find each other's thumbnails by its digest, so every
/// character counts.
enum FileAddress {
  /// The characters that GLib leaves as they are in a path, beside letters and digits.
  private static let plain = Set("!$&'()*+,-./:=@_~".utf8)

  /// The `file:` address of a path; a relative path counts from `folder`.
  ///
  /// - Parameter path: links in it are not followed, because a link has a thumbnail of its own.
  static func address(ofPath path: String, in folder: String) -> String {
    let whole = path.hasPrefix("/") ? path : folder + "/" + path
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "file:///" + parts.joined(separator: "/").utf8.map(escaped).joined()
  }

  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      return String(Unicode.Scalar(byte))
    default:
      if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
      let digits = Array("0123456789ABCDEF")
      return "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
  }
}
