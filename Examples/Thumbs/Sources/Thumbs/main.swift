import Foundation
import Ozu
import OzuServer

/// Reads addresses such as `/320/photo.jpg`: a width, then the name of a file in one folder.
struct FolderAddresses: PictureAddressing {
  func picture(
    for request: ServiceRequest, at date: Date
  ) throws(AddressRefusal) -> AddressedPicture {
    let parts = request.target.split(separator: "/").map(String.init)
    guard parts.count == 2, let width = Int(parts[0]), (16...2000).contains(width) else {
      throw AddressRefusal(status: 404, reason: "use /WIDTH/NAME")
    }
    // Letters, digits and a few signs, which need no escapes.
    guard parts[1].wholeMatch(of: /[A-Za-z0-9_-][A-Za-z0-9._-]*/) != nil,
      let file = URL(string: "local:///\(parts[1])")
    else { throw AddressRefusal(status: 404, reason: "this is not the name of a file") }
    let wanted = ImageRequest(url: file).resized(to: PixelSize(width: width, height: width))
    var answer = AddressedPicture(
      request: wanted, output: .negotiated(accept: request.headers["Accept"] ?? ""))
    answer.varyingFields = ["Accept"]
    return answer
  }
}

/// Writes a line at once, also where the log of a container is a pipe.
@Sendable func log(_ line: String) {
  try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}

let folder = CommandLine.arguments.dropFirst().first ?? "."
let host = ProcessInfo.processInfo.environment["HOST"] ?? "127.0.0.1"

var configuration = ImageService.Configuration(pipeline: .service(hosts: .only([])))
configuration.pipeline.decoding.isolation = DecoderIsolation(.required)
// `local:///photo.jpg` is the file in this folder.
configuration.pipeline.sources.register(try LocalFolders(["": folder]))
configuration.log = { record in log(record.jsonLine) }

let service = try ImageService(addressing: FolderAddresses(), configuration: configuration)
let listener = try ServiceListener(service, host: host, port: 8080)
log("http://\(host):\(listener.port)/320/photo.jpg")
try await Task.sleep(for: .seconds(365 * 86_400))
