import Foundation
import OzuHTTP

/// The page of a playground: one file that loads nothing from other places, made once.
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

  static let text = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Ozu playground</title>
    <link rel="icon" href="data:,">
    <style>\(style)</style>
    </head>
    <body>
    \(markup)
    <script>\(script)</script>
    </body>
    </html>

    """

  static let contentSecurityPolicy = [
    "default-src 'none'", "connect-src 'self'", "img-src blob: data:", "style-src '\(hash(style))'",
    "script-src '\(hash(script))'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private static func hash(_ text: String) -> String {
    "sha256-\(Data(SHA256.digest(of: Array(text.utf8))).base64EncodedString())"
  }
}
