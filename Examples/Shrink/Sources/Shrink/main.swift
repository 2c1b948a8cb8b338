import Foundation
import Ozu

let sources = CommandLine.arguments.dropFirst()
guard !sources.isEmpty else {
  print("usage: Shrink FILE-OR-ADDRESS…")
  exit(2)
}

var failures = 0
for source in sources {
  guard let url = source.contains("://") ? URL(string: source) : URL(filePath: source) else {
    print("failed: \(source) is no address")
    failures += 1
    continue
  }
  do {
    // The size first: the decoder then does no more than it must.
    let request = ImageRequest(url: url).resized(to: PixelSize(width: 320, height: 240))
    let file = try await ImagePipeline.shared.encoded(for: request, as: .jpeg)

    let name = url.deletingPathExtension().lastPathComponent + "-small.jpg"
    try file.data.write(to: URL(filePath: name))
    print("\(name): \(file.size), \(file.data.count) bytes")
  } catch {
    // One line: the cause and the source.
    print("failed: \(error)")
    failures += 1
  }
}
exit(failures == 0 ? 0 : 1)
