import Foundation
import MOCloneEngine
import MOCloneModel

/// Reads comma-separated values (RFC 4180) with a header; blank lines are passed over.
package struct CSVReader: RowReader {
  private let source: ByteSource
  private let shape: RecordShape
  private let delimiter: UInt8
  private let isOpen: Bool

  /// - Parameter isOpen: whether columns may be missing; then every column must be one that is asked for.
  package init(
    _ source: ByteSource, shape: RecordShape, delimiter: UInt8 = UInt8(ascii: ","), isOpen: Bool = false
  ) {
    self.source = source
    self.isOpen = isOpen
    self.shape = shape
    self.delimiter = delimiter
  }

  package func read(_ handler: some RowHandler) throws {
    let scanner = try CSVScanner(ByteWindow(source), delimiter: delimiter)
    let header = try CSVHeader(scanner, shape: shape, file: source.name, isOpen: isOpen)
    handler.begin(header.frame)
    let record = Record(shape)
    while try scanner.advance() {
      if let fault = scanner.fault ?? header.fault(scanner) {
        try handler.fault(
          RowFault(fault.problem, help: fault.help, at: fault.place, text: header.text(scanner)))
      } else {
        header.fill(record, scanner)
        try handler.row(record)
      }
    }
  }
}
