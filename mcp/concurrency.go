package mcp

// How many calls of a kind go on at a time in this process: enough for agents
// that work side by side, too few to fill the disk, the line or the memory.
const (
	maxDownloads       = 32
	maxDownloadsOfUser = 4
	maxWaits           = 2000
	maxWaitsOfUser     = 50
)
