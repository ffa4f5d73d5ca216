@_exported import MOCloneEngine
@_exported import MOCloneModel
@_exported import MOCloneSQL
import GRDB

/// Objects of a store of SQLite.
typealias RowAccess = MOCloneSQL.RowAccess<Database>
