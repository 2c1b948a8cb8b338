import Foundation
import OzuHTTP

/// `--cacert`: the certificate authorities that the commands of the network trust.
enum CertificateOption {
  static let option = OptionSpecification(
    name: "cacert", value: "FILE", kind: .file,
    help: "Trust only the authorities in this PEM file; by default those of SSL_CERT_FILE or the system.")

  /// Makes a client trust the authorities of the option, if it is given.
  static func configure(
    _ client: inout HTTPClientConfiguration, _ arguments: ParsedArguments
  ) throws(UsageError) {
    guard let path = arguments.value(option.name) else { return }
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
      throw UsageError("--\(option.name) \(path): there is no such file")
    }
    client.certificateAuthorities = .file(path: path)
  }
}
