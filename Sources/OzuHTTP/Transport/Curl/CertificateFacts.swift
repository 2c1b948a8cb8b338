#if os(Linux)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The facts of a certificate that messages need.
  struct CertificateFacts: Sendable, Hashable {
    var notBefore: Date?
    var notAfter: Date?
    /// The hosts that the certificate is for; only the first few.
    var names: [String] = []
    /// The common name of its issuer.
    var issuer: String?
  }

  /// The reason why TLS could not be set up, as a text for people.
  struct TLSFailure {
    /// The message of libcurl.
    var message: String
    /// The requested host.
    var host: String
    /// OpenSSL's result of the verification (`X509_V_ERR_…`); 0 for none.
    var verification = 0
    var certificate: CertificateFacts?

    var text: String {
      switch verification {
      case 10:
        return
          "its certificate expired\(day(certificate?.notAfter)); its owner has to renew it, unless this machine's "
          + "clock is wrong"
      case 9:
        return
          "its certificate is not valid yet\(day(certificate?.notBefore, " before ")); is this machine's clock right?"
      case 18:
        return "its certificate is signed by itself, not by an authority; \(Self.trustHint)"
      case 2, 19, 20, 21:
        let issuer = certificate?.issuer.map { " (\($0))" } ?? ""
        return "its certificate comes from an unknown issuer\(issuer); \(Self.trustHint)"
      case 23: return "its certificate has been revoked"
      default: break
      }
      if message.contains("subject name") {
        let names = certificate?.names ?? []
        let owner = names.isEmpty ? "another host" : names.joined(separator: ", ")
        return "its certificate is for \(owner), not for \(host)"
      }
      if message.hasPrefix("error setting certificate") {
        return "the certificate authorities\(path) cannot be read"
      }
      return handshakeText ?? message
    }

    private static let trustHint =
      "to trust it, name its authority (certificateAuthorities, --cacert or SSL_CERT_FILE)"

    // The text is "error setting certificate file: PATH", in later versions "… verify locations:  CAfile: PATH
    // CApath: none".
    private var path: String {
      guard let range = message.firstRange(of: "file: ") else { return "" }
      return " in " + message[range.upperBound...].prefix { !$0.isWhitespace }
    }

    // OpenSSL's errors end with a reason in words. The numbers and functions before it differ between versions.
    private var handshakeText: String? {
      let text = message.lowercased()
      let says = { (words: String) in text.contains(words) }
      if says("wrong version number") || says("packet length too long") || says("http request") {
        return "it does not speak TLS at this port; should the address begin with http?"
      }
      if says("unsupported protocol") || says("protocol version") || says("version too low") {
        return "it speaks only versions of TLS that are too old; 1.2 is the oldest that is safe"
      }
      if says("handshake failure") || says("no shared cipher") || says("no ciphers available") {
        return "client and server have no cipher in common"
      }
      if says("unexpected eof") || says("ssl_error_syscall") || says("connection reset")
        || says("ssl_error_zero_return")
      {
        return "the server ended the connection during the handshake"
      }
      return nil
    }

    private func day(_ date: Date?, _ word: String = " on ") -> String {
      date.map { word + $0.formatted(.iso8601.year().month().day()) } ?? ""
    }
  }
#endif
