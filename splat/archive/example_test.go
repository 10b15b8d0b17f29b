package archive_test

import (
	"bytes"
	"context"
	"fmt"

	"portico/splat/archive"
	"portico/splat/splattest"
)

func Example() {
	var upload bytes.Buffer
	if _, err := (splattest.Capture{Folder: "export", Tiles: 2, TileBytes: 100}).WriteTo(&upload); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	zip, err := archive.Open(bytes.NewReader(upload.Bytes()), int64(upload.Len()), archive.DefaultLimits())
	if err != nil {
		fmt.Println(err) // an *input.Error is for the user
		return
	}
	plan, err := zip.Plan(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	extracted := &memory{}
	if err := zip.Extract(ctx, plan, extracted, nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Kind, plan.Primary, extracted.names)
	// Output: lcc2 scene.lcc2 [data/3dgs/0.sog data/3dgs/1.sog scene.lcc2]
}
