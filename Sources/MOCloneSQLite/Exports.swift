@_exported import MOCloneEngine
@_exported import MOCloneModel
@_exported import MOCloneSQL
