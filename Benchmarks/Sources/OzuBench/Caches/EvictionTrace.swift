import Foundation

/// A recorded trace of requests in a folder with an `EXPECTED.json`, which gives the hit ratios of known policies.
///
/// The formats are told by the name's beginning: `adaptsize` lines "time id size", `arc` lines "first count …",
/// `cache2k` big-endian 32-bit ids, everything else one id a line. The last part of the name tells the
/// compression, for which the system's tool is run.
struct EvictionTrace {
  let name: String
  let requests: [EvictionWorkload.Request]
  let hasSizes: Bool
  /// By capacity in entries: the hit ratio by policy.
  let expectedByCount: [Int: [String: Double]]
  /// By capacity in bytes: the hit ratio by policy.
  let expectedByCost: [Int: [String: Double]]

  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  static func all(in folder: String) throws -> [EvictionTrace] {
    let file = folder + "/EXPECTED.json"
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
    guard let traces = object as? [String: Any] else { throw Unreadable(description: "\(file): no object") }
    return try traces.keys.sorted().compactMap { name in
      guard let record = traces[name] as? [String: Any],
        let byCount = record["hit_ratio_by_capacity_objects"] as? [String: [String: Double]]
      else { return nil }
      let byCost =
        record["hit_ratio_and_byte_hit_ratio_by_capacity_bytes"] as? [String: [String: [Double]]] ?? [:]
      return EvictionTrace(
        name: String(name.prefix { $0 != "." }),
        requests: try requests(folder + "/" + name, name: name), hasSizes: !byCost.isEmpty,
        expectedByCount: integers(byCount),
        expectedByCost: integers(byCost).mapValues { $0.compactMapValues(\.first) })
    }
  }

  private static func integers<Value>(_ values: [String: Value]) -> [Int: Value] {
    Dictionary(uniqueKeysWithValues: values.compactMap { key, value in Int(key).map { ($0, value) } })
  }

  private static func requests(_ path: String, name: String) throws -> [EvictionWorkload.Request] {
    let bytes = try unpacked(path)
    if name.hasPrefix("cache2k") {
      return stride(from: 0, to: bytes.count - 3, by: 4).map { offset in
        let key = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        return EvictionWorkload.Request(key: key, cost: 1)
      }
    }
    var requests: [EvictionWorkload.Request] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let numbers = line.split { $0 == UInt8(ascii: " ") || $0 == 9 || $0 == 13 }.map(integer)
      if name.hasPrefix("adaptsize") {
        guard numbers.count == 3, let key = numbers[1], let size = numbers[2] else { continue }
        requests.append(EvictionWorkload.Request(key: key, cost: size))
      } else if name.hasPrefix("arc") {
        guard numbers.count >= 2, let first = numbers[0], let count = numbers[1] else { continue }
        for key in first..<first + count { requests.append(EvictionWorkload.Request(key: key, cost: 1)) }
      } else if numbers.count == 1, let key = numbers[0] {
        requests.append(EvictionWorkload.Request(key: key, cost: 1))
      }
    }
    return requests
  }

  private static func integer(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (48...57).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 48)
    }
    return value
  }

  private static func unpacked(_ path: String) throws -> [UInt8] {
    let tools = ["gz": "gzip", "xz": "xz", "zst": "zstd"]
    guard let tool = tools[(path as NSString).pathExtension] else {
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool, "-dc", path]
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Unreadable(description: "\(path): \(tool) failed with status \(process.terminationStatus)")
    }
    return [UInt8](data)
  }
}
