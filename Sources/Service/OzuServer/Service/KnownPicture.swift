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
  private let disposition: (kind: String, stem: String)?

  init(_ picture: AddressedPicture, file: ImagePipeline.FileRequest) {
    self.picture = picture
    self.file = file
    key = file.storeKey
    sourceName = picture.request.source.name
    vary = picture.varyingFields.joined(separator: ", ")
    disposition = picture.isAttachment || picture.fileName != nil ? Self.disposition(of: picture) : nil
  }

  /// Whether its source is just a URL. Other sources contain bytes or objects of the app, whose size is unknown.
  var isFromURL: Bool {
    picture.request.source.url != nil
  }

  private static func disposition(of picture: AddressedPicture) -> (kind: String, stem: String) {
    let name = picture.fileName ?? picture.request.source.url?.lastPathComponent ?? ""
    // The result may have another format than the name says.
    let dot = name.lastIndex(of: ".")
    let isPicture =
      dot.map { ImageFormat.readEndings.contains(name[name.index(after: $0)...].lowercased()) } == true
    let stem = isPicture ? String(name[..<(dot ?? name.endIndex)]) : name
    return (picture.isAttachment ? "attachment" : "inline", ["", "/"].contains(stem) ? "image" : stem)
  }

  /// The field `Content-Disposition` (RFC 6266) of a file; `nil` if nothing was requested. The name ends as the type of
  /// the file does.
  func disposition(of type: ImageType) -> String? {
    guard let (kind, stem) = disposition else { return nil }
    let name = "\(stem).\(type.fileExtension)"
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

extension ImageSource {
  /// The address, if it has one.
  var url: URL? {
    switch self {
    case .url(let url): url
    case .request(let request): request.url
    case .data, .picture, .fetcher: nil
    }
  }
}
