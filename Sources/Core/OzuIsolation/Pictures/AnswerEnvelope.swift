import OzuBase
import OzuImaging

/// How an answer is sent between processes. A short answer is the message itself, after a byte that says so. An
/// answer that is too long for a message, because of the profile or the blocks of a file, follows the pixels.
enum AnswerEnvelope {
  private static let inMessage: UInt8 = 0
  private static let afterPixels: UInt8 = 1

  /// Unpacks an answer; in the process that asked. The payload may change meanwhile, so every part is copied
  /// before it is read.
  ///
  /// - Parameter fieldByteCount: the most bytes that the answer may have without its pixels.
  /// - Returns: the answer, and the part of the payload with its pixels; `nil` if the bytes are not an answer.
  static func open(
    _ message: Data, _ payload: UnsafeRawBufferPointer, fieldByteCount: Int
  ) -> (answer: PictureAnswer, pixels: UnsafeRawBufferPointer)? {
    let rest = message.dropFirst()
    switch message.first {
    case inMessage: return PictureAnswer(rest).map { ($0, payload) }
    case afterPixels:
      var place = FieldReader(rest)
      guard let count = try? place.integer(), 0..<payload.count ~= count, let start = payload.baseAddress,
        payload.count - count <= fieldByteCount
      else { return nil }
      // Valid during the call; the reader makes the only copy, and reads that.
      let data = Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: start + count), count: payload.count - count,
        deallocator: .none)
      return PictureAnswer(data).map { ($0, UnsafeRawBufferPointer(rebasing: payload[..<count])) }
    default: return nil
    }
  }
}

#if os(Linux) && canImport(CIsolation)
  extension AnswerEnvelope {
    /// Packs an answer; in the process of the decoder.
    ///
    /// - Returns: the message.
    static func seal(_ answer: PictureAnswer, pixels: Bitmap?, into output: WorkerOutput) -> Data {
      var writer = FieldWriter(after: inMessage)
      answer.write(to: &writer)
      let message = writer.data
      let isLong = message.count > WorkerRequest.messageByteCount
      guard isLong || pixels != nil else { return message }
      let pixelByteCount = pixels?.byteCount ?? 0
      let data = isLong ? message.dropFirst() : Data()
      guard let memory = output.resize(to: pixelByteCount + data.count) else {
        let reason = "there is no memory for \(pixelByteCount) bytes of pixels"
        let failure = ImageDecodingError.corrupt(
          ImageType(rawValue: "image"), stage: "answer", reason: reason)
        return Data([inMessage]) + PictureAnswer.failure(failure).data
      }
      pixels?.withUnsafeBytes { memory.copyMemory(from: $0) }
      guard isLong else { return message }
      let end = UnsafeMutableRawBufferPointer(rebasing: memory[pixelByteCount...])
      data.withUnsafeBytes { end.copyMemory(from: $0) }
      var place = FieldWriter(after: afterPixels)
      place.append(pixelByteCount)
      return place.data
    }
  }
#endif
