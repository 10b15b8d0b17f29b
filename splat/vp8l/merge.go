package vp8l

// merger joins groups of a grouping.
type merger struct {
	*grouping
	sizes  [maxGroups]float64            // of each group with its codes, in bits
	gains  [maxGroups][maxGroups]float64 // of joining a group with a lower one
	target [maxGroups]int                // the group that each has become part of
}

// merge joins the two groups that gain most by it, until none gain, and numbers
// those that are left in a row.
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
		from, to := m.best()
		if from == to {
			break
		}
		m.join(from, to)
	}
	m.renumber()
}

// gain returns how many bits two groups save as one: what their codes took less
// what their symbols lose by sharing codes.
func (m *merger) gain(a, b int) float64 {
	m.merged = resize(m.merged, len(m.histograms[a]))
	for s, c := range m.histograms[a] {
		m.merged[s] = c + m.histograms[b][s]
	}
	return m.sizes[a] + m.sizes[b] - histogramBits(m.merged)
}

// best returns the two groups that gain most, the second with the lower number, or
// two equal numbers if none gain.
func (m *merger) best() (from, to int) {
	most := 0.0
	for a := range m.histograms {
		for b := range a {
			if m.alive(a) && m.alive(b) && m.gains[a][b] > most {
				most, from, to = m.gains[a][b], a, b
			}
		}
	}
	return from, to
}

// alive reports whether a group has not become part of another.
func (m *merger) alive(k int) bool { return m.target[k] == k }

// join makes a group part of one with a lower number.
func (m *merger) join(from, to int) {
	for s, c := range m.histograms[from] {
		m.histograms[to][s] += c
	}
	m.target[from] = to
	// Only what concerns the group that grew is counted anew.
	m.sizes[to] = histogramBits(m.histograms[to])
	for k := range m.histograms {
		if k != to && m.alive(k) {
			m.gains[max(k, to)][min(k, to)] = m.gain(k, to)
		}
	}
}

// renumber closes the gaps among the groups. Where a group went has a lower number
// and so its new one already.
func (m *merger) renumber() {
	n := 0
	for k := range m.histograms {
		if !m.alive(k) {
			m.target[k] = m.target[m.target[k]]
			continue
		}
		m.histograms[n], m.histograms[k] = m.histograms[k], m.histograms[n]
		m.target[k] = n
		n++
	}
	m.histograms = m.histograms[:n]
	for tile, k := range m.group {
		m.group[tile] = uint32(m.target[k])
	}
}
