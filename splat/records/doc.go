// Package records reads Gaussians from files in which each has a record of a fixed size:
// PLY, .splat, .ksplat. It reads blocks of the file when they are needed, so memory does
// not grow with the file.
package records
