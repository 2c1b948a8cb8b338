#if os(Linux)
  import CCurl

  /// The reason why TLS could not be set up, as a text for people.
  struct TLSFailure {
    var code: CURLcode
    /// The message of libcurl.
    var message: String
    /// The requested host.
    var host: String
    /// OpenSSL's result of the verification (`X509_V_ERR_…`), as libcurl hands it on; 1 before there is one, 0 without.
    var verification = 0
    /// The path of the trusted authorities.
    var authorities: String?

    var text: String {
      switch verification {
      case 10:
        return "its certificate expired; its owner has to renew it, unless this machine's clock is wrong"
      case 9: return "its certificate is not valid yet; is this machine's clock right?"
      case 18: return "its certificate is signed by itself, not by an authority; \(Self.trustHint)"
      case 2, 19, 20, 21: return "its certificate comes from an unknown issuer; \(Self.trustHint)"
      case 23: return "its certificate has been revoked"
      default: break
      }
      if code == CURLE_PEER_FAILED_VERIFICATION, isChainAccepted {
        return "its certificate is for another host than \(host)"
      }
      if code == CURLE_SSL_CACERT_BADFILE {
        return "the certificate authorities\(authorities.map { " in \($0)" } ?? "") cannot be read"
      }
      return message
    }

    private static let trustHint =
      "to trust it, name its authority (certificateAuthorities, --cacert or SSL_CERT_FILE)"

    // libcurl compares the host itself after OpenSSL has accepted the chain, and before it asks for OpenSSL's result: that
    // is 1 then. 62 and 64 are OpenSSL's own results for a host and an IP address that differ. 0 may come from another library, of
    // which nothing is known.
    private var isChainAccepted: Bool { [1, 62, 64].contains(verification) }
  }
#endif
