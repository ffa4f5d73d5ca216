@_exported import MOCloneEngine
@_exported import MOCloneImport
@_exported import MOCloneModel
@_exported import MOCloneSQL
@_exported import MOCloneSQLite
