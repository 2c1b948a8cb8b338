import Ozu
import OzuBase
import OzuCaching
import OzuHTTP

/// Remembers which pictures addresses name, so that an address that is requested often is read only once.
///
/// Invented addresses of strangers are not remembered: an address is remembered only if it was read, including its
/// signature, and its picture is in memory, and only as long as its addressing allows
/// (`AddressedPicture.reusableUntil`).
///
/// - Complexity: O(1) for every operation, and one comparison with each of at most eight forms of a target.
final class RememberedAddresses: Sendable {
  /// The most pictures that one target may name, depending on header fields.
  static let maximumFormCount = 8
  static let byteBudget = 8 << 20

  /// A picture that an address names for some values of header fields (`Vary`).
  private struct Form {
    let picture: KnownPicture
    /// The values of the request's deciding fields, in their order.
    let values: [[String]]
    let end: Double
    /// The number of the grammar that has read the address: one that was replaced counts no more.
    let grammar: Int

    func isFor(_ headers: HTTPHeaders) -> Bool {
      zip(picture.picture.varyingFields, values).allSatisfy { headers.hasValues($1, for: $0) }
    }

    /// An upper estimate: the target and the source are stored in several forms.
    func byteCount(of target: String) -> Int {
      1536 + 6 * target.utf8.count + values.joined().reduce(0) { $0 + $1.utf8.count }
    }
  }

  private let targets: MemoryCache<String, [Form]>

  /// - Parameter maximumCount: the most targets that are remembered; 0 for none.
  init(maximumCount: Int) {
    targets = MemoryCache(MemoryCacheConfiguration(costLimit: Self.byteBudget, countLimit: maximumCount))
  }

  var count: Int { targets.count }
  var byteCount: Int { targets.totalCost }

  /// The picture that a request names, if its address is remembered.
  ///
  /// - Parameter grammar: the number of the grammar that reads addresses now.
  func picture(for request: ServiceRequest, at date: Date, grammar: Int = 0) -> KnownPicture? {
    // In seconds, like the expiry of addresses.
    let time = date.timeIntervalSince1970
    let forms = targets.value(forKey: request.target)
    return forms?.first { $0.grammar == grammar && time < $0.end && $0.isFor(request.headers) }?.picture
  }

  /// Remembers the picture that a request names.
  ///
  /// - Parameter grammar: the number of the grammar that has read its address.
  func remember(_ picture: KnownPicture, of request: ServiceRequest, grammar: Int = 0) {
    guard picture.isFromURL, let end = picture.picture.reusableUntil else { return }
    // Two threads may add a form at the same time: then one of them is read again.
    var forms = (targets.value(forKey: request.target) ?? []).filter {
      $0.grammar == grammar && !$0.isFor(request.headers)
    }
    // The oldest goes: forms that nobody asks for again would otherwise keep those of all others out.
    forms.removeFirst(max(0, forms.count + 1 - Self.maximumFormCount))
    let values = picture.picture.varyingFields.map(request.headers.values)
    forms.append(
      Form(picture: picture, values: values, end: end.timeIntervalSince1970, grammar: grammar))
    let byteCount = forms.reduce(0) { $0 + $1.byteCount(of: request.target) }
    targets.store(forms, forKey: request.target, cost: byteCount)
  }
}

extension HTTPHeaders {
  /// Whether the lines with a name have these values, in this order.
  fileprivate func hasValues(_ values: [String], for name: String) -> Bool {
    var count = 0
    for field in self where field.name.isEqualIgnoringASCIICase(to: name) {
      guard count < values.count, field.value == values[count] else { return false }
      count += 1
    }
    return count == values.count
  }
}

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
  /// the file does. What is no picture is shown by no browser under the name of this service: it is a download.
  ///
  /// - Parameter type: `nil` for what is no picture.
  func disposition(of type: ImageType?) -> String? {
    guard let (kind, stem) = disposition else { return type == nil ? "attachment" : nil }
    let name = type.map { "\(stem).\($0.fileExtension)" } ?? stem
    let shown = type == nil ? "attachment" : kind
    let isPlain = name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
    if isPlain { return "\(shown); filename=\"\(name)\"" }
    // RFC 8187.
    return "\(shown); filename*=UTF-8''\(PercentEncoding.encoded(name, keeping: "-._~"))"
  }
}

extension ImageSource {
  var url: URL? {
    switch self {
    case .url(let url): url
    case .request(let request): request.url
    case .data, .picture, .fetcher: nil
    }
  }
}
