# The package file of the build folder.
