import Foundation
import Ozu
import OzuBase
import OzuCodecs

/// The file beside a picture with what people say about it, in XMP (ISO 16684-1): `harbour.jpg.xmp`, as digiKam and darktable
/// name it. One that is called `harbour.xmp`, as Adobe's programs and gThumb name it, is read and changed where it is there.
enum Sidecar {
  /// The name of the file beside a picture, if there is one among the names of its folder.
  static func name(of picture: String, among names: Set<String>) -> String? {
    candidates(picture).first(where: names.contains)
  }

  private static func candidates(_ picture: String) -> [String] {
    let stem = picture.lastIndex(of: ".").map { String(picture[..<$0]) } ?? picture
    return ["\(picture).xmp", "\(stem).xmp"]
  }

  /// The file beside a picture: the one that is there, else the one to write.
  static func file(of picture: URL) -> URL {
    let folder = picture.deletingLastPathComponent()
    let files = candidates(picture.lastPathComponent).map { folder.appending(path: $0) }
    return files.first { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) } ?? files[0]
  }

  /// The file that belongs to one picture alone, and goes where it goes; `nil` if it is not there.
  static func own(of picture: URL) -> URL? {
    let file = picture.deletingLastPathComponent().appending(path: picture.lastPathComponent + ".xmp")
    return FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) ? file : nil
  }

  /// The stars that a file states, 0 to 5; 0 if it states none or cannot be read.
  static func rating(_ file: URL) -> Int {
    guard let packet = packet(file),
      let rating = MetadataValues(exif: nil, iptc: nil, iptcDigest: nil, xmp: packet).rating
    else { return 0 }
    return min(max(Int(clamping: rating), 0), 5)
  }

  private static func packet(_ file: URL) -> Data? {
    guard let stamp = PictureStamp(file), stamp.byteCount <= ImageMetadata.largestBlock else { return nil }
    return try? Data(contentsOf: file)
  }

  /// Writes the stars of a picture beside it. Everything else in the file stays as it is.
  ///
  /// - Throws: when the file is not XMP in the usual form, or cannot be written.
  static func setRating(_ rating: Int, of picture: URL) throws {
    let file = file(of: picture)
    guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
      guard rating > 0 else { return }
      return try Data(document(rating).utf8).write(to: file, options: .atomic)
    }
    guard let packet = packet(file), let text = String(data: packet, encoding: .utf8),
      let changed = replacing(rating, in: text)
    else { throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: file.path()]) }
    try Data(changed.utf8).write(to: file, options: .atomic)
  }

  static func document(_ rating: Int) -> String {
    """
    <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/">
     <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="\(rating)"/>
     </rdf:RDF>
    </x:xmpmeta>
    <?xpacket end="w"?>

    """
  }

  /// The packet with another rating: in the attribute or the element that has it, else in the first description.
  ///
  /// - Returns: `nil` if there is neither.
  static func replacing(_ rating: Int, in text: String) -> String? {
    // Older programs of Adobe have another prefix for the name.
    if let found = text.firstMatch(of: /((?:xmp|xap):Rating\s*=\s*["']|<(?:xmp|xap):Rating>)[^"'<>]*/) {
      return text.replacingCharacters(in: found.range, with: "\(found.1)\(rating)")
    }
    guard let found = text.firstMatch(of: /<rdf:Description\b/) else { return nil }
    let namespace = "xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\""
    let rest = text[found.range.upperBound...]
    let isDeclared = rest.prefix { $0 != ">" }.contains("xmlns:xmp=")
    let addition = (isDeclared ? "" : " \(namespace)") + " xmp:Rating=\"\(rating)\""
    return text[..<found.range.upperBound] + addition + rest
  }
}
