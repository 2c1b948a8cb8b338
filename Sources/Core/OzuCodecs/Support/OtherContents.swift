/// The contents of a file beside the picture that is shown, in the words of a note.
struct OtherContents {
  private var words: [String] = []
  /// Pictures that are neither the one that is shown nor named by their purpose.
  var pictureCount = 0

  /// Parts of the names of auxiliary pictures.
  private static let purposes: [(key: String, words: String)] = [
    ("portraiteffectsmatte", "a portrait matte"), ("matte", "mattes of what it shows"),
    ("depth", "depth"), ("2015:auxid:2", "depth"), ("disparity", "depth"),
  ]

  /// Adds an auxiliary picture by the name of its purpose. An unknown purpose adds nothing.
  mutating func add(purpose: String) {
    if let words = Self.purposes.first(where: { purpose.contains($0.key) })?.words { add(words) }
  }

  mutating func add(_ thing: String) {
    if !words.contains(thing) { words.append(thing) }
  }

  var note: String? {
    let pictures = pictureCount == 1 ? "another picture" : "\(pictureCount) other pictures"
    let all = words + (pictureCount > 0 ? [pictures] : [])
    return all.isEmpty ? nil : "it also holds \(all.joined(separator: ", "))"
  }
}
