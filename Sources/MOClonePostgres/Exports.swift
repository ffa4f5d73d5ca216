@_exported import MOCloneEngine
@_exported import MOCloneModel
