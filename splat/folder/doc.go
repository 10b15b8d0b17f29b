// Package folder reads and writes the files of a capture by name. A Local folder is a directory
// on disk, and no name can lead out of it. A Memory folder is for tests and small captures.
// Package splat, the packages below it, and package worker use it. It imports no package of
// Portico.
package folder
