import Foundation
import Ozu
import OzuDemonstration

/// A server on this machine that draws numbered pictures when they are asked for.
public final class DemoServer: Sendable {
  /// The pictures.
  public let items: [PictureItem]
  private let server: LoopbackServer

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - count: how many pictures there are.
  ///   - answer: makes the answer for a picture; by default the picture.
  /// - Throws: when the system gives no socket.
  public init(
    count: Int, answer: @escaping @Sendable (NumberedPicture) -> LoopbackResponse = DemoServer.picture
  ) throws {
    let server = try LoopbackServer()
    self.server = server
    items = (0..<count).map { number in
      PictureItem(name: Self.name(number), source: .url(server.url("/\(number).jpg")))
    }
    server.routeRest { request in
      guard let number = Int(request.path.dropFirst().prefix { $0 != "." }),
        NumberedPicture.numbers.contains(number)
      else { return .status(404) }
      return answer(NumberedPicture(number))
    }
    // The server must live as long as the program, which may load pictures until its end.
    _ = Unmanaged.passRetained(server)
  }

  /// Stops the server.
  public func stop() {
    server.stop()
  }

  /// The answer with the picture, fresh for an hour.
  @Sendable
  public static func picture(_ picture: NumberedPicture) -> LoopbackResponse {
    guard let data = try? picture.data() else { return .status(500) }
    return .ok(data, type: "image/jpeg").header("Cache-Control", "max-age=3600")
  }

  private static func name(_ number: Int) -> String { "Picture \(number)" }
}
