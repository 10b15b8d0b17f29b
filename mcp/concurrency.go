package mcp

// The maximum numbers of concurrent calls in this process, in all and of one user: enough
// for agents that work in parallel, too few to fill the disk, the network or the memory.
const (
	maxDownloads       = 32
	maxDownloadsOfUser = 4
	// A call that waits costs a subscription, and no bandwidth.
	maxWaits       = 2000
	maxWaitsOfUser = 50
)
