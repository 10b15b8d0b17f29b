// Package decimate makes coarser levels of detail: it merges Gaussians with their
// neighbours until half of them are left. Package sog uses it for captures that have
// only one level, and package edit to reduce a capture to a count.
//
// # How Gaussians are merged
//
// Two Gaussians become the one with the same moments: the mean and the covariance of
// both, weighted by what each shows, which is its opacity times its projected area. The
// opacity of the result keeps their sum. Colours and harmonics are weighted means.
//
// The cheapest merges come first. The cost of a merge is the product of two errors. The
// first is the squared difference between the pictures of the two Gaussians and of the
// result, averaged over all directions (see overlap); it spares what is large or has a
// contrasting colour. The second does not depend on size: by how much the result is
// larger than its parts (the Kullback-Leibler divergence; Runnalls, "Kullback-Leibler
// Approach to Gaussian Mixture Reduction", 2007), and how different their colours are;
// it spares fine structures. Each alone looks worse in measurements, the first after
// several levels and the second after one.
//
// The first level may merge three Gaussians to one, so that even areas lose more than
// detailed ones. Later levels merge pairs only, because errors add up there.
package decimate
