import Foundation
import Ozu

/// Another store of bytes under 128-bit keys, as the benchmark `disk-cache` uses it: stores of a round go in batches of
/// 64, which is kind to those that pay by the transaction.
protocol DiskCachePeer: AnyObject {
  /// Its name and version, and what it was told.
  var name: String { get }
  /// Stores one body under every key.
  func store(_ body: Data, under keys: [CacheKey]) throws
  /// Copies a value out and returns its length; nil if there is none.
  func fetch(_ key: CacheKey) throws -> Int?
}

enum DiskCachePeers {
  static let batch = 64

  struct Failed: Error {
    let peer: String
    let code: Int32
  }

  /// The stores that this build has; none without `OZU_BENCHMARKS=peers`.
  static func open(in folder: String) throws -> [any DiskCachePeer] {
    #if StorePeers
      return [try SQLitePeer(folder), try LMDBPeer(folder)]
    #else
      return []
    #endif
  }
}

#if StorePeers
  import CBenchPeers

  /// SQLite with a write-ahead log; `synchronous = OFF`, because Ozu's stores do not wait for the device either.
  final class SQLitePeer: DiskCachePeer {
    let name = "SQLite \(String(cString: sqlite3_libversion())) WAL, synchronous off"
    private var database: OpaquePointer?
    private var insert: OpaquePointer?
    private var select: OpaquePointer?
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 16)

    init(_ folder: String) throws {
      try check(sqlite3_open(folder + "/peer.sqlite", &database))
      try run("PRAGMA journal_mode = WAL")
      try run("PRAGMA synchronous = OFF")
      try run("CREATE TABLE entries (key BLOB PRIMARY KEY, body BLOB)")
      try check(
        sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO entries VALUES (?, ?)", -1, &insert, nil))
      try check(sqlite3_prepare_v2(database, "SELECT body FROM entries WHERE key = ?", -1, &select, nil))
    }

    deinit {
      sqlite3_finalize(insert)
      sqlite3_finalize(select)
      sqlite3_close(database)
      buffer.deallocate()
    }

    func store(_ body: Data, under keys: [CacheKey]) throws {
      for start in stride(from: 0, to: keys.count, by: DiskCachePeers.batch) {
        try run("BEGIN")
        for key in keys[start..<min(keys.count, start + DiskCachePeers.batch)] {
          try withBound(key, to: insert) {
            try body.withUnsafeBytes { body in
              try check(sqlite3_bind_blob(insert, 2, body.baseAddress, Int32(body.count), nil))
              try check(sqlite3_step(insert), isDone: true)
            }
          }
        }
        try run("COMMIT")
      }
    }

    func fetch(_ key: CacheKey) throws -> Int? {
      try withBound(key, to: select) {
        guard sqlite3_step(select) == SQLITE_ROW, let body = sqlite3_column_blob(select, 0) else {
          return nil
        }
        let count = Int(sqlite3_column_bytes(select, 0))
        buffer.copyMemory(from: body, byteCount: min(count, 1 << 16))
        return count
      }
    }

    private func withBound<Result>(
      _ key: CacheKey, to statement: OpaquePointer?, _ body: () throws -> Result
    ) throws -> Result {
      try withUnsafeBytes(of: key) { bytes in
        // Nil tells SQLite that the bytes stay until the statement is reset.
        try check(sqlite3_bind_blob(statement, 1, bytes.baseAddress, Int32(bytes.count), nil))
        defer { sqlite3_reset(statement) }
        return try body()
      }
    }

    private func run(_ text: String) throws { try check(sqlite3_exec(database, text, nil, nil, nil)) }

    private func check(_ code: Int32, isDone: Bool = false) throws {
      if code != (isDone ? SQLITE_DONE : SQLITE_OK) {
        throw DiskCachePeers.Failed(peer: "SQLite", code: code)
      }
    }
  }

  /// LMDB in a writable map, not synchronized: its quickest way, which a loss of power may corrupt.
  final class LMDBPeer: DiskCachePeer {
    let name = "LMDB \(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH), not synchronized"
    private var environment: OpaquePointer?
    private var table: MDB_dbi = 0
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 16)

    init(_ folder: String) throws {
      try check(mdb_env_create(&environment))
      try check(mdb_env_set_mapsize(environment, 16 << 30))
      try check(mdb_env_open(environment, folder + "/peer.lmdb", UInt32(MDB_NOSUBDIR | MDB_NOSYNC), 0o600))
      try transaction(flags: 0) { try check(mdb_dbi_open($0, nil, 0, &table)) }
    }

    deinit {
      mdb_env_close(environment)
      buffer.deallocate()
    }

    func store(_ body: Data, under keys: [CacheKey]) throws {
      for start in stride(from: 0, to: keys.count, by: DiskCachePeers.batch) {
        try transaction(flags: 0) { transaction in
          for key in keys[start..<min(keys.count, start + DiskCachePeers.batch)] {
            try with(key) { key in
              try body.withUnsafeBytes { body in
                // LMDB copies the value and does not write to it.
                var value = MDB_val(
                  mv_size: body.count, mv_data: UnsafeMutableRawPointer(mutating: body.baseAddress))
                try check(mdb_put(transaction, table, &key, &value, 0))
              }
            }
          }
        }
      }
    }

    func fetch(_ key: CacheKey) throws -> Int? {
      try read(key) { value in
        buffer.copyMemory(from: value.baseAddress!, byteCount: min(value.count, 1 << 16))
        return value.count
      }
    }

    private func read(_ key: CacheKey, _ body: (UnsafeRawBufferPointer) -> Int) throws -> Int? {
      try transaction(flags: UInt32(MDB_RDONLY)) { transaction in
        try with(key) { key in
          var value = MDB_val()
          guard mdb_get(transaction, table, &key, &value) == 0 else { return nil }
          return body(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
        }
      }
    }

    private func with<Result>(_ key: CacheKey, _ body: (inout MDB_val) throws -> Result) throws -> Result {
      var key = key
      return try withUnsafeMutableBytes(of: &key) { bytes in
        var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
        return try body(&value)
      }
    }

    private func transaction<Result>(
      flags: UInt32, _ body: (OpaquePointer?) throws -> Result
    ) throws -> Result {
      var transaction: OpaquePointer?
      try check(mdb_txn_begin(environment, nil, flags, &transaction))
      do {
        let result = try body(transaction)
        try check(mdb_txn_commit(transaction))
        return result
      } catch {
        mdb_txn_abort(transaction)
        throw error
      }
    }

    private func check(_ code: Int32) throws {
      if code != 0 { throw DiskCachePeers.Failed(peer: "LMDB", code: code) }
    }
  }
#endif
