import OzuBase

/// The number of bytes of memory that this process may use: the smallest of its control groups' limits and the
/// machine's memory.
///
/// On Linux both versions of control groups are read, for the group of the process and for every group around it,
/// because a limit of an outer group holds here too. In a container the paths in `/proc/self/cgroup` often lie
/// outside the mount; then the root of the mount is the container's own group, so it is read as well.
public struct MemoryBudget: Sendable {
  private let read: @Sendable (String) -> String?

  /// Reads the budget through `read`, which returns the text of a file, or nil if the file does not exist.
  public init(reading read: @escaping @Sendable (String) -> String?) {
    self.read = read
  }

  /// The budget of this process on this machine.
  public static let system = MemoryBudget(reading: readSmallFile)

  /// The number of bytes that this process may use; 2 GiB if the system does not say.
  public var byteCount: Int {
    ([machineByteCount].compactMap { $0 } + groupLimits).min() ?? 2 << 30
  }

  /// The default limit of a memory cache: 15 % of the budget and at most 768 MB.
  public var defaultCostLimit: Int {
    min(byteCount / 100 * 15, 768 << 20)
  }

  private var machineByteCount: Int? {
    #if os(Linux) && !OZU_CHECK_APPLE
      guard
        let line = read("/proc/meminfo")?.split(separator: "\n").first(where: { $0.hasPrefix("MemTotal:") }),
        let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
      else { return nil }
      return Int(kilobytes).map { $0 << 10 }
    #else
      if let available = availableProcessMemory() { return available }
      var size: UInt64 = 0
      var length = MemoryLayout<UInt64>.size
      return sysctlbyname("hw.memsize", &size, &length, nil, 0) == 0 ? Int(clamping: size) : nil
    #endif
  }

  private var groupLimits: [Int] {
    var files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
    for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
      // hierarchy:controllers:path
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let root: String
      let name: String
      if fields[0] == "0", fields[1].isEmpty {
        (root, name) = ("/sys/fs/cgroup", "memory.max")
      } else if fields[1].split(separator: ",").contains("memory") {
        (root, name) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
      } else {
        continue
      }
      var path = ""
      for part in fields[2].split(separator: "/") {
        path += "/" + part
        files.append(root + path + "/" + name)
      }
    }
    // "max", and the huge number that version 1 writes for it, mean that there is no limit.
    return files.compactMap { file in
      guard let text = read(file), let limit = Int(text.prefix { $0.isNumber }), limit < 1 << 60 else {
        return nil
      }
      return limit
    }
  }
}

/// The text of a file of at most 64 KB, such as those under /proc, or nil.
@Sendable
func readSmallFile(_ path: String) -> String? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 64 << 10)
  var length = 0
  while length < bytes.count {
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + length, $0.count - length) }
    if count < 0 { return nil }
    if count == 0 { break }
    length += count
  }
  return String(decoding: bytes[..<length], as: UTF8.self)
}
