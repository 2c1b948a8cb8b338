import Foundation
import OzuHTTP
import OzuImaging

/// The page of a playground, made once of `playground.html`, `playground.css` and `playground.js`. It loads nothing from other
/// places.
///
/// Its style and its script are allowed only by their hashes, so a script injected into the page could not run.
enum PlaygroundPage {
  static let response = ServiceResponse(
    status: 200,
    headers: [
      "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
      "Content-Security-Policy": contentSecurityPolicy, "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
    ], body: Data(text.utf8))

  private static let style = String(decoding: PackageResources.playground_css, as: UTF8.self)
  private static let script = String(decoding: PackageResources.playground_js, as: UTF8.self)

  /// The choices of a format.
  private static let formats = ImageOptions.formats.filter { $0.audience == .browsers }
    .map { "<option value=\"\($0.type.fileExtension)\">\($0.name)</option>" }.joined()

  static let text = String(decoding: PackageResources.playground_html, as: UTF8.self)
    .replacing("{{style}}", with: style).replacing("{{script}}", with: script).replacing(
      "{{formats}}", with: formats)

  static let contentSecurityPolicy = [
    "default-src 'none'", "connect-src 'self'", "img-src blob: data:", "style-src '\(hash(style))'",
    "script-src '\(hash(script))'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private static func hash(_ text: String) -> String {
    "sha256-\(Data(SHA256.digest(of: Array(text.utf8))).base64EncodedString())"
  }
}
