import GRDB
@_exported import MOCloneEngine
@_exported import MOCloneModel
@_exported import MOCloneSQL

/// Objects of a store of SQLite.
package typealias RowAccess = MOCloneSQL.RowAccess<Database>
