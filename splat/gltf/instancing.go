package gltf

import (
	"context"
	"errors"

	"portico/splat/input"
)

// maxMeasuredInstances is the maximum number of instances of a node whose positions are read for
// the bounds. Real files have up to some hundred thousand.
const maxMeasuredInstances = 1 << 20

// count returns the number of instances, which checkInstancing has compared.
func (x *instancing) count(k *checker) int64 {
	for _, accessor := range []*integer{x.Attributes.Translation, x.Attributes.Rotation, x.Attributes.Scale} {
		if accessor != nil {
			return int64(k.Accessors[*accessor].Count)
		}
	}
	return 1 // other attributes do not move the mesh
}

// countInstances returns how many times the default scene shows a mesh, or 0 if no node repeats one.
func (k *checker) countInstances(ctx context.Context) (count int64, err error) {
	if len(k.Scenes) == 0 {
		return 0, nil
	}
	repeats := false
	err = k.walk(ctx, func(n *node, _ *affine) {
		switch x := n.Extensions.Instancing; {
		case n.Mesh == nil:
		case x == nil:
			count++
		default:
			repeats = true
			count += x.count(k)
		}
	})
	if !repeats {
		return 0, err
	}
	return count, err
}

// addInstances extends a box to all instances of a mesh. The box becomes unknown if the positions
// of the instances cannot be read.
func (k *checker) addInstances(ctx context.Context, data *buffers, box, mesh *box, x *instancing, outer *affine) error {
	n := int(x.count(k))
	if n > maxMeasuredInstances {
		box.unknown = true
		return nil
	}
	nodes := make([]node, n)
	for _, attribute := range []struct {
		name       string
		accessor   *integer
		components int
		of         func(*node) *[]float64
	}{
		{"TRANSLATION", x.Attributes.Translation, 3, func(n *node) *[]float64 { return &n.Translation }},
		{"ROTATION", x.Attributes.Rotation, 4, func(n *node) *[]float64 { return &n.Rotation }},
		{"SCALE", x.Attributes.Scale, 3, func(n *node) *[]float64 { return &n.Scale }},
	} {
		if attribute.accessor == nil || n == 0 {
			continue
		}
		values, err := k.values(ctx, data, attribute.name, *attribute.accessor, attribute.components)
		if err == nil {
			var all request
			if all, err = newRequest(consecutive(0, n), n); err == nil {
				err = values.gather(ctx, all, func(slot int, v []float32) {
					to := attribute.of(&nodes[slot])
					*to = (*to)[:0]
					for _, component := range v {
						*to = append(*to, float64(component))
					}
				})
			}
		}
		if _, unreadable := errors.AsType[*input.Error](err); unreadable {
			box.unknown = true
			return nil
		}
		if err != nil {
			return err
		}
	}
	for i := range nodes {
		local := nodes[i].local()
		transform := outer.multiply(&local)
		box.addTransformed(mesh, &transform)
	}
	return nil
}
