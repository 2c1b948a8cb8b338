import Foundation
import Ozu

/// A picture that an address names, with values that are computed once for all its requests.
final class KnownPicture: Sendable {
  let picture: AddressedPicture
  let file: ImagePipeline.FileRequest
  let key: ImageStoreKey
  /// The source, without secrets.
  let sourceName: String
  /// The field `Vary`; empty for none.
  let vary: String
  /// The field `Content-Disposition`; `nil` for none.
  let disposition: String?

  init(_ picture: AddressedPicture, file: ImagePipeline.FileRequest) {
    self.picture = picture
    self.file = file
    key = file.storeKey
    sourceName = picture.request.source.name
    vary = picture.varyingFields.joined(separator: ", ")
    disposition = Self.disposition(of: picture)
  }

  /// Whether its source is just a URL. Other sources contain bytes or objects of the app, whose size is unknown.
  var isFromURL: Bool {
    switch picture.request.source {
    case .url, .request: true
    case .data, .picture, .fetcher: false
    }
  }

  /// The field `Content-Disposition` (RFC 6266); `nil` if nothing was requested.
  private static func disposition(of picture: AddressedPicture) -> String? {
    guard picture.isAttachment || picture.fileName != nil else { return nil }
    let kind = picture.isAttachment ? "attachment" : "inline"
    guard let name = picture.fileName else { return kind }
    let isPlain = name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
    if isPlain { return "\(kind); filename=\"\(name)\"" }
    // RFC 8187.
    let escaped = name.utf8.map { byte -> String in
      let scalar = Unicode.Scalar(byte)
      let isSafe =
        byte < 0x80
        && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte)
          || "-._~".unicodeScalars.contains(scalar))
      return isSafe
        ? String(Character(scalar)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return "\(kind); filename*=UTF-8''\(escaped.joined())"
  }
}
