package mcp

// The maximum numbers of concurrent calls in this process, of all users and of one user: enough for
// agents that work in parallel, and too few to fill the disk, the network or the memory. A call
// that waits for a job needs a subscription but no bandwidth, so there may be more of them.
//
// Callers over these limits get a response at once: a download 429, and a wait the present state of
// the job.
const (
	maxDownloads       = 32
	maxDownloadsOfUser = 4
	maxWaits           = 2000
	maxWaitsOfUser     = 50
)
