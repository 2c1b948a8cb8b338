#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The paths of the system's certificate authorities in `SSL_CERT_FILE` and `SSL_CERT_DIR`. As in OpenSSL and curl,
/// each replaces only its own default.
struct EnvironmentCertificates: Sendable, Hashable {
  let file: String?
  let directory: String?

  init(_ environment: [String: String]) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    (file, directory) = (value("SSL_CERT_FILE"), value("SSL_CERT_DIR"))
  }

  /// The values of the process's environment when they were first needed.
  static let current = EnvironmentCertificates(ProcessInfo.processInfo.environment)
}
