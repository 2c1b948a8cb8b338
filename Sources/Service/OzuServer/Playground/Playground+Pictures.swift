import Ozu
import OzuBase
import OzuHTTP

struct PlaygroundQuery: Sendable {
  let path: String
  private let fields: [String: String]

  init(_ target: String) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    var fields: [String: String] = [:]
    for pair in parts.count > 1 ? parts[1].split(separator: "&").prefix(16) : [] {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if sides.count == 2, let value = String(sides[1]).percentDecoded {
        fields[String(sides[0])] = value
      }
    }
    self.fields = fields
  }

  subscript(name: String) -> String { fields[name] ?? "" }
}

extension SignedAddresses {
  /// The path of the requested picture, with the options as they were written, signed by the first key. The path is
  /// parsed as the service will parse it, so a signed path is also answered.
  func path(_ query: PlaygroundQuery, now: Date) throws(AddressRefusal) -> String {
    let source = try rules.source(query["source"])
    let path = try Self.path(of: query["source"], query)
    let signed = "/\(rules.keys.first?.signature(of: path) ?? "unsafe")\(path)"
    let address = try ImageAddress(signed, rules: rules, now: now)
    // Options must not contain another source.
    guard address.source == source else {
      throw AddressRefusal(status: 400, reason: "the options are malformed")
    }
    _ = try address.options.picture(of: .url(source), density: 1, accept: nil, rules: rules)
    return signed
  }

  /// The request for an uploaded file, which has no address.
  ///
  /// - Parameter limit: the time limit for the answer.
  func uploadedPicture(
    _ data: Data, _ query: PlaygroundQuery, accept: String?, now: Date, within limit: Duration
  ) throws(AddressRefusal) -> AddressedPicture {
    // An address that never exists.
    guard let place = URL(string: "https://upload.invalid/") else { preconditionFailure("a constant") }
    var rules = rules
    (rules.sources, rules.rewrites, rules.allowsUnsigned) = ([], [], true)
    let path = try Self.path(of: place.absoluteString, query)
    let address = try ImageAddress("/x\(path)", rules: rules, now: now)
    guard address.source == place else {
      throw AddressRefusal(status: 400, reason: "the options are malformed")
    }
    var picture = try address.options.picture(
      of: .data(data, key: "upload:\(query["upload"])"), density: 1, accept: accept, rules: rules)
    guard !picture.needsSource else {
      throw AddressRefusal(
        status: 400, reason: "raw, skip_processing and limits are for sources with an address")
    }
    picture.request.cachePolicy = .bypass
    picture.request.deadline = limit
    return picture
  }

  private static func path(
    of source: String, _ query: PlaygroundQuery
  ) throws(AddressRefusal) -> String {
    let (options, format) = (query["options"], query["format"])
    guard (options + format).utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"?#@".utf8.contains($0) })
    else {
      throw AddressRefusal(status: 400, reason: "the options have a character that an address cannot have")
    }
    return (options.isEmpty ? "" : "/\(options)") + "/plain/\(ImageAddress.escaped(source))"
      + (format.isEmpty ? "" : "@\(format)")
  }
}

extension Playground {
  /// A picture of an uploaded file: made each time, and never stored.
  func picture(
    _ query: PlaygroundQuery, of service: ImageService, _ request: ServiceRequest
  ) async throws(AddressRefusal) -> ServiceAnswer {
    let configuration = service.configuration
    guard let data = uploadStore.data(for: query["upload"], at: configuration.pipeline.testing.now())
    else {
      throw AddressRefusal(status: 404, reason: "the uploaded file is no longer there: choose it again")
    }
    let picture = try addresses.uploadedPicture(
      data, query, accept: request.headers["Accept"], now: configuration.pipeline.testing.currentDate(),
      within: configuration.answerLimit)
    guard service.admission.enter(nil) else { return service.busyAnswer }
    defer { service.admission.leave(nil) }
    do throws(ImageError) {
      let image = try await service.pipeline.encoded(for: picture.request, as: picture.output)
      return ServiceAnswer(
        .made,
        ServiceResponse(
          status: 200,
          headers: [
            "Content-Type": image.type.mediaType, "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; sandbox",
          ], body: image.data))
    } catch {
      return ServiceAnswer(
        ServiceFailure(error, failureLifetime: 0, retryAfter: service.configuration.retryAfter),
        detail: error.description)
    }
  }
}
