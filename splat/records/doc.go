// Package records reads Gaussians from files in which each Gaussian has a record of a fixed
// size. The packages of such formats use it: ply, splatfile, ksplat and gltf; they decode the
// records. It reads blocks of a file when they are needed, so that memory does not grow with
// the file.
package records
