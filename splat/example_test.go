package splat_test

import (
	"bytes"
	"context"
	"fmt"

	"portico/splat"
	"portico/splat/splattest"
)

func Example() {
	var upload bytes.Buffer
	if _, err := (splattest.Capture{Folder: "export", Tiles: 2, TileBytes: 100}).WriteTo(&upload); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	archive, err := splat.OpenArchive(bytes.NewReader(upload.Bytes()), int64(upload.Len()), splat.DefaultLimits())
	if err != nil {
		fmt.Println(err) // an *splat.InputError is for the user
		return
	}
	plan, err := archive.Plan(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	sink := &memory{}
	if err := archive.Extract(ctx, plan, sink, nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Kind, plan.Primary, sink.names)
	// Output: lcc2 scene.lcc2 [data/3dgs/0.sog data/3dgs/1.sog scene.lcc2]
}
