package server

import "runtime/debug"

// version is the version of a build without a repository, such as the image of docs/deploy. Only the
// linker sets it: -ldflags="-X portico/server.version=v1.2.3".
var version string

// Version returns the version that the binary was built from: the version that the linker has set, or
// else what Go knows of the repository.
func Version() string {
	if version != "" {
		return version
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision := ""
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			revision = " " + setting.Value
		}
	}
	return build.Main.Version + revision
}
