package server

import "runtime/debug"

// Version returns the version that the binary was built from.
func Version() string {
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
