package ply_test

import (
	"context"
	"fmt"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/ply"
)

func ExampleOpen() {
	ctx := context.Background()
	files := folder.Memory{"scene.ply": encode(ply.LittleEndian, gaussians(randomCloud(100, 3), typedProperties("float", names(3))...))}
	file, err := files.Open(ctx, "scene.ply")
	if err != nil {
		panic(err)
	}
	f, err := ply.Open(ctx, file, "scene.ply")
	if err != nil {
		panic(err)
	}
	facts := f.Facts()
	fmt.Printf("%s: %d of degree %d\n", facts.Kind, facts.Vertices, facts.Degree)
	source, ok := f.Source()
	if !ok {
		panic("a mesh")
	}
	cloud := &gaussian.Cloud{}
	if err := source.Read(ctx, 0, []uint32{3, 99}, cloud); err != nil {
		panic(err)
	}
	fmt.Println(cloud.Len())
	// Output:
	// gaussians: 100 of degree 3
	// 2
}
