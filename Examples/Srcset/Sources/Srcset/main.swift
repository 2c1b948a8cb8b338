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
  let fitting = widths.filter { $0 < original.width } + [min(original.width, widths.last ?? 0)]
  var lists: [ImageType: [String]] = [:]
  var fallback = ""
  for width in Set(fitting).sorted() {
    let request = ImageRequest(url: url).with { $0.resize = Resize(width: width) }
    // The three formats of a width are made of the same pixels: the file is read and reduced once.
    for format in formats {
      let file = try await pipeline.encoded(for: request, as: OutputFormat(format))
      let path = "\(name)-\(width).\(format.fileExtension)"
      try file.data.write(to: URL(filePath: path))
      // A space would end the address in the list, and a quote the list.
      let link = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
      lists[format, default: []].append("\(link) \(file.size.width)w")
      if format == .jpeg {
        let size = "width=\"\(file.size.width)\" height=\"\(file.size.height)\""
        fallback = "<img src=\"\(link)\" \(size) alt=\"\">"
      }
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
