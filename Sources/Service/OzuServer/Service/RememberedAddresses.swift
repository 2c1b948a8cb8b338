import Ozu
import OzuBase
import OzuHTTP

/// Remembers which pictures addresses name, so that an address that is requested often is read only once.
///
/// Invented addresses of strangers are not remembered: an address is remembered only if it was read, including its
/// signature, and its picture is in memory, and only as long as its addressing allows
/// (`AddressedPicture.reusableUntil`).
///
/// It is limited by number and bytes, in two generations: when the young generation is full, it becomes the old
/// one, and the former old one is dropped. An old address that is requested again moves to the young generation.
/// One lock guards both; dropped entries are released outside the lock.
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

    func isFor(_ headers: HTTPHeaders, at time: Double) -> Bool {
      time < end
        && zip(picture.picture.varyingFields, values).allSatisfy { headers.hasValues($1, for: $0) }
    }

    /// An upper estimate: the target and the source are stored in several forms.
    func byteCount(of target: String) -> Int {
      1536 + 6 * target.utf8.count + values.joined().reduce(0) { $0 + $1.utf8.count }
    }
  }

  private struct Generation {
    var forms: [String: [Form]] = [:]
    var count = 0
    var byteCount = 0
  }

  private struct State {
    var young = Generation()
    var old = Generation()
    /// The number of the grammar that the addresses were read by.
    var grammar = 0
  }

  private let maximumCount: Int
  private let state = Mutex(State())

  /// - Parameter maximumCount: the most pictures that are remembered; 0 for none.
  init(maximumCount: Int) { self.maximumCount = maximumCount }

  var count: Int { state.withLock { $0.young.count + $0.old.count } }
  var byteCount: Int { state.withLock { $0.young.byteCount + $0.old.byteCount } }

  /// The picture that a request names, if its address is remembered.
  func picture(for request: ServiceRequest, at date: Date) -> KnownPicture? {
    guard maximumCount > 0 else { return nil }
    // In seconds, like the expiry of addresses.
    let time = date.timeIntervalSince1970
    let (picture, forgotten) = state.withLock { state -> (KnownPicture?, Generation?) in
      let isThis = { (form: Form) in form.isFor(request.headers, at: time) }
      if let form = state.young.forms[request.target]?.first(where: isThis) {
        return (form.picture, nil)
      }
      guard let form = state.old.forms[request.target]?.first(where: isThis) else { return (nil, nil) }
      return (form.picture, add(form, request.target, to: &state))
    }
    _ = consume forgotten
    return picture
  }

  /// Forgets all addresses, and remembers none that was read by a grammar with a smaller number.
  func forgetAll(before grammar: Int) {
    let forgotten = state.withLock { state in
      defer {
        (state.young, state.old) = (Generation(), Generation())
        state.grammar = max(state.grammar, grammar)
      }
      return [state.young, state.old]
    }
    withExtendedLifetime(forgotten) {}
  }

  /// Remembers the picture that a request names.
  ///
  /// - Parameter grammar: the number of the grammar that has read its address.
  func remember(_ picture: KnownPicture, of request: ServiceRequest, grammar: Int = 0) {
    guard maximumCount > 0, picture.isFromURL, let end = picture.picture.reusableUntil else { return }
    let values = picture.picture.varyingFields.map(request.headers.values)
    let form = Form(picture: picture, values: values, end: end.timeIntervalSince1970)
    let forgotten = state.withLock { state in
      grammar < state.grammar ? nil : add(form, request.target, to: &state)
    }
    _ = consume forgotten
  }

  /// Adds a form to the young generation. Returns the generation that is dropped for it.
  private func add(_ form: Form, _ target: String, to state: inout State) -> Generation? {
    let size = form.byteCount(of: target)
    guard size <= Self.byteBudget / 2 else { return nil }
    var forgotten: Generation?
    if state.young.count >= max(1, maximumCount / 2) || state.young.byteCount + size > Self.byteBudget / 2 {
      forgotten = state.old
      state.old = state.young
      state.young = Generation()
    }
    // Another thread may have added it meanwhile: then it is here twice, and the first is found.
    guard state.young.forms[target, default: []].count < Self.maximumFormCount else { return forgotten }
    state.young.forms[target, default: []].append(form)
    state.young.count += 1
    state.young.byteCount += size
    return forgotten
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
  /// the file does.
  func disposition(of type: ImageType) -> String? {
    guard let (kind, stem) = disposition else { return nil }
    let name = "\(stem).\(type.fileExtension)"
    let isPlain = name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
    if isPlain { return "\(kind); filename=\"\(name)\"" }
    // RFC 8187.
    return "\(kind); filename*=UTF-8''\(PercentEncoding.encoded(name, keeping: "-._~"))"
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
