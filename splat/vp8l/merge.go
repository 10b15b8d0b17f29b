package vp8l

// merger merges groups of a grouping as long as that saves bits.
type merger struct {
	*grouping
	sizes  [maxGroups]float64            // bits of each group with its codes
	gains  [maxGroups][maxGroups]float64 // bits saved by joining a group to a lower one
	target [maxGroups]int                // the group that each group was joined to, or itself
}

// merge repeatedly joins the pair of groups that saves the most bits, until no pair
// saves any, and numbers the remaining groups from 0.
func (g *grouping) merge() {
	m := merger{grouping: g}
	for k, h := range g.histograms {
		m.sizes[k] = histogramBits(h)
		m.target[k] = k
		for other := range k {
			m.gains[k][other] = m.gain(k, other)
		}
	}
	for {
		from, to := m.bestPair()
		if from == to {
			break
		}
		m.join(from, to)
	}
	m.renumber()
}

// gain returns the number of bits that joining two groups saves: one set of codes
// is saved, and the symbols get longer codes.
func (m *merger) gain(a, b int) float64 {
	m.merged = resize(m.merged, len(m.histograms[a]))
	for s, c := range m.histograms[a] {
		m.merged[s] = c + m.histograms[b][s]
	}
	return m.sizes[a] + m.sizes[b] - histogramBits(m.merged)
}

// bestPair returns the pair of groups that saves the most bits, with from > to. It
// returns equal numbers if no pair saves any.
func (m *merger) bestPair() (from, to int) {
	maxGain := 0.0
	for a := range m.histograms {
		for b := range a {
			if m.isUnmerged(a) && m.isUnmerged(b) && m.gains[a][b] > maxGain {
				maxGain, from, to = m.gains[a][b], a, b
			}
		}
	}
	return from, to
}

// isUnmerged reports whether a group has not been joined to another.
func (m *merger) isUnmerged(k int) bool { return m.target[k] == k }

// join adds a group to a group with a lower number.
func (m *merger) join(from, to int) {
	for s, c := range m.histograms[from] {
		m.histograms[to][s] += c
	}
	m.target[from] = to
	// Only the gains of the group that grew have changed.
	m.sizes[to] = histogramBits(m.histograms[to])
	for k := range m.histograms {
		if k != to && m.isUnmerged(k) {
			m.gains[max(k, to)][min(k, to)] = m.gain(k, to)
		}
	}
}

// renumber closes the gaps in the numbers of the groups. A target always has a lower
// number than its group, so its new number is known already.
func (m *merger) renumber() {
	n := 0
	for k := range m.histograms {
		if !m.isUnmerged(k) {
			m.target[k] = m.target[m.target[k]]
			continue
		}
		m.histograms[n], m.histograms[k] = m.histograms[k], m.histograms[n]
		m.target[k] = n
		n++
	}
	m.histograms = m.histograms[:n]
	for tile, k := range m.groups {
		m.groups[tile] = uint32(m.target[k])
	}
}
