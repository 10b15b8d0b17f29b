package voxel

import "slices"

// union is a disjoint-set structure with path halving. It needs no ranks: places are joined in the
// order of their columns, so the trees stay flat.
type union struct{ parents []int }

// newUnion returns n sets with one member each.
func newUnion(n int) *union {
	u := &union{parents: make([]int, n)}
	for i := range u.parents {
		u.parents[i] = i
	}
	return u
}

// root returns the representative of i's set.
func (u *union) root(i int) int {
	for u.parents[i] != i {
		u.parents[i] = u.parents[u.parents[i]]
		i = u.parents[i]
	}
	return i
}

func (u *union) join(a, b int) { u.parents[u.root(b)] = u.root(a) }

// largest returns the members of the n largest sets, the largest first. Sets of the same size are
// in the order of their first members, so the result is the same in every run.
func (u *union) largest(n int) [][]int {
	sets := map[int][]int{}
	for i := range u.parents {
		root := u.root(i)
		sets[root] = append(sets[root], i)
	}
	all := make([][]int, 0, len(sets))
	for _, members := range sets {
		all = append(all, members)
	}
	slices.SortFunc(all, func(a, b []int) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return a[0] - b[0]
	})
	return all[:min(n, len(all))]
}
