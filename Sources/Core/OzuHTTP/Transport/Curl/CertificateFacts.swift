#if os(Linux)
  import CCurl

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

  /// The end of a TLS handshake that failed.
  enum HandshakeFailure: Sendable, Hashable {
    /// OpenSSL's reason (`SSL_R_…`).
    case reason(Int)
    /// No reason of OpenSSL: the connection broke.
    case broken
  }

  /// The reason why TLS could not be set up, as a text for people.
  struct TLSFailure {
    var code: CURLcode
    /// The message of libcurl.
    var message: String
    /// The requested host.
    var host: String
    /// OpenSSL's result of the verification (`X509_V_ERR_…`); 0 or 1 for none.
    var verification = 0
    /// Nil if OpenSSL did not see one, or if libcurl has another library for TLS.
    var certificate: CertificateFacts?
    var handshake: HandshakeFailure?
    /// The path of the trusted authorities.
    var authorities: String?

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
      if code == CURLE_PEER_FAILED_VERIFICATION, let certificate, isChainAccepted {
        let owner = certificate.names.isEmpty ? "another host" : certificate.names.joined(separator: ", ")
        return "its certificate is for \(owner), not for \(host)"
      }
      if code == CURLE_SSL_CACERT_BADFILE {
        return "the certificate authorities\(authorities.map { " in \($0)" } ?? "") cannot be read"
      }
      return handshakeText ?? message
    }

    private static let trustHint =
      "to trust it, name its authority (certificateAuthorities, --cacert or SSL_CERT_FILE)"

    // libcurl compares the host itself after OpenSSL has accepted the chain, and before it asks for OpenSSL's result: that
    // is 1 then. 62 and 64 are OpenSSL's own results for a host and an IP address that differ.
    private var isChainAccepted: Bool { [0, 1, 62, 64].contains(verification) }

    // The reasons of OpenSSL (`sslerr.h`) keep their numbers; those from 1,000 on are alerts of the server.
    private var handshakeText: String? {
      switch handshake {
      // A wrong version number, a packet that is too long, an HTTP request.
      case .reason(267), .reason(198), .reason(156):
        "it does not speak TLS at this port; should the address begin with http?"
      // An unsupported protocol, a version that is too low, the alert "protocol version".
      case .reason(258), .reason(396), .reason(1070):
        "it speaks only versions of TLS that are too old; 1.2 is the oldest that is safe"
      // No shared cipher, no ciphers available, the alert "handshake failure".
      case .reason(193), .reason(181), .reason(1040):
        "client and server have no cipher in common"
      // An unexpected end.
      case .reason(294), .broken:
        "the server ended the connection during the handshake"
      case .reason, nil: nil
      }
    }

    private func day(_ date: Date?, _ word: String = " on ") -> String {
      date.map { word + $0.formatted(.iso8601.year().month().day()) } ?? ""
    }
  }
#endif
