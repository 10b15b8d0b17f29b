package main

import (
	"fmt"

	"portico/splat/splattest"
)

// splatCaptures returns a .splat file and .ksplat files of all compression levels.
func splatCaptures(cloud []splattest.LCCSplat) []capture {
	all := []capture{singleFile("plain.splat", true, splattest.SplatFile(cloud))}
	for level := range 3 {
		all = append(all, singleFile(fmt.Sprintf("level%d.ksplat", level), true, splattest.KSplat(cloud, level)))
	}
	return append(all, all[0].zip())
}
