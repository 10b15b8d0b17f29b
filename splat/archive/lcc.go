package archive

// addLCC adds the data files beside the manifest of an LCC v1 capture. The format fixes their names
// (LCC white paper); old exporters differ only in case. The start (attrs.lcp) and the picture are
// additions of newer exporters. The first two files are required. The others belong to captures
// with harmonics, an environment, a collision, a start or a picture.
func (p *planner) addLCC() error {
	if err := p.addAllReferenced([]string{"index.bin", "data.bin"}); err != nil {
		return err
	}
	for _, name := range []string{"shcoef.bin", "environment.bin", "collision.lci", "attrs.lcp", "thumb.jpg"} {
		e, name, err := p.find(name)
		if err != nil {
			return err
		}
		if e != nil {
			p.add(name, e)
		}
	}
	return nil
}
