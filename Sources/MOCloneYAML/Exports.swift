@_exported import MOCloneModel
