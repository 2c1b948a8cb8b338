#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where `SSL_CERT_FILE` and `SSL_CERT_DIR` say that the system's certificate authorities are, as OpenSSL and curl
/// understand them: each takes the place of its own default.
struct EnvironmentCertificates: Sendable, Hashable {
  let file: String?
  let directory: String?

  init(_ environment: [String: String]) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    (file, directory) = (value("SSL_CERT_FILE"), value("SSL_CERT_DIR"))
  }

  /// Those of the process, as it was when they were first needed.
  static let current = EnvironmentCertificates(ProcessInfo.processInfo.environment)
}
