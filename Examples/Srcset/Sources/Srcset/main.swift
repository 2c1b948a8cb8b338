import Foundation
import Ozu

let widths = [320, 640, 1280]
/// The best first: a browser takes the first that it knows.
let formats: [ImageType] = [.avif, .webp, .jpeg]

guard CommandLine.arguments.count == 2 else {
  print("usage: Srcset PICTURE")
  exit(2)
}
let url = URL(filePath: CommandLine.arguments[1])
let name = url.deletingPathExtension().lastPathComponent

do {
  let pipeline = ImagePipeline.shared
  let original = try await pipeline.header(for: ImageRequest(url: url)).size
  // A picture is not enlarged, so a width above its own would be the same file once more.
  let fitting = Set(widths.filter { $0 < original.width } + [min(original.width, widths.last ?? 0)]).sorted()
  // The largest is made of the file and the others of the largest, all at the same time: it is decoded once.
  let largest = ImageRequest(url: url).resized(width: fitting.last ?? original.width)
  let requests = fitting.dropLast().map { largest.processed(by: Resize(width: $0)) } + [largest]
  let wanted = requests.flatMap { request in formats.map { (request, OutputFormat($0)) } }
  let files: [EncodedImage] = try await withThrowingTaskGroup(of: EncodedImage.self) { group in
    for (request, format) in wanted {
      group.addTask { try await pipeline.encoded(for: request, as: format) }
    }
    return try await group.reduce(into: []) { $0.append($1) }
  }
  var lists: [ImageType: [String]] = [:]
  var fallback = ""
  for file in files.sorted(by: { $0.size.width < $1.size.width }) {
    let path = "\(name)-\(file.size.width).\(file.type.fileExtension)"
    try file.data.write(to: URL(filePath: path))
    // A space would end the address in the list, and a quote the list.
    let link = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    lists[file.type, default: []].append("\(link) \(file.size.width)w")
    if file.type == .jpeg {
      let size = "width=\"\(file.size.width)\" height=\"\(file.size.height)\""
      fallback = "<img src=\"\(link)\" \(size) alt=\"\">"
    }
  }
  print("<picture>")
  for format in formats {
    let list = lists[format, default: []].joined(separator: ", ")
    print("  <source type=\"\(format.mediaType)\" srcset=\"\(list)\">")
  }
  print("  \(fallback)\n</picture>")
} catch {
  print("failed: \(error)")
  exit(1)
}
