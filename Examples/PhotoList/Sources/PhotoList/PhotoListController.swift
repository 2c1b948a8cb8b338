import OzuUIKit
import UIKit

/// A list of photographs: each row has its picture in the size of its image view, rows that come next are loaded
/// ahead, and a row that is reused cancels its former load.
final class PhotoListController: UITableViewController {
  private let addresses: [URL]
  private let prefetcher = ImagePrefetcher()

  init(addresses: [URL]) {
    self.addresses = addresses
    super.init(style: .plain)
    title = "Photographs"
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) {
    nil
  }

  override func viewDidLoad() {
    super.viewDidLoad()
    tableView.rowHeight = PhotoCell.height
    tableView.register(PhotoCell.self, forCellReuseIdentifier: PhotoCell.identifier)
    tableView.prefetchDataSource = self
  }

  override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
    addresses.count
  }

  override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = tableView.dequeueReusableCell(withIdentifier: PhotoCell.identifier, for: indexPath)
    (cell as? PhotoCell)?.show(addresses[indexPath.row])
    return cell
  }
}

extension PhotoListController: UITableViewDataSourcePrefetching {
  func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
    if let photo { prefetcher.start(urls(indexPaths), in: photo.ozu) }
  }

  func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]) {
    if let photo { prefetcher.stop(urls(indexPaths), in: photo.ozu) }
  }

  /// The view of a row on screen: the next rows are as large.
  private var photo: UIImageView? { (tableView.visibleCells.first as? PhotoCell)?.photo }

  private func urls(_ indexPaths: [IndexPath]) -> [URL] { indexPaths.map { addresses[$0.row] } }
}
