package disk_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"portico/storage"
	"portico/storage/disk"
)

// A door issues the address of an upload, the client sends it, and a job reads it.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store, err := disk.Open(disk.Options{
		Folder:  dir,
		BaseURL: "https://portico.example",
		Secret:  []byte("at least sixteen bytes"),
	})
	if err != nil {
		panic(err)
	}
	defer store.Close()

	const key = "12345678/api_uploads/k3j_my room.glb"
	request, err := store.PresignPut(ctx, storage.Upload{
		Key: key, ContentType: "model/gltf-binary", Size: 4, Expires: time.Now().Add(15 * time.Minute),
	})
	if err != nil {
		panic(err)
	}
	address, _, _ := strings.Cut(request.URL, "?")
	fmt.Println(request.Method, address)

	// In place of the client, which sends the bytes to the address.
	if _, err := store.Put(ctx, key, strings.NewReader("glTF")); err != nil {
		panic(err)
	}
	found, _ := store.KeyOf(address)
	object, err := store.Stat(ctx, found)
	if err != nil {
		panic(err)
	}
	fmt.Println(object.Size, object.ContentType)
	// Output:
	// PUT https://portico.example/files/12345678/api_uploads/k3j_my%20room.glb
	// 4 model/gltf-binary
}
