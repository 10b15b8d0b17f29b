// Package decimate makes coarser levels of detail: it merges Gaussians with their neighbours
// until half of them are left. Package sog uses it for captures with only one level, and
// package edit to reduce a capture to a number of Gaussians.
//
// # How Gaussians are merged
//
// Two Gaussians are replaced by one Gaussian with the same moments: the mean and the covariance
// of both, weighted by the opacity times the projected area of each. The sum of these weights
// stays the same, which determines the opacity. Colours and harmonics are weighted means.
//
// The cheapest merges come first. The cost of a merge is the product of two errors. The first
// is the squared difference between the pictures of the two Gaussians and of the result,
// averaged over all directions (see overlap). It protects Gaussians that are large or have a
// contrasting colour. The second does not depend on size: how much larger the result is than
// its parts (the Kullback-Leibler divergence; Runnalls, "Kullback-Leibler Approach to Gaussian
// Mixture Reduction", 2007), and how different their colours are. It protects fine structures.
// In measurements the product looked better than each error alone: better than the first after
// several levels, and than the second after one.
//
// The first level may merge three Gaussians into one, so that uniform areas lose more Gaussians
// than detailed ones. Later levels only merge pairs, because errors add up there.
package decimate
