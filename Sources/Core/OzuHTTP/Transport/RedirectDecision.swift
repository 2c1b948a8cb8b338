import OzuBase

/// The handling of a response that may be a redirect (RFC 9110 §15.4, with the method rules of the Fetch standard
/// §4.4). A pure function; the transports carry out the decision.
enum RedirectDecision: Equatable {
  /// Return it: it is the final response.
  case deliver
  /// Send this request instead.
  case follow(HTTPRequest)
  /// The exchange fails.
  case refuse(HTTPError.Reason)

  init(status: Int, location: String?, of request: HTTPRequest, afterRedirects count: Int) {
    guard [301, 302, 303, 307, 308].contains(status), let location,
      case .follow(let maximum) = request.redirectPolicy
    else {
      self = .deliver
      return
    }
    guard count < maximum else {
      self = .refuse(.tooManyRedirects(limit: maximum))
      return
    }
    guard let url = URL(webAddress: location, relativeTo: request.url),
      let from = try? HTTPOrigin(of: request.url), let to = try? HTTPOrigin(of: url),
      to.isSecure || !from.isSecure
    else {
      self = .refuse(.redirectRefused(location: location))
      return
    }
    var next = request
    next.url = url
    next.dropBodyIfRedirected(by: status)
    if from != to {
      // They stay removed even if a later hop leads back, because the server in between chose that URL.
      for name in HTTPHeaders.credentialNames + ["Host"] { next.headers.remove(name: name) }
      // Requests to another origin are not signed: that origin could misuse the signature.
      next.signature = nil
    }
    self = .follow(next)
  }
}

extension HTTPRequest {
  fileprivate mutating func dropBodyIfRedirected(by status: Int) {
    let becomesGet =
      (status == 301 || status == 302) && method == .post
      || status == 303 && method != .get && method != .head
    guard becomesGet else { return }
    method = .get
    body = nil
    for name in ["Content-Encoding", "Content-Language", "Content-Location", "Content-Type"] {
      headers.remove(name: name)
    }
  }
}
