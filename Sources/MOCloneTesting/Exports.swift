// The generator of random numbers is that of the simulation, which the command runs.
@_exported import MOCloneSimulation
