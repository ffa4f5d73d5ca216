import Foundation

extension Error {
  /// What the system said, without Foundation's frame.
  package var plainReason: String {
    let error = self as NSError
    if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError { return cause.plainReason }
    if error.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(error.code))) }
    return error.localizedDescription
  }
}
