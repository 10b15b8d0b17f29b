package server

import "runtime/debug"

// version is the release that this source leads to. The build of a release replaces it with
// -ldflags=-X, so that the number does not depend on a repository.
var version = "0.1.0-dev"

// Version returns the version of the program, with the revision of the repository that it was
// built from, if Go knows it.
func Version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			return version + " " + setting.Value
		}
	}
	return version
}
