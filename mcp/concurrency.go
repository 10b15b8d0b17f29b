package mcp

import "time"

// The maximum numbers of concurrent calls in this process, of all users and of one user: enough for
// agents that work in parallel, and too few to fill the disk, the network or the memory. A call
// that waits for a job needs a subscription but no bandwidth, so there may be more of them.
//
// Callers over these limits get a response at once: a download 429, and a wait the present state of
// the job. Where all places are taken, a download that is slower than minDownloadRate gives way,
// and then the user who has most places.
const (
	maxDownloads       = 32
	maxDownloadsOfUser = 4
	maxWaits           = 2000
	maxWaitsOfUser     = 50
	// minDownloadRate is in bytes per second, on average after downloadGrace.
	minDownloadRate = 8 << 10
	downloadGrace   = 20 * time.Second
)
