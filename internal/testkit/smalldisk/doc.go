// Package smalldisk has disks that are full soon, for tests of what happens then. It can make them
// on Linux only.
package smalldisk
