#if GTK
  import Ozu

  extension ImageError {
    /// The kind of the error in a few words, for a heading; `explanation` has the details.
    public var title: String {
      switch kind {
      case .noSuchFile: "File Not Found"
      case .isDirectory: "This Is a Folder"
      case .unreadableFile: "Cannot Be Read"
      case .httpStatus where statusCode == 404 || statusCode == 410: "Not Found"
      case .httpStatus: "Server Trouble"
      case .nameNotResolved, .connectionRefused, .transport: "No Connection"
      case .timedOut, .deadlineExceeded: "Took Too Long"
      case .bodyTruncated: "Connection Lost"
      case .invalidSource: "Bad Address"
      case .emptyData: "Empty File"
      case .notAnImage: "Not a Picture"
      case .unsupportedType: "Unknown Format"
      case .corruptData, .truncatedData: "Damaged Picture"
      case .limitExceeded, .bodyTooLarge, .invalidSize: "Too Large"
      default: "Cannot Be Shown"
      }
    }
  }
#endif
