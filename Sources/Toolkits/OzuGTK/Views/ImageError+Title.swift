#if GTK
  import Ozu

  extension ImageError {
    /// The kind of the error in a few words of the user's language (`ToolkitTexts`), for a heading; `reason` has the details.
    public var title: String { ToolkitTexts.text(words.title) }

    /// Why there is no picture, in the language of the user: `explanation` in English, and in other languages a sentence for the
    /// kind of the error, if there is one.
    public var reason: String {
      guard let sentence = words.sentence, let translated = ToolkitTexts.translated(sentence) else {
        return explanation
      }
      return TextCatalogue.fill(translated, [statusCode.map { "\($0)" } ?? ""])
    }

    private var words: (title: String, sentence: String?) {
      switch kind {
      case .noSuchFile: ("File Not Found", "There is no such file")
      case .isDirectory: ("This Is a Folder", "This is a folder, not a picture")
      case .unreadableFile: ("Cannot Be Read", "The file cannot be read")
      case .httpStatus where statusCode == 404 || statusCode == 410: ("Not Found", "The server answered %1")
      case .httpStatus: ("Server Trouble", "The server answered %1")
      case .nameNotResolved, .connectionRefused, .transport: ("No Connection", "The server cannot be reached")
      case .timedOut, .deadlineExceeded: ("Took Too Long", "The picture did not come in time")
      case .bodyTruncated: ("Connection Lost", "The connection broke off")
      case .invalidSource: ("Bad Address", "This is not the address of a picture")
      case .emptyData: ("Empty File", "The file is empty")
      case .notAnImage: ("Not a Picture", "The file is not a picture")
      case .unsupportedType: ("Unknown Format", "This program cannot read the format of the file")
      case .corruptData, .truncatedData: ("Damaged Picture", "The file is damaged")
      case .limitExceeded, .bodyTooLarge, .invalidSize:
        ("Too Large", "The picture is too large for this program")
      default: ("Cannot Be Shown", nil)
      }
    }
  }
#endif
