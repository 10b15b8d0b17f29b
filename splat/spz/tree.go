package spz

import "encoding/binary"

// keepLeaves removes the Gaussians that replace several finer ones. children contains the
// number of children of each, in 16 bits. In such files Spark allows opacities up to 2 and
// stores half of each opacity. The opacities of leaves are at most 1.
//
// The streams are compacted in place: kept is never ahead of i, so nothing is overwritten before it
// is read.
func (p *packed) keepLeaves(children []byte, h *header) {
	sizes := h.sizes()
	kept := 0
	for i := range p.splats {
		if binary.LittleEndian.Uint16(children[2*i:]) != 0 {
			continue
		}
		for k, stream := range p.streams() {
			size := sizes[k]
			copy((*stream)[kept*size:(kept+1)*size], (*stream)[i*size:])
		}
		p.alphas[kept] = byte(min(255, 2*int(p.alphas[kept])))
		kept++
	}
	for k, stream := range p.streams() {
		*stream = (*stream)[:kept*sizes[k]]
	}
	p.splats = kept
}
