package spz

import "encoding/binary"

// keepLeaves drops the Gaussians that stand for several finer ones. Given are the
// numbers of children, 16 bits each. In such a file opacities reach two and are
// stored as halves; those that are kept do not exceed one.
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
