@_exported import MOCloneEngine
@_exported import MOCloneImport
@_exported import MOCloneModel
@_exported import MOCloneSQLite
